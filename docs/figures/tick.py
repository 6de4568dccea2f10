"""Sample and hold of force, demand, command and measurement over three ticks."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from _style import BLUE, GREEN, GREY, INK, ORANGE


def figure():
    t = np.linspace(-0.15, 3.15, 400)
    z = lambda t: np.sin(0.75 * t - 1.1)  # noqa: E731  an example motion, in ticks
    ticks = np.arange(4)
    fig, axes = plt.subplots(3, 1, figsize=(7.6, 5.6), sharex=True, layout="constrained")
    force, demand, command = axes

    force.step(ticks, -z(ticks), where="post", color=ORANGE, label="held over the tick")
    force.plot(t, -z(t), color=GREY, lw=1, ls="--", label="continuous test")
    force.plot(ticks, -z(ticks), "o", color=ORANGE)
    force.set_ylabel("force $F$")
    force.annotate(
        "on average half a tick late",
        (1.45, -z(1.0)),
        (1.75, 0.75),
        color=ORANGE,
        arrowprops={"arrowstyle": "->", "color": ORANGE},
    )

    demand.plot(t, z(t), color=BLUE, label="numerical substructure, advanced under the held force")
    demand.plot(ticks, z(ticks), "o", color=BLUE)
    demand.set_ylabel("demand $z$")

    command.step(ticks, z(ticks), where="post", color=GREY, lw=1, ls="--", label="held (adds half a tick)")
    command.plot(t, z(t), color=GREEN, label="smooth (default): equals the command at each tick")
    command.plot(ticks, z(ticks), "o", color=GREEN)
    command.set_ylabel("command $z_p$")

    for axis in axes:
        axis.set_yticks([])
        axis.set_ylim(-1.25, 1.25)
        for k in ticks:
            axis.axvline(k, color=INK, lw=0.5, alpha=0.35)
        where = "lower left" if axis is force else "lower right"
        axis.legend(loc=where, frameon=False)
    command.set_xticks(ticks, ["$t_k$", "$t_{k+1}$", "$t_{k+2}$", "$t_{k+3}$"])
    command.set_xlim(-0.15, 3.15)
    fig.align_ylabels()
    return fig
