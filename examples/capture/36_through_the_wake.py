"""
Through the wake
================

The device starts level with the aircraft and sinks through its wake. In the source, ropes of 200 and 250 m
oscillate there for a long time, while a rope of 300 m hangs below; its wake and device are not printed. Here
the wake is a vortex pair that carries the aircraft, and the device is a point or a rigid body with four fins.
"""

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from dovetail.air import PointDevice, RampCommand, RigidDevice, VortexPair, settling_measures
from dovetail.air.wind import FreeStream
from dovetail.studies.capture.assembly import capture_system, rope
from dovetail.studies.capture.reproduce_capture import fleet

# %%
# The velocity between and around the vortices at 170 m/s (instead of figure 4.23).

wake = VortexPair(deficit=0.1)
y, z = np.meshgrid(np.linspace(-50, 50, 41), np.linspace(-60, 5, 27))
places, stream = (
    np.stack([0 * y, y, z]).reshape(3, -1),
    FreeStream(speed=jnp.asarray(170.0), density=jnp.asarray(0.7)),
)
flow = np.asarray(wake.velocity(jnp.asarray(0.0), jnp.asarray(places), stream)).reshape(3, *y.shape)
figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
speed = axes.pcolormesh(y, z, np.hypot(flow[1], flow[2]), cmap="Blues", shading="gouraud")
axes.quiver(
    y[::2, ::2], z[::2, ::2], flow[1, ::2, ::2], flow[2, ::2, ::2], angles="xy", scale=250, width=2e-3
)
axes.set(xlabel="to port [m]", ylabel="height [m]")
figure.colorbar(speed, label="[m/s]")

# %%
# Settling without and with the wake, for three lengths (figure 4.24). The wake increases the first swing. It
# ends at 50 m without transition, as the source describes no edge: with the rigid device the shorter ropes, which
# swing across that edge, settle later than the longest. Their long oscillation in the source is not reproduced.

point = PointDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5, trim="dynamic")
rigid = RigidDevice(mass=150.0, drag_area=0.7909, trim_lift=171.5, trim="dynamic")
cases = {
    "no wake, point": (point, VortexPair(aircraft_mass=1.0)),
    "wake, point": (point, wake),
    "wake, rigid": (rigid, wake),
}
lengths = (200.0, 250.0, 300.0)
figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained", sharey=True)
print(f"{'5 % settling time [s]':<24}" + "".join(f"{length:>8g} m" for length in lengths))
for name, (device, field) in cases.items():
    tips = fleet([capture_system(rope(length=x), device=device, wake=field) for x in lengths], duration=100.0)
    t = np.arange(len(tips[0])) * 1e-2
    print(f"{name:<24}" + "".join(f"{settling_measures(t, -tip[:, 2]).settling_time:>10.1f}" for tip in tips))
    for axes, tip, length in zip(panels, tips, lengths, strict=True):
        axes.plot(t, -tip[:, 2], lw=1, label=name)
        axes.set(xlabel="time [s]", title=f"{length:g} m", xlim=(0, 60))
panels[0].set(ylabel="depth [m]", ylim=(110, 0))
panels[0].legend()
for axes in panels:
    axes.axhspan(0, 50, color="0.94")

# %%
# 300 m with commands, with and without the wake (figures 4.25 and 4.26): the swings are larger only while the
# rope crosses the wake.

command = RampCommand(angle=[[0.1, 0.0], [0.0, 0.1]], start=[40.0, 60.0], ramp=10.0)
steered = PointDevice(
    mass=150.0, drag_area=0.7909, trim_lift=171.5, lift_area=0.791, side_area=0.791, trim="dynamic"
)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for name, field in (("no wake", VortexPair(aircraft_mass=1.0)), ("wake", wake)):
    (tip,) = fleet(
        [capture_system(rope(length=300.0), device=steered, command=command, wake=field)], duration=100.0
    )
    t = np.arange(len(tip)) * 1e-2
    left.plot(t, -tip[:, 2], lw=1.2, label=name)
    right.plot(t, -tip[:, 1], lw=1.2)
left.set(xlabel="time [s]", ylabel="depth [m]")
right.set(xlabel="time [s]", ylabel="to starboard [m]")
left.invert_yaxis()
left.legend()
plt.show()
