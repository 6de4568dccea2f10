"""
Secured and traversed
=====================

Two wedges spread from inside the skids and hold them; then the device moves the aircraft along the deck. During
acceleration the front clamp has the larger load, during deceleration the rear one. The three distances between
device, airframe and clamps remain constant to a fraction of a millimetre.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.mechanics.airframe import phases
from dovetail.report.ship_deck import DeckScene, draw
from dovetail.report.style import RC
from dovetail.studies.shipboard.assembly import loaded
from dovetail.studies.shipboard.reproduce_contact import DEVICE, LEFT, RIGHT, distances

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

run = loaded("case-7-traverse").simulate()
scene, data = DeckScene(run), run.data
time = data.time.values
for phase in phases(run.test.numerical, data):
    print(
        f"{phase.name:<10} {phase.start:5.2f} to {phase.end:5.2f} s, largest load of a clamp {phase.clamp_load:.0f} N"
    )

# %%
# Before the motion, while the wedges spread, and at the end.
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
for axis, t in zip(panels, (0.9, 1.4, time[-1]), strict=True):
    k = int(np.argmin(np.abs(time - t)))
    draw(axis, scene, k)
    x = scene.position[k, 0]
    axis.set(xlim=(x - 0.7, x + 0.7), ylim=(-0.15, 0.85), title=f"{t:.1f} s", xlabel="port [m]")
panels[0].set_ylabel("up [m]")
plt.show()

# %%
# Loads of the clamps, and the three distances.
figure, (load, apart) = plt.subplots(2, 1, figsize=(7.5, 5), sharex=True, layout="constrained")
force = data["pair_normal_force"].values
load.plot(time, force[:, 0, LEFT], label="left clamp")
load.plot(time, force[:, 1, RIGHT], label="right clamp")
load.set_ylabel("load of a clamp [N]")
load.legend()
change = 1e3 * (distances(data) - distances(data)[-1])
for column, label in zip(
    change.T, ("airframe to device", "left foot to clamp", "right foot to clamp"), strict=True
):
    apart.plot(time, column, label=label)
apart.set(xlabel="time [s]", ylabel="distance less that at the end [mm]", ylim=(-2, 2))
apart.legend()
print(f"device at {data['platform_position'].values[-1, DEVICE, 0]:.2f} m at the end")
plt.show()
