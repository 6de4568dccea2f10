"""
A campaign of strikes on a drogue
=================================

A probe strikes a drogue that hangs on a rope, at four speeds and at angles from 0 to 30 degrees, with several
runs of each point and the scatter of a rig. Swing and force increase with the speed. The swing increases with
the angle up to 20 degrees; the force of all but the slowest strikes increases beyond. A slower probe stays in
contact longer. Slow strikes at 20 degrees have the largest scatter.

On the command line: ``dovetail campaign refuelling/strike-matrix``, 384 strikes; here it is every other angle
with three runs each.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from dovetail import campaign
from dovetail.report.style import RC
from dovetail.studies.registry import find_campaign

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

plan = campaign.load(
    find_campaign("refuelling/strike-matrix"),
    {"parameter.1.values": [0, 10, 20, 30], "parameter.2.values": [0, 1, 2]},
)
with tempfile.TemporaryDirectory() as folder:
    print(campaign.run(plan, Path(folder) / "out"))
    data = campaign.open_results(Path(folder) / "out")
    print("\n".join(campaign.analyse(Path(folder) / "out")))

# %%
# Mean of the runs (line) and every run (dots); one colour for each speed.

figure, panels = plt.subplots(1, 3, figsize=(9, 3.6), layout="constrained")
colours = plt.get_cmap("viridis")
measures = (
    ("swing", 1e3, "largest swing of the drogue [mm]"),
    ("force", 1.0, "largest force on the probe [N]"),
    ("contact_time", 1e3, "time in contact [ms]"),
)
for axes, (name, scale, words) in zip(panels, measures, strict=True):
    for k, speed in enumerate(data.speed.values):
        one = scale * data[name].sel(speed=speed)
        colour = colours(0.9 - 0.8 * k / (data.sizes["speed"] - 1))
        axes.plot(data.angle, one.mean("run"), color=colour, lw=1.2, label=f"{speed:g} m/s")
        for run in data.run.values:
            axes.plot(data.angle, one.sel(run=run), ".", ms=4, color=colour)
    axes.set(xlabel="angle of the strike [deg]", ylabel=words)
    axes.set_ylim(bottom=0)
panels[0].legend()
plt.show()
