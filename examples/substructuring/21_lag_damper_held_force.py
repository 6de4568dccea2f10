"""
A damper too steep for its sample rate
======================================

Blade and ideal lag damper, both simulated. Integrated in continuous time, as one system or as two coupled
substructures, the result is the same. With the damper force held over a millisecond, as in a real-time loop, it
alternates: with closed valves the damper is so steep that a held force overshoots, and the highest modes
oscillate at each zero of the velocity.

This is an artefact of the explicit, memoryless damper model. A real damper, whose oil is a spring, cannot
change its force that fast, so the hybrid test is smoother than its simulation. With the force held over 0.125
ms the oscillation disappears.
"""

import dataclasses

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring.reproduce_lag_damper import monolithic

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

test = dataclasses.replace(dv.load("substructuring/lag-damper-emulated"), duration=2.0)
fine = dataclasses.replace(test, rate=32000.0).reference().data
held = test.rehearse().data
eighth = dataclasses.replace(test, rate=8000.0).rehearse().data

# %%
# The same by SciPy, as one system of sixteen equations without an interface:

times = np.arange(0.0, 2.0, 1e-3)
force, velocity = monolithic(test, times)
apart = np.abs(fine.velocity.values[::32][: len(times)] - velocity).max() / np.abs(velocity).max()
print(f"substructured and monolithic differ by {apart:.1e} of the peak velocity")

# %%

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.6, 1), layout="constrained")
shown = slice(1.35, 2.0)
for data, colour, width, label in (
    (held, COLOURS["critical"], 0.9, "force held over 1 ms"),
    (eighth, COLOURS["measured"], 1.2, "held over 1/8 ms"),
    (fine, COLOURS["reference"], 3.0, "continuous"),
):
    part = data.sel(time=shown)
    order = 0 if data is fine else 2
    left.plot(part.time, 1e3 * part.velocity, color=colour, lw=width, label=label, zorder=order)
    right.plot(1e3 * part.velocity, -1e-3 * part.feedback_force, color=colour, lw=width, zorder=order)
left.set(xlabel="time [s]", ylabel="piston velocity [mm/s]", ylim=(-420, 560))
left.legend(loc="upper center", ncols=3)
right.set(xlabel="piston velocity [mm/s]", ylabel="resisting force [kN]")
plt.show()
