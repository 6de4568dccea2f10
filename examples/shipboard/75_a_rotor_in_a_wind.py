"""
A rotor in a wind
=================

A head wind meets the advancing side, starboard, faster than the retreating one. Left: thrust of the disc
elements, larger to starboard. Middle: induced velocity. Right: loads that a rigid rotor and a flapping one
transmit to the airframe. The flapping disc tilts back and to the side, and its hub has a fraction of the
moment.
"""

import dataclasses

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.layout_engine import ConstrainedLayoutEngine

from dovetail.air.rotor import Blade, Controls, FlappingRotor, HingedBlade, PittPeters, Rotor, Section
from dovetail.core import RK4
from dovetail.report.style import RC

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

blade = Blade(
    radius=3.0,
    chord=0.12,
    root_cutout=0.15,
    effective_radius=1.0,
    lift_slope=5.7,
    drag_offset=0.01,
    elements=30,
)
rotor = Rotor(blade, Section(), blades=2, sectors=36, inflow="iterated", tip_loss="prandtl")
controls = Controls(speed=60.0, collective=0.12)
winds = np.linspace(0.0, 20.0, 11)

loads = jax.jit(lambda v: rotor.loads(controls, wind=jnp.array([-v, 0.0, 0.0])))
disc = loads(15.0).disc
stiff = np.array([float(loads(v).moment[0]) for v in winds])

hinged = HingedBlade(radius=3.0, inertia=30.0, hinge=0.04)
flapping = FlappingRotor(dataclasses.replace(rotor, structure=hinged), wake=PittPeters())


@jax.jit
def settled(v: jax.Array) -> tuple[jax.Array, jax.Array]:
    u = {"controls": controls, "wind": jnp.array([-v, 0.0, 0.0])}
    x, _ = jax.lax.scan(
        lambda x, _: (RK4().step(flapping, 0.0, 4e-3, x, u, ())[0], None), flapping.init(), None, 500
    )
    return x["flap"], flapping.loads(x, u).moment


flap, moment = jax.vmap(settled)(jnp.asarray(winds))

figure = plt.figure(
    figsize=(9, 6.2), layout=ConstrainedLayoutEngine(w_pad=0.3)
)  # for the words beside the discs
grid = figure.add_gridspec(2, 2)
psi = np.append(rotor.azimuths, 2 * np.pi)
r = np.asarray(blade.effective_elements().r)
for i, (values, label) in enumerate(
    [
        (disc.thrust / blade.effective_elements().width, "thrust of a blade [N/m]"),
        (disc.induced, "induced velocity [m/s]"),
    ]
):
    axis = figure.add_subplot(grid[0, i], projection="polar", theta_offset=np.pi / 2)
    closed = np.vstack([values, values[:1]])
    drawn = axis.pcolormesh(psi, r, closed.T, cmap="viridis", shading="gouraud")
    figure.colorbar(drawn, ax=axis, label=label, shrink=0.75, pad=0.12)
    axis.set_xticks(np.deg2rad([0, 90, 180, 270]), ["nose", "port", "tail", "stbd."])
    axis.set_yticks([])
    axis.grid(False)
axis = figure.add_subplot(grid[1, :])
axis.plot(winds, stiff, label="stiff")
axis.plot(winds, moment[:, 0], label="flapping")
axis.set(xlabel="head-wind [m/s]", ylabel="rolling moment on the hub [N m]")
tilt = axis.twinx()
tilt.plot(winds, np.degrees(flap[:, 1]), "--", color="#9a9a9a")
tilt.plot(winds, np.degrees(flap[:, 2]), ":", color="#9a9a9a")
tilt.set_ylabel("tilt of the disc [deg]")
tilt.annotate("back", (14.0, np.degrees(flap[7, 1]) + 0.12), color="#666666", ha="right")
tilt.annotate("to starboard", (10.0, np.degrees(flap[7, 2]) - 0.3), color="#666666")
axis.legend(loc="lower center")
plt.show()
