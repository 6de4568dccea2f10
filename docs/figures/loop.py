"""The loop as a picture: what is simulated, what is real, and what crosses between them."""

import itertools
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

sys.path.insert(0, str(Path(__file__).parent))
from _style import BLUE, GREEN, GREY, ORANGE

BOXES = {
    "numerical\nsubstructure": (1.0, 2.35, BLUE),
    "compensator": (4.1, 2.35, BLUE),
    "actuator": (4.1, 0.65, GREEN),
    "specimen": (2.55, 0.65, ORANGE),
    "sensors": (1.0, 0.65, GREEN),
}


def figure():
    fig, ax = plt.subplots(figsize=(8.4, 3.6))
    for text, (x, y, colour) in BOXES.items():
        box = FancyBboxPatch(
            (x - 0.58, y - 0.3),
            1.16,
            0.6,
            boxstyle="round,pad=0.02,rounding_size=0.08",
            fc="white",
            ec=colour,
            lw=1.8,
        )
        ax.add_patch(box)
        ax.text(x, y, text, ha="center", va="center")

    def arrow(points, label, at, **kw):
        for a, b in itertools.pairwise(points[:-1]):
            ax.plot([a[0], b[0]], [a[1], b[1]], color="k", lw=1.2)
        ax.annotate(
            "", points[-1], points[-2], arrowprops={"arrowstyle": "->", "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
        )
        ax.text(*at, label, fontsize=9, **kw)

    arrow([(-0.45, 2.35), (0.4, 2.35)], "excitation\n$r,\\ \\dot{r}$", (-0.42, 2.45), va="bottom")
    arrow([(1.6, 2.35), (3.5, 2.35)], "demand $z,\\ \\dot{z},\\ \\ddot{z}$", (2.55, 2.43), ha="center")
    arrow([(4.1, 2.03), (4.1, 0.97)], "command $z_p$", (4.18, 1.72), va="center")
    arrow([(3.5, 0.65), (3.15, 0.65)], "$x_a$", (3.32, 0.72), ha="center")
    arrow([(1.95, 0.65), (1.6, 0.65)], "$F_s$", (1.78, 0.72), ha="center")
    arrow([(1.0, 0.97), (1.0, 2.03)], "force $F$", (0.92, 1.72), ha="right", va="center")
    arrow([(1.4, 0.97), (1.4, 1.1), (3.75, 1.1), (3.75, 2.03)], "measured $x$", (2.55, 1.15), ha="center")
    ax.axhline(1.42, color=GREY, ls="--", lw=1)
    ax.text(5.95, 1.5, "simulated", ha="right", color=GREY, fontsize=9)
    ax.text(5.95, 1.22, "the rig: real or virtual", ha="right", color=GREY, fontsize=9)
    ax.set_xlim(-0.5, 6.0)
    ax.set_ylim(0.2, 2.95)
    ax.set_aspect("equal")
    ax.axis("off")
    return fig
