"""
A complete mission
==================

Recovery flight, touchdown on a deck that heaves, sways and rolls, capture by the clamps, power-down, traverse,
a gust on the stopped rotor, power-up, release, launch: 47 seconds in one run. A simple pilot model replaces the
published control tables, which are not available.
"""

import matplotlib.pyplot as plt

from dovetail.mechanics.airframe import deck_outcome, phases
from dovetail.report.ship_deck import deck_animation
from dovetail.report.style import RC
from dovetail.studies.shipboard.assembly import loaded

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

run = loaded("case-8").simulate()
stretches = phases(run.test.numerical, run.data)
for phase in stretches:
    loads = f"{phase.foot_load:5.0f} N on a foot, {phase.clamp_load:5.0f} N on a clamp"
    print(f"{phase.name:<10} {phase.start:5.2f} to {phase.end:5.2f} s, at most {loads}")
print(deck_outcome(run.test.numerical, run.data).summary())

# %%
# Animation, four times faster than real time. Arrows are the forces on the feet.
moving = deck_animation(run, fps=8.0, speed=4.0, half=1.9)

# %%
# Height, roll and rotor thrust.
data, time = run.data, run.data.time.values
figure, axes = plt.subplots(3, 1, figsize=(8, 6), sharex=True, layout="constrained")
axes[0].plot(time, data["displacement"].values[:, 1])
axes[0].set_ylabel("height [m]")
axes[1].plot(time, data["attitude_angles"].values[:, 0], label="aircraft")
axes[1].plot(time, data["platform_angle"].values[:, 0], label="ship", lw=1)
axes[1].set_ylabel("roll [rad]")
axes[1].legend()
axes[2].plot(time, data["air_wrench"].values[:, 1], label="air loads up")
axes[2].plot(time, data["contact_force"].values[:, :, 1].sum(1), label="feet", lw=0.8)
axes[2].set(ylabel="force up [N]", xlabel="time [s]", ylim=(-400, 1400))
axes[2].legend(ncols=2)
plt.show()
