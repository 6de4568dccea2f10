"""
A stable hybrid test
====================

One mass on a spring and a damper is simulated. The specimen is a second spring, moved by an actuator with 3 ms
delay. The delay is below the critical delay, so the test is stable. It is not exact: a delayed spring acts as a
negative damper, and the loop of measured over demanded displacement opens anticlockwise. The figure also shows
the loop at the critical delay.
"""

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.fidelity.synchronisation import overlay
from dovetail.report.style import COLOURS, RC

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

test = dv.load("substructuring/cs1")
stability = test.stability()
print(stability)

reference_run, run = test.reference(), test.rehearse()
print(dv.fidelity.compare(run, reference_run))

# %%
# Left: the first two seconds. Right: synchronisation of the last two seconds.

start, steady = run.data.sel(time=slice(0, 2)), run.data.sel(time=slice(8, None))
critical = overlay(steady, stability.critical_delay)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.6, 1), layout="constrained")
reference = reference_run.data.sel(time=slice(0, 2))
left.plot(reference.time, 1e3 * reference.displacement, color=COLOURS["reference"], lw=4, label="reference")
left.plot(start.time, 1e3 * start.displacement, color=COLOURS["demand"], label="demand")
left.plot(start.time, 1e3 * start.measured_displacement, color=COLOURS["measured"], ls="--", label="measured")
left.set(
    xlabel="time [s]", ylabel="displacement [mm]", ylim=(-12.5, 11), title="stable, and a little under-damped"
)
left.legend(loc="lower center", ncols=3)

right.plot(
    1e3 * critical.demand,
    1e3 * critical.delayed_demand,
    color=COLOURS["critical"],
    label=f"at the critical {1e3 * stability.critical_delay:.2f} ms",
)
right.plot(
    1e3 * steady.displacement,
    1e3 * steady.measured_displacement,
    color=COLOURS["measured"],
    label="as run, 3 ms",
)
right.set(xlabel="demand [mm]", ylabel="measured [mm]", title="synchronisation", aspect="equal")
right.legend(loc="upper left")
plt.show()
