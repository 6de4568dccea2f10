"""
Strikes on a drogue in flight
=============================

A probe hits a drogue behind its tanker at 1.5 m/s, off its axis. The drogue tilts, slides along the probe and
latches, or the run is stopped by the limit of the force sensor. The figures are those of the thesis; the
stiffness of the drogue is a surrogate.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.studies.refuelling import pictures
from dovetail.studies.refuelling.reproduce_strikes import full_scale, scaled

# %%
# Full scale, until the latch: trajectories in the frame of the tanker, attitude, wrench, tension. After the
# latch the receiver pushes the hose; see *After the latch*.


def until_latched(run: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values[: int(run["until"])] for name, values in run.items() if name != "until"}


strikes = {f"{1e3 * offset:.0f} mm": until_latched(full_scale(offset)) for offset in (0.05, 0.1, 0.2)}
figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
pictures.trajectory(axes[0, 0], strikes)
pictures.drogue_attitude_change(axes[0, 1], strikes)
pictures.wrench((axes[0, 2], axes[1, 2]), strikes)
pictures.tension(axes[1, :2], strikes)
axes[0, 0].legend(title="off the axis")
plt.show()
for label, run in strikes.items():
    tip, moment = (
        np.degrees(np.abs(run["drogue_attitude_change"][:, 0]).max()),
        np.abs(run["force"][:, 4]).max(),
    )
    print(f"{label:>7}: tips by {tip:.1f} deg, {moment:.0f} N m, latched after {run['time'][-1]:.3f} s")

# %%
# The scaled test, just below the rim, for four seconds: contact is lost and made again while the nozzle moves
# to the centre. The tension drops at once, and a wave runs up the hose and back.

small = {"scaled": scaled()}
figure, axes = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
pictures.trajectory(axes[0, 0], small)
pictures.drogue_attitude_change(axes[0, 1], small)
pictures.wrench((axes[0, 2], axes[1, 2]), small)
pictures.tension(axes[1, :2], small)
plt.show()
