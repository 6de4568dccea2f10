"""
A campaign on deck: sea states that require securing
====================================================

A light skid aircraft on the deck of a ship, over sea state, wave direction and wind. Each point is two runs of
half a minute: free, where the aircraft stands, rocks, slides or topples, and secured, with the load of the
clamps. One table has both results: where the aircraft may stand free, and the load of the securing device
elsewhere.

On the command line: ``dovetail campaign shipboard/envelope``, 390 points of one minute; here it is a coarser
grid.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.patheffects import withStroke

from dovetail import campaign
from dovetail.report.style import RC
from dovetail.studies.registry import find_campaign

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

small = {
    "parameter.0.values": [3.0, 4.0, 5.0, 6.0, 7.0],
    "parameter.1.count": 9,
    "parameter.2.values": [8.0, 11.0, 12.5],
    "set.duration": 30.0,
    "chunk": 135,
    "batch": 135,
}
plan = campaign.load(find_campaign("shipboard/envelope"), small)
with tempfile.TemporaryDirectory() as folder:
    print(campaign.run(plan, Path(folder) / "out"))
    data = campaign.open_results(Path(folder) / "out")
    print("\n".join(campaign.analyse(Path(folder) / "out")))

# %%
# Colours: slip of a foot of the free aircraft; beyond 100 mm it counts as sliding. Lines: largest load [N] of a
# clamp of the secured aircraft. The wind decides about sliding, the sea about the clamp load.

figure, panels = plt.subplots(1, 3, figsize=(9, 4.2), layout="constrained", sharey=True)
for axes, wind in zip(panels, data.wind_speed.values, strict=True):
    one = data.sel(wind_speed=wind).transpose("sea_state", "heading")
    axes.pcolormesh(
        one.heading, one.sea_state, 1e3 * one.slip, norm=LogNorm(1, 1000), cmap="YlOrRd", shading="gouraud"
    )
    lines = axes.contour(one.heading, one.sea_state, one.securing_load, 3, colors="#20252b", linewidths=0.8)
    lines.set_path_effects([withStroke(linewidth=2, foreground="#ffffff90")])
    for text in axes.clabel(lines, fmt="%.0f N"):
        text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    slides = int((one.outcome == 2).sum())
    axes.set(title=f"wind {wind:g} m/s,\nslides at {slides} of {one.outcome.size}")
    axes.set(xlabel="waves travel at [deg]", xticks=np.arange(0, 181, 45))
panels[0].set(ylabel="sea state", yticks=range(3, 8))
bar = figure.colorbar(panels[0].collections[0], ax=panels, shrink=0.8, label="slip of a foot [mm]")
bar.set_ticks([1, 10, 100, 1000], labels=["1", "10", "100", "1000"])
plt.show()
