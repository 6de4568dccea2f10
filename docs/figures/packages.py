"""The rooms of the package and what flows between them; each room uses only those below it."""

import sys
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt

sys.path.insert(0, str(Path(__file__).parent))
from _style import BLUE, GREEN, GREY, INK, ORANGE

FLOORS = [  # from the ground up: rooms side by side, and their colour
    ([("core", "blocks, methods, signals, parameters, errors")], GREY),
    (
        [
            ("mechanics", "bodies, chains, beams,\ncontact, friction, geometry"),
            ("air", "drag, rotors, wind,\nwakes, atmosphere"),
            ("sea", "waves, ships,\nmoving decks"),
        ],
        BLUE,
    ),
    (
        [
            ("specimens", "motion in, force out"),
            ("transfer", "actuators, sensors,\narms"),
            ("compensation", "predict, invert,\nwatch energy"),
            ("stability", "margins, critical\ndelay"),
        ],
        GREEN,
    ),
    (
        [
            ("testing", "the test, the loop,\nfive modes, records"),
            ("links", "real rigs,\nother programs"),
            ("fidelity", "how far from\nthe ideal"),
            ("design, campaign", "what rig,\nwhat if"),
        ],
        GREEN,
    ),
    ([("studies", "data, assembly, targets: nothing that another study could want")], ORANGE),
    ([("report, view, studio, cli", "observers and the front door; nothing uses them")], GREY),
]
FLOWS = [
    "units, states, steps",
    "laws and equations: forces from motion",
    "parts that follow a motion and answer with a force",
    "runs: named signals with units",
    "runs, targets, pictures",
]


def figure():
    fig, ax = plt.subplots(figsize=(8.4, 7.6), layout="constrained")
    width, height, pitch = 12.0, 1.0, 1.62
    for level, (rooms, colour) in enumerate(FLOORS):
        share = width / len(rooms)
        for i, (name, about) in enumerate(rooms):
            x, y = i * share, level * pitch
            ax.add_patch(
                plt.Rectangle(
                    (x + 0.06, y), share - 0.12, height, facecolor=colour, alpha=0.13, edgecolor=INK, lw=0.8
                )
            )
            ax.text(x + share / 2, y + 0.77, name, ha="center", va="center", weight="bold")
            ax.text(x + share / 2, y + 0.32, about, ha="center", va="center")
        if level < len(FLOWS):
            y = level * pitch + height
            ax.annotate(
                "", (0.6, y + pitch - height), (0.6, y), arrowprops={"arrowstyle": "->", "color": INK}
            )
            ax.text(0.85, y + (pitch - height) / 2, FLOWS[level], va="center", color=INK)
    ax.set_xlim(-0.1, width + 0.1)
    ax.set_ylim(-0.15, (len(FLOORS) - 1) * pitch + height + 0.15)
    ax.axis("off")
    return fig


def narrow():
    """For a phone: rooms of a floor below each other."""
    fig = plt.figure(figsize=(4.5, 10.6))
    ax = fig.add_axes((0, 0, 1, 1))
    y = 0.05  # [in] from the ground
    for level, (rooms, colour) in enumerate(FLOORS):
        for name, about in reversed(rooms):
            lines = textwrap.wrap(about, 48)
            height = 0.32 + 0.18 * len(lines)
            ax.add_patch(
                plt.Rectangle((0.05, y), 4.4, height, facecolor=colour, alpha=0.13, edgecolor=INK, lw=0.8)
            )
            ax.text(2.25, y + height - 0.15, name, ha="center", va="center", weight="bold")
            ax.text(2.25, y + 0.5 * (height - 0.25), "\n".join(lines), ha="center", va="center")
            y += height + 0.05
        if level < len(FLOWS):
            ax.annotate("", (0.3, y + 0.33), (0.3, y - 0.03), arrowprops={"arrowstyle": "->", "color": INK})
            ax.text(0.45, y + 0.16, FLOWS[level], va="center", color=INK)
            y += 0.35
    fig.set_figheight(y)
    ax.set_xlim(0, 4.5)
    ax.set_ylim(0, y)
    ax.axis("off")
    return fig
