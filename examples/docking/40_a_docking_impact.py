"""
A docking impact, reference and on a rig
========================================

Two small spacecraft of 30 and 75 kg collide at 0.1 m/s; a half-sphere of polyimide hits a flat of aluminium. In
the reference solution they separate at 79 % of their speed. With an actuator of 1 ms total delay and a fast
force sensor the impact is harder and deeper and ends with 120 %: the rig has added more energy than the contact
dissipated.
"""

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.fidelity import energy_balance, impact_log
from dovetail.report.style import COLOURS, RC

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

test = dv.load("docking/hil-1dof")
reference, run = test.reference(), test.rehearse()
for name, one in (("reference", reference), ("rig", run)):
    print(f"{name:<6}", impact_log(one)[0])

# %%
# Force, penetration and speed from first touch, and the hysteresis of the contact. The area inside a loop is
# the energy that the contact dissipates. The loop of the rig is larger, but the bodies leave it faster.

figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
shown = (
    ("feedback_force", -1.0, "force [N]"),
    ("penetration", 1e6, "penetration [um]"),
    ("velocity", 1.0, "approach [m/s]"),
)
for axis, (name, scale, label) in zip(axes.flat, shown, strict=False):
    for one, colour, style, what in (
        (reference, COLOURS["reference"], "-", "reference"),
        (run, COLOURS["measured"], "--", "through the rig"),
    ):
        part = one.data.sel(time=slice(0.099, 0.108))
        axis.plot(1e3 * (part.time - 0.1), scale * part[name], color=colour, ls=style, label=what)
    axis.set(xlabel="time from touch [ms]", ylabel=label)
axes[0, 0].legend()
axes[0, 1].set_ylim(-20, 230)
for one, colour, style in ((reference, COLOURS["reference"], "-"), (run, COLOURS["measured"], "--")):
    part = one.data.sel(time=slice(0.099, 0.108))
    touching = part.where(part.penetration > 0, drop=True)
    axes[1, 1].plot(1e6 * touching.penetration, -touching.specimen_force, color=colour, ls=style)
axes[1, 1].set(xlabel="penetration [um]", ylabel="contact force [N]", title="hysteresis")

# %%
# Kinetic, stored and dissipated energy. Their sum is constant in the reference solution and increases on the
# rig.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for axis, one, title in zip(axes, (reference, run), ("reference", "through the rig"), strict=True):
    part = energy_balance(one).sel(time=slice(0.099, 0.108))
    for name, colour in (
        ("kinetic", "#1f6fb2"),
        ("stored", "#3a8a4d"),
        ("lost", "#d9730d"),
        ("balance", "#222222"),
    ):
        axis.plot(1e3 * (part.time - 0.1), 1e3 * part[name], color=colour, label=name)
    axis.set(xlabel="time from touch [ms]", title=title)
axes[0].set_ylabel("energy [mJ]")
axes[0].legend()
plt.show()
