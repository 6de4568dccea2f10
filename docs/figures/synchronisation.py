"""Measured over demanded displacement: what synchronisation looks like."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from _style import BLUE, GREEN, GREY, ORANGE


def figure():
    phase = np.linspace(0, 2 * np.pi, 300)
    z = np.sin(phase)
    fig, axes = plt.subplots(1, 3, figsize=(7.8, 3.4), sharey=True, layout="constrained")
    cases = [
        ("perfect", z, GREEN, ""),
        ("late: anticlockwise,\nadds energy", np.sin(phase - 0.35), ORANGE, "late"),
        ("early: clockwise,\ntakes energy out", np.sin(phase + 0.35), BLUE, "early"),
    ]
    for ax, (title, x, colour, sense) in zip(axes, cases, strict=True):
        ax.plot([-1.1, 1.1], [-1.1, 1.1], color=GREY, lw=0.8, ls="--")
        ax.plot(z, x, color=colour)
        if sense:
            i = 150  # z falls through zero there, half-way round
            ax.annotate(
                "",
                (z[i + 14], x[i + 14]),
                (z[i - 8], x[i - 8]),
                arrowprops={"arrowstyle": "-|>", "color": colour, "mutation_scale": 16},
            )
        ax.set_title(title, fontsize=10)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel("demand $z$")
    axes[0].set_ylabel("measured $x$")
    return fig
