"""
Design of a compensator by gradients through the loop
=====================================================

The loop is differentiable from any parameter to any measure. A polynomial predictor compensates an actuator
with a second-order lag. Its horizon and gain are chosen so that the tracking error of the rehearsal is minimal.
Optimistix's BFGS uses the gradient through all ticks; scipy's Nelder-Mead, which uses values only, is the
check. Both find the same design; the gradient method needs fewer runs.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail import campaign, testing
from dovetail.campaign.optimise import objective
from dovetail.report.style import COLOURS, RC
from dovetail.studies.registry import find_test

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

test = testing.load(
    find_test("substructuring/cs1-forward-prediction"),
    {"duration": 1.0, "rig.actuator": {"kind": "second-order-lag", "omega": 155.0, "damping": 0.6}},
)
bounds = {"compensator.delay": (2e-3, 16e-3), "compensator.gain": (0.8, 1.2)}
start = [4e-3, 0.9]
gradients = campaign.minimise_bfgs(test, "rms e2", bounds, start)
judge = campaign.minimise_nelder_mead(test, "rms e2", bounds, start)
print(gradients, judge, sep="\n")

# %%
# The error over both parameters (a batch of 41 by 41 rehearsals), with the start and both results.

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

delays, gains = np.linspace(*bounds["compensator.delay"], 41), np.linspace(*bounds["compensator.gain"], 41)
shares = jnp.stack(jnp.meshgrid(jnp.linspace(0, 1, 41), jnp.linspace(0, 1, 41), indexing="ij"), axis=-1)
costs = jax.lax.map(objective(test, "rms e2", bounds), shares.reshape(-1, 2), batch_size=128).reshape(41, 41)

figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
levels = [1, 2, 4, 8, 16, 32]
shown = ax.contour(
    1e3 * delays, gains, 100 * np.asarray(costs).T, levels=levels, colors=COLOURS["faint"], linewidths=1
)
ax.clabel(shown, fmt="%g %%")
ax.plot(1e3 * start[0], start[1], "o", color=COLOURS["ink"], label="start")
for found, mark, colour in ((gradients, "x", "measured"), (judge, "+", "demand")):
    ax.plot(
        1e3 * found.values["compensator.delay"],
        found.values["compensator.gain"],
        mark,
        ms=11,
        mew=2,
        color=COLOURS[colour],
        label=f"{found.method}: {found.evaluations} runs, {100 * found.cost:.3f} %",
    )
ax.set(
    xlabel="looked ahead [ms]",
    ylabel="gain of the command",
    title="rms tracking error, fraction of the rms reference",
)
ax.set_ylim(0.8, 1.3)
ax.legend(loc="upper right")
plt.show()
