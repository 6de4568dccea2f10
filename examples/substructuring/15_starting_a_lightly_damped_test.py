"""
Starting a lightly damped test
==============================

With a fifth of the damping the critical delay is 1.33 ms, and the actuator delay is 9.4 ms. Without
compensation the test diverges. Adaptive prediction from zero identifies the delay, but only after the
oscillation has grown, and the oscillation needs seconds to decay. Over-compensation starts with too long a
prediction, which acts as damping for a spring, and decreases it: the loop is always stable. After settling it
raises the order of its polynomial.
"""

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.report.style import COLOURS, RC
from dovetail.studies import find_test

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

names = {
    "cs1-light-late": "no compensation",
    "cs1-light-afp": "prediction learnt from nothing",
    "cs1-over-compensation": "over-compensation",
}
tests = {name: dv.load(find_test(f"substructuring/{name}")) for name in names}
runs = {name: test.rehearse() for name, test in tests.items()}
reference = tests["cs1-over-compensation"].reference().data
for run in runs.values():
    print(run)

# %%
# Displacement of all three tests, and the horizon of the two adaptive compensators.

figure, axes = plt.subplots(4, 1, figsize=(9, 7), sharex=True, layout="constrained")
for ax, (name, title) in zip(axes, names.items(), strict=False):
    data = runs[name].data
    ax.plot(data.time, 1e3 * data.displacement, color=COLOURS["demand"], lw=1, label="demand")
    ax.plot(
        reference.time, 1e3 * reference.displacement, color=COLOURS["ink"], lw=1, ls=":", label="reference"
    )
    ax.set(ylabel="[mm]", ylim=(-13, 13), title=title)
stopped = runs["cs1-light-late"].data
axes[0].plot(stopped.time[-1], 1e3 * stopped.displacement[-1], "o", color=COLOURS["critical"])
axes[0].annotate(
    "stopped at the velocity limit",
    (float(stopped.time[-1]), 1e3 * float(stopped.displacement[-1])),
    (2.2, 6),
    color=COLOURS["critical"],
)
axes[0].legend(loc="lower right", ncols=2)
for name, colour in (("cs1-light-afp", "measured"), ("cs1-over-compensation", "command")):
    data = runs[name].data
    axes[3].plot(data.time, 1e3 * data.prediction_horizon, color=COLOURS[colour], label=names[name])
axes[3].axhspan(8.065, 20, color=COLOURS["grid"], alpha=0.5, lw=0)
axes[3].text(0.1, 8.4, "stable with an exact predictor")
axes[3].set(ylabel="[ms]", xlabel="time [s]", title="horizon of the prediction", ylim=(0, 16), xlim=(0, 8))
axes[3].legend(loc="lower right")
plt.show()
