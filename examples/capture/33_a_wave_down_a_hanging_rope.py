"""
A wave runs down a hanging rope
===============================

The support of a hanging rope of 10 m moves sideways and back within a second. A wave runs down and reaches the
free end two seconds later, like a whip. The example compares numbers of rods, bending stiffness and friction.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.studies.capture.reproduce import hanging_modes, pulse

run = dv.load("capture/support-pulse").simulate()
nodes, time = run.data["node_position"].values, run.data.time.values

# %%
# The rope every 0.2 s (figure 4.10 of the source).

figure, axes = plt.subplots(figsize=(9, 3.6), layout="constrained")
for k, t in enumerate(np.arange(0, 3.61, 0.2)):
    x, _, z = nodes[round(t * 200)]
    axes.plot(x + 1.6 * k, z, color="C0" if t < 2.02 else "C1", lw=1.2)
    axes.text(1.6 * k, 0.4, f"{t:.1f}", ha="center")
axes.set(ylabel="z [m]", xlabel="x [m], each rope 1.6 m further; above: time [s]")
axes.set_aspect("equal")
axes.set(ylim=(-10.5, 1.2), yticks=(-10, -5, 0))

# %%
# Angle of the last rod with 10, 30 and 70 rods (figure 4.13), and without stiffness and friction, where the end
# rotates several times (figure 4.11). The travel time of the wave is :math:`2\sqrt{L/g}` = 2.02 s.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for n in (10, 30, 70):
    found = pulse(n, True)
    left.plot(found["time"], found["last_angle"], lw=1, label=f"{n} rods")
left.axvline(2.02, color="0.6", lw=0.8)
left.set(xlabel="time [s]", ylabel="angle of the last rod [rad]")
left.legend()
right.plot(pulse(70, False)["time"], pulse(70, False)["last_angle"] / (2 * np.pi), lw=1)
right.set(xlabel="time [s]", ylabel="turns of the last rod", title="no stiffness, no friction")

# %%
# Energy and its residual (figure 4.12): the support does work for one second.

data = run.data
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 2.8), layout="constrained")
total = data["kinetic_energy"] + data["gravity_energy"] + data["elastic_energy"]
left.plot(time, total - total[0], label="energy gained")
left.plot(time, data["external_work"], "--", label="work of the support")
left.plot(time, data["damping_work"], label="work of the dampers")
left.set(xlabel="time [s]", ylabel="[J]")
left.legend()
right.plot(time, data["energy_residual"])
right.set(xlabel="time [s]", ylabel="residual [J]")

exact = np.array([2.40483, 5.52008, 8.65373, 11.79153, 14.93092]) / 2 * np.sqrt(9.81 / 10)  # Bessel's zeros
print("frequencies [rad/s]:", np.round(hanging_modes(), 4), "continuous rope:", np.round(exact, 4))
plt.show()
