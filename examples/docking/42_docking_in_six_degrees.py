"""
A docking in six degrees of freedom, reference and on a rig
===========================================================

A chaser of 360 kg moves its probe into the drogue of a target of 770 kg, with 7.5 degrees of pitch and 75 mm
too high. In the reference solution the probe bounces eight times and leaves the drogue. With a robot of 1 ms
total delay and a sensor table of 0.1 ms between computed motion and contact, every impact returns too much
energy. From the second impact on, the motion is a different one.
"""

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.mechanics.geometry import Drogue
from dovetail.report.map_page import mark_outcomes
from dovetail.report.style import RC
from dovetail.studies.docking import pictures, six_dof
from dovetail.studies.docking.docking_record import record
from dovetail.studies.docking.docking_steps import DockingSystem, SixAxisInstruments

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

bodies, ball = six_dof.published(), six_dof.ball()
assert isinstance(ball.cavity, Drogue)
reference = record(DockingSystem.of(bodies, ball))
rig = record(DockingSystem.of(bodies, ball, SixAxisInstruments(), contact_step=10e-6))
print(reference, rig, sep="\n\n")

# %%
# Path of the tip's centre in the drogue, side view. Dotted: position of the centre when the tip touches the
# cone. The first impact is common; after it, the probe on the rig rebounds faster.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), sharey=True, layout="constrained")
for axis, one, title, colour in (
    (axes[0], reference, "reference", pictures.BLUE),
    (axes[1], rig, "robot 1 ms, sensor 0.1 ms", pictures.ORANGE),
):
    pictures.trajectory(axis, one, ball.cavity, six_dof.TIP_RADIUS, colour)
    axis.set_title(title)

# %%
# The first impact, the only one that can be compared: force on the bodies, penetration and approach speed, and
# below them the errors. On the rig the contact force is delayed, so the penetration is larger and the contact
# longer.

figure, axes = plt.subplots(2, 3, figsize=(9, 5), sharex=True, layout="constrained")
pictures.first_impact(axes, reference, rig)
figure.legend(*axes[0, 2].get_legend_handles_labels(), loc="outside upper left", ncols=2)

# %%
# Its hysteresis: contact force over penetration. The area is the dissipated energy.

figure, axis = plt.subplots(figsize=(5, 3.6), layout="constrained")
for one, colour, label in ((reference, pictures.GREY, "reference"), (rig, pictures.ORANGE, "on the rig")):
    first = one.first
    inside = (one.time >= first.start) & (one.time <= first.start + first.duration)
    axis.plot(
        1e6 * one.traces["penetration"][inside], one.traces["normal_force"][inside], color=colour, label=label
    )
axis.set(xlabel="penetration [µm]", ylabel="normal force [N]")
axis.legend()

# %%
# Energies. The sum is constant to one part in ten thousand in the reference solution, and increases with every
# impact on the rig.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for axis, one, title in zip(axes, (reference, rig), ("reference", "on the rig"), strict=True):
    pictures.energies(axis, one)
    axis.set_title(f"{title}: {one.energy_ratio:.3f} of the initial energy")
axes[1].legend(loc="upper left")

# %%
# Errors of the first impact and its duration over the robot delay, for six pairs of masses. Lighter bodies have
# a shorter contact and a larger error.

parameter_map = dv.load("docking/robot-by-mass").map
table = parameter_map.compute()
figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
axes = axes.ravel()
for i, label in enumerate(parameter_map.labels(table)):
    shade = plt.get_cmap("viridis")(i / 6)
    for axis, name in zip(axes, ("force_error", "depth_error", "velocity_error"), strict=False):
        axis.loglog(1e3 * table.delay, table[name].isel(case=i), "o-", ms=3, color=shade, label=label)
    axes[3].plot(i, 1e3 * table.ideal_duration.isel(case=i), "o", color=shade)
for axis, title in zip(axes, ("peak force", "peak depth", "rebound"), strict=False):
    axis.set(xlabel="delay of the robot [ms]", title=f"error of {title} [%]", xticks=(0.5, 1, 2, 4, 10))
    for which in (axis.xaxis, axis.yaxis):
        which.set_major_formatter(lambda value, _: f"{value:g}")
        which.set_minor_formatter(lambda value, _: "")
axes[3].set(title="reference contact time [ms]", xticks=[], xlabel="10-10 kg … 360-770 kg", ylim=(0, None))
axes[0].legend()

# %%
# Approaches that dock: nine attitudes by nine heights, each cell a complete docking.

parameter_map = dv.load("docking/map").map
figure, axis = plt.subplots(figsize=(6.4, 5), layout="constrained")
mark_outcomes(axis, parameter_map.figure_data(parameter_map.compute()))
axis.set_xticks(range(-10, 11, 5))
figure.legend(loc="outside upper left", ncols=3, markerscale=0.4)
plt.show()
