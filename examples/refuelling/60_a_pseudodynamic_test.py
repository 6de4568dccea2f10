"""
A pseudo-dynamic test does not depend on the delay of the robot
===============================================================

A probe hits a drogue in flight, 200 mm off its axis. Hose and flight are simulated; a simulated robot imposes
the motion of the contact step by step, and the force is measured at rest. The test is run twice: with a robot
without delay, and with a delay of 0.5 s. A real-time test with this delay would be unstable. The results of
both pseudo-dynamic tests are equal.
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
    actuator = dv.transfer.Delay(delay, max_delay=0.5)
    settings = dataclasses.replace(test.pseudodynamic, contact_step=2e-3, settling_time=0.6)
    variant = dataclasses.replace(
        test, rig=dataclasses.replace(test.rig, actuator=actuator), pseudodynamic=settings
    )
    runs[delay] = variant.run_pseudodynamic()
    print(f"delay {1e3 * delay:.0f} ms: {runs[delay].data.attrs['moves']} moves, {runs[delay].outcome.value}")

# %%
# The attitude of the drogue changes while the probe slides along its ribs. Both results coincide; the circles
# show every fifth measurement of the robot with delay.

fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7, 4.5), layout="constrained")
for delay, run in runs.items():
    style = "o" if delay else "-"
    every = slice(None, None, 5) if delay else slice(None)
    t = 1e3 * run.data.time.values[every]
    label = f"robot delay {1e3 * delay:.0f} ms"
    top.plot(
        t, np.rad2deg(run.data.drogue_attitude_change.values[every, 0]), style, ms=4, mfc="none", label=label
    )
    bottom.plot(t, np.linalg.norm(run.data.feedback_force.values[every, :3], axis=1), style, ms=4, mfc="none")
top.set_ylabel("attitude change [deg]")
top.legend()
bottom.set_ylabel("contact force [N]")
bottom.set_xlabel("time [ms]")
difference = np.max(np.abs(runs[0.5].data.displacement.values - runs[0.0].data.displacement.values))
print(f"largest difference of the motion: {difference:.1e} m or rad")
