"""
An operating envelope
=====================

A light skid aircraft on the deck of a frigate, forty seconds of sea at every point, in a wind of 8 m/s from
starboard. Left: slip of the free aircraft. Right: largest load of a clamp of the securing device. The angle is
the direction in which the waves travel: 0 following, 90 from starboard, 180 head sea; the radius is the sea
state.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import RC
from dovetail.sea import BoxShip, SecuringEnvelope

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

envelope = SecuringEnvelope(
    response=BoxShip(roll_damping=0.08),
    sea_states=np.arange(3.0, 7.1, 0.5),
    headings=np.deg2rad(np.arange(0.0, 360.0, 15.0)),
    wind_speeds=(8.0,),
    wind_from=(np.pi / 2,),
    duration=40.0,
    chunk=108,
)
data = envelope.compute().isel(wind_speed=0, wind_from=0)
print(envelope.summary(data.expand_dims(["wind_speed", "wind_from"], axis=[2, 3])))

angle = np.append(data.heading.values, 2 * np.pi)
state = data.sea_state.values
figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", subplot_kw={"projection": "polar"})
for axis, values, label, colours in (
    (axes[0], np.log10(1e3 * data.slip.values), "slip of a foot [mm]", "magma_r"),
    (axes[1], data.securing_load.values, "largest load of a clamp [N]", "viridis"),
):
    closed = np.column_stack([values, values[:, :1]])
    drawn = axis.contourf(angle, state, closed, 24, cmap=colours)
    bar = figure.colorbar(drawn, ax=axis, label=label, shrink=0.8)
    axis.set_theta_zero_location("N")
    axis.set_rlabel_position(200)
    axis.set_yticks([3, 4, 5, 6, 7])
    axis.grid(alpha=0.3)
    if axis is axes[0]:
        axis.contour(angle, state, closed, [np.log10(100.0)], colors="black", linewidths=1)
        bar.set_ticks([1, 2, 3], labels=["10", "100", "1000"])
axes[0].set_title("free: beyond the line it slides", fontsize=10)
axes[1].set_title("held by the device", fontsize=10)
plt.show()
