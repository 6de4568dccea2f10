"""
A drop on a ball: slowly, at full speed, and in real time
=========================================================

A plate falls on a tennis ball. Tested slowly, as a robot does it step by step, the ball shows its hardening and its
hysteresis, but not what speed adds. Tested in real time with hydraulics that are late, the ball gives back more than
it took.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.studies.refuelling import pictures, reproduce_drop
from dovetail.studies.registry import find_test

# %%
# Slow against full speed: trajectory, the first impact, the loops of four contacts.

slow, fast = reproduce_drop.dropped(), reproduce_drop.dropped(True)
figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
pictures.drop(axes, slow, fast)
axes[0].legend()
axes[2].legend(title="contact")
plt.show()

# %%
# In real time. The actuator is late by 11 ms and lags by 15 ms. Inverting the lag and predicting over the delay is the
# usual remedy. It follows the fall and does not see the ball coming: here, exactly known and without noise, it still
# does well; over the 120 ms of a robot's interface it would not.

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
