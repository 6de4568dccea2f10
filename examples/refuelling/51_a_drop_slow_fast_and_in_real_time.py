"""
A drop on a ball: slow, at full speed, and in real time
=======================================================

A plate falls on a tennis ball. A slow test, step by step as with a robot, shows the hardening and the
hysteresis of the ball, but not its rate effects. In a real-time test with delayed hydraulics, the ball returns
more energy than it received.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.studies.refuelling import pictures, reproduce_drop
from dovetail.studies.registry import find_test

# %%
# Slow against full speed: trajectory, first impact, loops of four contacts.

slow, fast = reproduce_drop.dropped(), reproduce_drop.dropped(True)
figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
pictures.drop(axes, slow, fast)
axes[0].legend()
axes[2].legend(title="contact")
plt.show()

# %%
# In real time. The actuator has a delay of 11 ms and a lag of 15 ms. The usual compensation inverts the lag and
# predicts over the delay. It follows the fall but cannot anticipate the ball. Here, exactly known and without
# noise, it is sufficiently accurate; over the 120 ms of a robot interface it would fail.

runs = {"no rig between": dv.load("refuelling/drop-real-time").reference().data}
for name, label in (("drop-real-time", "late"), ("drop-real-time-predicted", "inverted and predicted")):
    run = dv.load(find_test(f"refuelling/{name}")).rehearse()
    runs[label] = run.data
    print(f"{label}: {run.outcome.value}")

figure, axis = plt.subplots(figsize=(7, 3.5), layout="constrained")
for (label, data), colour in zip(runs.items(), pictures.COLOURS, strict=False):
    axis.plot(data.time, 205 + 1e3 * data.displacement, color=colour, label=label)
axis.axhline(67, color="0.6", lw=0.8, ls="--")
axis.set(xlabel="time [s]", ylabel="height of the plate [mm]", ylim=(-50, 450))
axis.legend()
plt.show()

for label, data in runs.items():
    speed, below = data.velocity.values, data.displacement.values < -0.138  # where it touches the ball
    touched = int(np.argmax(below))
    left = touched + int(np.argmax(~below[touched:]))
    print(f"{label:<24} {-speed[touched]:.2f} m/s in, {speed[left]:.2f} m/s out")
