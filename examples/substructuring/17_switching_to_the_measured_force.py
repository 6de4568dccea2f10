"""
Switching to the measured force
===============================

A way to start safely, and to see an instability coming: for three seconds the numerical masses feel the
force of a *model* of the specimen, so the rig is watched but has no say. Then they are switched over to the
measured force. The actuators are 9.4 and 8.6 ms late where 3.3 ms would be the limit, and nothing
compensates: the test diverges at once and is stopped 0.4 s later. With the limits lifted, as only a
simulation can, the growth is seen to be the one that the poles of the sampled loop predict.
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
run, ideal = test.rehearse(), test.reference()
print(run)

lifted = {"limits.displacement": 1e6, "limits.velocity": 1e6, "limits.force": 1e9, "duration": 4.5}
free = dv.load(name, lifted)
growth = free.stability().growth_rate

# %%
# Left: as it would run, with what stops it. Right: the error against the ideal with the limits lifted.

shown = run.data.sel(time=slice(2.0, None), axis="TS1")
reference = ideal.data.sel(time=slice(2.0, float(shown.time[-1])), axis="TS1")
error = np.abs(dv.fidelity.errors(free.rehearse(), ideal)["e1"].sel(axis="TS1", time=slice(2.5, None)))
t = error.time.values
predicted = error.values[-100:].max() * np.exp(growth * (t - t[-50]))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.5, 1), layout="constrained")
left.plot(reference.time, 1e3 * reference.displacement, color=COLOURS["reference"], lw=3, label="ideal")
left.plot(shown.time, 1e3 * shown.displacement, color=COLOURS["demand"], label="demand")
left.plot(shown.time[-1], 1e3 * shown.displacement[-1], "o", color=COLOURS["critical"], label="stopped")
left.axvline(3.0, color=COLOURS["ink"], lw=0.8)
left.text(2.98, 6.4, "model's force", ha="right")
left.text(3.02, 6.4, "measured force")
left.set(xlabel="time [s]", ylabel="first actuator [mm]", ylim=(-9, 8))
left.legend(loc="lower left", ncols=3)

right.semilogy(t, 1e3 * error, color=COLOURS["demand"], lw=1, label="|ideal - demand|")
after = t > 3.0
right.semilogy(
    t[after], 1e3 * predicted[after], color=COLOURS["critical"], ls="--", label=f"poles: {growth:+.1f} 1/s"
)
right.set(xlabel="time [s]", ylabel="error [mm]", ylim=(1e-2, 1e6))
right.legend(loc="upper left")
plt.show()
