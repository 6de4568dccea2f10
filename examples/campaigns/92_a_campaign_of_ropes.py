"""
A campaign of ropes: selection by strength, depth and weight
============================================================

Five ropes of the catalogue at nine lengths settle behind the towing aircraft. A rope passes if it carries four
times the tow load, hangs below the wake, and settles within a minute. Steel hangs deepest, but the steel rope
that is strong enough weighs six times more than necessary and swings twice as long. The thin ropes are too
weak, and the short ones stay in the wake. The result is a short list and its lightest rope.

On the command line: ``dovetail campaign capture/rope-selection``, with twenty rods per rope; here it is eight.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from dovetail import campaign
from dovetail.report.style import COLOURS, RC
from dovetail.studies.registry import find_campaign

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

plan = campaign.load(find_campaign("capture/rope-selection"), {"set.links": 8, "set.duration": 90.0})
with tempfile.TemporaryDirectory() as folder:
    print(campaign.run(plan, Path(folder) / "out"))
    data = campaign.open_results(Path(folder) / "out")
    print("\n".join(campaign.analyse(Path(folder) / "out")))

# %%
# Depth against mass, one line for each rope from 150 m to 350 m (steel: dashed). Filled dots meet every
# requirement.

passed = (data.safety_factor >= 4) & (data.depth > 60) & (data.settling_time < 60)
styles = {
    "uhmwpe-16": ("reference", "UHMWPE 16 mm: breaks"),
    "uhmwpe-24": ("measured", "UHMWPE 24 mm"),
    "uhmwpe-32": ("demand", "UHMWPE 32 mm"),
    "steel-24": ("faint", "steel 24 mm: breaks"),
    "steel-32": ("ink", "steel 32 mm"),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.9), layout="constrained")
for name, (colour, words) in styles.items():
    one, ok = data.sel(rope=name), passed.sel(rope=name).values
    for axes, against in ((left, one.depth), (right, one.settling_time)):
        dash = "--" if name.startswith("steel") else "-"
        axes.plot(one.mass, against, dash, color=COLOURS[colour], lw=1, label=words)
        axes.plot(one.mass, against, "o", ms=4, mfc="white", color=COLOURS[colour])
        axes.plot(one.mass[ok], against[ok], "o", ms=5, color=COLOURS[colour])
lightest = float(data.mass.where(passed).min())
left.axhspan(0, 60, color="0.94", zorder=0)
left.text(1500, 4, "wake, and ten metres below", ha="right", va="top")
left.set(xlabel="mass of the rope [kg]", ylabel="depth at which it settles [m]", xscale="log")
left.invert_yaxis()
right.axhspan(60, 70, color="0.94", zorder=0)
right.set(xlabel="mass of the rope [kg]", ylabel="time to settle [s]", xscale="log", ylim=(10, 70))
right.axvline(lightest, color=COLOURS["demand"], lw=1, ls="--")
right.annotate(
    f"lightest that passes: {lightest:.0f} kg",
    (lightest, 14),
    xytext=(6, 0),
    textcoords="offset points",
    color=COLOURS["demand"],
)
for axes in (left, right):
    axes.set_xticks([30, 100, 300, 1000], ["30", "100", "300", "1000"])
    axes.minorticks_off()
left.legend(loc="lower left")
print(f"{int(np.sum(passed))} of {passed.size} pass")
plt.show()
