"""
A helicopter lag damper in a hybrid test
========================================

The blade of a five-bladed helicopter in steady flight is simulated with eight modes. Its lag damper is on the
rig, moved by a hydraulic actuator with 5.9 ms delay. Four measures make the test possible: the controller of
the actuator; a first-order model of the closed loop, 166.5/(s + 169.3), identified by a sweep; its inverse as
compensator, which tolerates the kinks that the relief valves cause in the demand; and a start with the force of
an ideal damper, replaced by the measured force over five seconds.

The absolute critical delay, with both valves closed, is 0.75 ms for the worst single mode. The test tolerates
more, because the damper is that steep only for short times.

Blade and damper are surrogates: the source does not publish its data.
"""

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring import lag_damper
from dovetail.studies.substructuring.reproduce_lag_damper import critical_delays

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

closed, mode_closed, opened, mode_open = critical_delays()
print(f"critical delay, valves closed: {1e3 * closed:.2f} ms (mode {mode_closed}); one open:", end=" ")
print(f"{1e3 * opened:.2f} ms (mode {mode_open})")

run = dv.load("substructuring/lag-damper").rehearse()
print(run)

# %%
# With a physical damper there is no reference solution. Criteria are instead a small tracking error, and an
# actuator below half of its capacity most of the time.

printed = lag_damper.surrogate()["printed"]
envelope = dv.fidelity.Envelope.valve(force=printed["actuator_force"], speed=printed["envelope_speed"])
used = dv.fidelity.utilisation(run.data.sel(time=slice(12.0, None)), envelope)
print(used, f"({100 * used.above_half:.0f} % of the time above half)")

# %%
# Left column: simulated force. Right column: measured force. The demand changes its shape, because the real
# damper differs from the ideal one; the synchronisation loops remain straight.

figure, axes = plt.subplots(3, 2, figsize=(9, 8.2), layout="constrained")
for column, (start, title) in zip(
    axes.T, ((6.6, "simulated force fed back"), (15.6, "measured force fed back")), strict=True
):
    data = run.data.sel(time=slice(start, start + 1.0))
    column[0].plot(data.time, 1e3 * data.displacement, color=COLOURS["demand"], lw=2.5, label="demand z")
    x = 1e3 * data.measured_displacement
    column[0].plot(data.time, x, color=COLOURS["measured"], lw=1.2, ls="--", label="measured x")
    column[0].set(title=title, xlabel="time [s]", ylabel="displacement [mm]", ylim=(-24, 10))
    column[1].plot(1e3 * data.displacement, x, color=COLOURS["measured"], lw=1)
    column[1].set(xlabel="demand z [mm]", ylabel="measured x [mm]", aspect="equal")
    v = 1e3 * data.velocity
    column[2].plot(v, -1e-3 * data.model_force, color=COLOURS["reference"], lw=2.5, label="ideal model")
    column[2].plot(v, -1e-3 * data.measured_force, color=COLOURS["measured"], lw=1, label="measured")
    column[2].set(xlabel="velocity [mm/s]", ylabel="resisting force [kN]", xlim=(-420, 420), ylim=(-18, 18))
axes[0, 0].legend(loc="lower left", ncols=2)
axes[2, 0].legend(loc="upper left")
plt.show()
