"""Growth rate of CS1 against delay, from the spectrum of its delay equation, and the first-order estimate."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from _style import BLUE, GREY, INK, ORANGE

from dovetail.stability.single_interface import critical_delay
from dovetail.studies.substructuring.reproduce import K_S, C, K, M, cs1


def figure():
    tau = np.linspace(0, 12e-3, 61)
    growth = [cs1(tau=t).growth() for t in tau]
    first_order = (K_S * tau - C) / (2 * M)
    limit = float(critical_delay(m=M, c=C, k=K, k_s=K_S))
    fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
    ax.axhspan(0, 3, color=ORANGE, alpha=0.08, lw=0)
    ax.plot(1e3 * tau, growth, color=BLUE, label="dominant root of the delay equation")
    ax.plot(
        1e3 * tau,
        first_order,
        color=GREY,
        ls="--",
        lw=1.2,
        label="delay as a negative damper, $(k_s\\tau - c)/2m$",
    )
    ax.axhline(0, color=INK, lw=0.8)
    ax.plot([1e3 * limit], [0], "o", color=ORANGE)
    ax.annotate(
        f"critical delay {1e3 * limit:.2f} ms", (1e3 * limit, 0), (7.6, -1.6), arrowprops={"arrowstyle": "->"}
    )
    ax.text(0.15, 1.4, "unstable", color=ORANGE)
    ax.text(0.15, -0.55, "stable", color=INK)
    ax.set_xlabel("delay $\\tau$ [ms]")
    ax.set_ylabel("growth rate [1/s]")
    ax.set_xlim(0, 12)
    ax.set_ylim(-3.6, 2.7)
    ax.legend(frameon=False, loc="lower right")
    return fig
