"""
Straightened on deck
====================

A three-dimensional aircraft has landed with a yaw error of seven degrees. The clamps, long bars between the
skids, spread and straighten it; then the device turns it towards the hangar and moves it. The gear has
twenty-four nodes of twelve-freedom beams, reduced to its slow modes.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.ship_deck import DeckScene
from dovetail.report.style import RC
from dovetail.studies.shipboard.assembly import loaded

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

run = loaded("spatial-straighten").simulate()
data, scene = run.data, DeckScene(run)
time = data.time.values

# %%
# Top view: skids, legs, clamps.
figure, panels = plt.subplots(1, 4, figsize=(9, 3.7), sharey=True, sharex=True, layout="constrained")
above = (1, 0)
for axis, t in zip(panels, (0.9, 2.6, 6.2, 8.9), strict=True):
    k = int(np.argmin(np.abs(time - t)))
    for i, shade in ((1, "#e4e8ec"), (2, "#d9a34a"), (3, "#d9a34a")):
        axis.fill(*scene.platform(i, k, above).T, color=shade)
    for a, b in scene.pairs_of_nodes:
        axis.plot(*scene.nodes[k][[a, b]][:, list(above)].T, color="#0072b2")
    axis.set(title=f"{t:.1f} s", aspect="equal", xlabel="port [m]", xlim=(-0.9, 0.9), ylim=(-0.9, 1.1))
panels[0].set_ylabel("forward [m]")
plt.show()

# %%
# Yaw of the aircraft and of the device, and the largest load of each clamp.
figure, (yaw, load) = plt.subplots(2, 1, figsize=(7.5, 4.6), sharex=True, layout="constrained")
yaw.plot(time, data["attitude_angles"].values[:, 2], label="aircraft")
device = np.array([float(run.test.numerical.platforms[1].motion.pose(t)[5]) for t in time])
yaw.plot(time, device, label="device", ls="--")
yaw.set_ylabel("yaw [rad]")
yaw.legend()
pairs = data["pair_normal_force"].values
for i in (2, 3):
    load.plot(time, pairs[:, :, i].max(1), label=run.test.numerical.platforms[i].name, lw=1)
load.set(xlabel="time [s]", ylabel="largest load [N]")
load.legend()
plt.show()
