"""
Switching to the measured force
===============================

A safe start that shows an instability early: for three seconds the numerical substructure receives the force of
a *model* of the specimen, so the rig moves without feedback. Then the feedback switches to the measured force.
The delays are 9.4 and 8.6 ms, above the limit of 3.3 ms, without compensation. The test diverges at once and is
stopped 0.4 s later. Without limits, which only a simulation allows, the growth rate equals that of the poles of
the sampled loop.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.report.style import COLOURS, RC
from dovetail.studies import find_test

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

name = find_test("substructuring/cs2-switch")
test = dv.load(name)
run, reference_run = test.rehearse(), test.reference()
print(run)

lifted = {"limits.displacement": 1e6, "limits.velocity": 1e6, "limits.force": 1e9, "duration": 4.5}
free = dv.load(name, lifted)
growth = free.stability().growth_rate

# %%
# Left: the test with its limits. Right: response error without limits.

shown = run.data.sel(time=slice(2.0, None), axis="TS1")
reference = reference_run.data.sel(time=slice(2.0, float(shown.time[-1])), axis="TS1")
error = abs(dv.fidelity.errors(free.rehearse(), reference_run)["e1"].sel(axis="TS1", time=slice(2.5, None)))
t = error.time.values
predicted = error.values[-100:].max() * np.exp(growth * (t - t[-50]))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.5, 1), layout="constrained")
left.plot(reference.time, 1e3 * reference.displacement, color=COLOURS["reference"], lw=3, label="reference")
left.plot(shown.time, 1e3 * shown.displacement, color=COLOURS["demand"], label="demand")
left.plot(shown.time[-1], 1e3 * shown.displacement[-1], "o", color=COLOURS["critical"], label="stopped")
left.axvline(3.0, color=COLOURS["ink"], lw=0.8)
left.text(2.98, 6.4, "model's force", ha="right")
left.text(3.02, 6.4, "measured force")
left.set(xlabel="time [s]", ylabel="first actuator [mm]", ylim=(-9, 8))
left.legend(loc="lower left", ncols=3)

right.semilogy(t, 1e3 * error, color=COLOURS["demand"], lw=1, label="|reference - demand|")
after = t > 3.0
right.semilogy(
    t[after], 1e3 * predicted[after], color=COLOURS["critical"], ls="--", label=f"poles: {growth:+.1f} 1/s"
)
right.set(xlabel="time [s]", ylabel="error [mm]", ylim=(1e-2, 1e6))
right.legend(loc="upper left")
plt.show()
