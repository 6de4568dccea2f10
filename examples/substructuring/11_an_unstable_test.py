"""
An unstable hybrid test
=======================

The same test with the uncompensated actuator delay of 9.4 ms, above the critical delay of 6.77 ms. The
oscillation grows at the rate that the poles of the sampled loop predict, at the frequency of the instability
instead of the excitation, until a limit stops the test.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.report.style import COLOURS, RC

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

test = dv.load("substructuring/cs1-late")
stability = test.stability()
print(stability)

reference, run = test.reference(), test.rehearse()
print(run)

# %%
# On a logarithmic scale the response error is a straight line.

error = dv.fidelity.errors(run, reference)["e1"]
t = error.time.values
predicted = np.abs(error.values[t > 0.4]).max() * np.exp(stability.growth_rate * (t - t[-1]))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
limit = 1e3 * float(test.limits.velocity)
left.plot(
    t,
    1e3 * reference.data.velocity.sel(time=slice(0, t[-1])),
    color=COLOURS["reference"],
    lw=3,
    label="reference",
)
left.plot(t, 1e3 * run.data.velocity, color=COLOURS["demand"], label="demand")
left.axhline(limit, color=COLOURS["critical"], ls="--", lw=1)
left.axhline(-limit, color=COLOURS["critical"], ls="--", lw=1)
left.text(0.02, limit - 15, "velocity limit", color=COLOURS["critical"], va="top")
left.plot(t[-1], 1e3 * run.data.velocity[-1], "o", color=COLOURS["critical"])
left.set(xlabel="time [s]", ylabel="velocity [mm/s]", title=f"stopped after {t[-1]:.2f} s")
left.legend(loc="lower left", ncols=2, bbox_to_anchor=(0, 0.05))

right.semilogy(t, 1e3 * np.abs(error), color=COLOURS["demand"], label="|reference - demand|")
label = f"poles: {stability.growth_rate:+.2f} 1/s"
right.semilogy(t, 1e3 * predicted, color=COLOURS["critical"], ls="--", label=label)
right.set(xlabel="time [s]", ylabel="error [mm]", ylim=(0.05, 60), title="grows as predicted")
right.legend(loc="upper left")
plt.show()
