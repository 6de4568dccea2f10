"""The loop as a picture: what is simulated, what is real, and what crosses between them."""

import itertools
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

sys.path.insert(0, str(Path(__file__).parent))
from _style import BLUE, GREEN, GREY, ORANGE, QUIET

BOXES = {  # middle [in] and colour
    "numerical\nsubstructure": (0.62, 2.45, BLUE),
    "compensator": (3.68, 2.45, BLUE),
    "actuator": (3.68, 0.45, GREEN),
    "specimen": (2.15, 0.45, ORANGE),
    "sensors": (0.62, 0.45, GREEN),
}
SIZE = (4.3, 3.3)  # [in]: as wide as a phone or a card of the first page, with letters that can be read there


def figure():
    fig, ax = plt.subplots(figsize=SIZE, layout="constrained")
    for text, (x, y, colour) in BOXES.items():
        box = FancyBboxPatch(
            (x - 0.55, y - 0.26),
            1.1,
            0.52,
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
        ax.text(*at, label, **kw)

    arrow([(0.62, 3.2), (0.62, 2.74)], "excitation $r,\\ \\dot{r}$", (0.72, 3.0), va="center")
    arrow([(1.2, 2.45), (3.1, 2.45)], "demand $z,\\ \\dot{z},\\ \\ddot{z}$", (2.15, 2.54), ha="center")
    arrow([(4.0, 2.17), (4.0, 0.74)], "command\n$z_p$", (3.93, 1.93), ha="right", va="center")
    arrow([(3.11, 0.45), (2.74, 0.45)], "$x_a$", (2.92, 0.53), ha="center")
    arrow([(1.58, 0.45), (1.21, 0.45)], "$F_s$", (1.4, 0.53), ha="center")
    arrow([(0.3, 0.74), (0.3, 2.17)], "force $F$", (0.38, 1.93), va="center")
    arrow([(0.95, 0.74), (0.95, 1.0), (3.2, 1.0), (3.2, 2.17)], "measured $x$", (2.15, 1.06), ha="center")
    ax.axhline(1.5, color=GREY, ls="--", lw=1)
    ax.text(2.15, 1.6, "simulated", ha="center", color=QUIET)
    ax.text(2.15, 1.31, "rig: real or simulated", ha="center", color=QUIET)
    ax.set_xlim(0, SIZE[0])
    ax.set_ylim(0.1, SIZE[1])
    ax.set_aspect("equal")
    ax.axis("off")
    return fig
