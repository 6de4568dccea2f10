"""
A rope behind an aircraft
=========================

A capture device of 150 kg is released on 250 m of rope behind an aircraft at 170 m/s. It drops, swings and
settles below the wake. The system runs with two formulations of the rope: rods with angles, as published, and
inextensible links with a banded solver, which is many times faster.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.air import PointDevice, TowedRope, settling_measures
from dovetail.mechanics.chain import LinkChain, RodChain

mass = 0.329 * 250  # [kg]
rods = RodChain(
    n=20,
    length=250.0,
    mass=mass,
    stiffness=6.25e6,
    axial_damping=50 * mass * 250.0,
    bending=225.0,
    joint_damping=10 * mass,
)
links = LinkChain(n=20, length=250.0, mass=mass, bending=225.0, joint_damping=10 * mass)

# %%
# Both formulations accept the same loads, so the rest of the system is equal.

figure, (side, depth) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for name, chain in (("rods", rods), ("links", links)):
    system = TowedRope(chain=chain, device=PointDevice(mass=150.0), density=0.7)
    run = dv.Test(system, axes=("x", "y", "z"), rate=50.0, substeps=2, duration=60.0, title=name).simulate()
    tip = run.data["displacement"].values
    found = settling_measures(run.data.time.values, -tip[:, 2])
    print(
        f"{name}: {found.final:.1f} m deep, first peak {found.peak:.1f} m, settled after {found.settling_time:.1f} s"
    )
    depth.plot(run.data.time, -tip[:, 2], label=name)
    if name == "links":
        for k in np.linspace(0, 600, 9).astype(int):
            nodes = run.data["node_position"].values[k]
            side.plot(nodes[0], nodes[2], color=str(0.85 - k / 800))

side.set(xlabel="x [m], forward", ylabel="z [m], up", title="the first 12 s")
depth.set(xlabel="time [s]", ylabel="depth of the tip [m]", title="settling")
depth.axhspan(0, 50, color="0.93")
depth.text(40, 6, "wake")
depth.legend()
depth.invert_yaxis()
plt.show()
