"""
A creep test, whatever the robot's delay
========================================

A probe meets a drogue in flight, 200 mm off its axis. Hose and flight are simulated; the contact is made slowly,
step by step, by a virtual robot. Twice the same test: once the robot answers at once, once half a second late. In
real time the second would be hopeless. Here the force is taken at rest, and the results are the same.
"""

import dataclasses

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail import testing
from dovetail.studies.registry import find_test

test = dataclasses.replace(testing.load(find_test("refuelling/full-scale-200")), duration=0.25)  # s
runs = {}
for delay in (0.0, 0.5):  # s
    late = dv.transfer.Delay(delay, longest=0.5)
    stepping = dataclasses.replace(test.stepping, contact_step=2e-3, settling_time=0.6)
    variant = dataclasses.replace(test, rig=dataclasses.replace(test.rig, actuator=late), stepping=stepping)
    runs[delay] = variant.creep()
    print(f"{1e3 * delay:.0f} ms late: {runs[delay].data.attrs['moves']} moves, {runs[delay].outcome.value}")

# %%
# The drogue tips as the probe slides along its ribs. The two curves lie on each other; the circles are every fifth
# reading of the late robot.

fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 4.5), layout="constrained")
for delay, run in runs.items():
    style = "o" if delay else "-"
    every = slice(None, None, 5) if delay else slice(None)
    t = 1e3 * run.data.time.values[every]
    label = f"robot {1e3 * delay:.0f} ms late"
    top.plot(t, np.rad2deg(run.data.tipping.values[every, 0]), style, ms=4, mfc="none", label=label)
    bottom.plot(t, np.linalg.norm(run.data.force.values[every, :3], axis=1), style, ms=4, mfc="none")
top.set_ylabel("tipping [deg]")
top.legend()
bottom.set_ylabel("contact force [N]")
bottom.set_xlabel("time [ms]")
difference = np.max(np.abs(runs[0.5].data.displacement.values - runs[0.0].data.displacement.values))
print(f"largest difference of the motion: {difference:.1e} m or rad")
