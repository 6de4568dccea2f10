"""
A drop on skids
===============

A helicopter of 50 kg with hinged skids falls 0.25 m onto a deck. Its skids are beams, its struts springs with
dampers, the deck a stiff spring. Every step ends at the time at which a foot touches, and the energy is
audited.
"""

import matplotlib.pyplot as plt

from dovetail.studies.shipboard.assembly import run

data = run("case-1", (("duration", 1.5),))
time = data.time.values

# %%
# Height, loads on the feet, and energies.
figure, (height, load, energy) = plt.subplots(3, 1, sharex=True, figsize=(7, 7), layout="constrained")
height.plot(time, data["displacement"].values[:, 1])
height.axhline(0.5311, color="0.6", lw=0.8)
height.set_ylabel("centre of gravity [m]")
load.plot(time, data["contact_force"].values[:, 0, 1])
load.set_ylabel("load on a foot [N]")
for name, label in (
    ("kinetic_energy", "kinetic"),
    ("gravity_energy", "gravity"),
    ("elastic_energy", "gear and struts"),
):
    energy.plot(time, data[name].values - data[name].values[-1] * (name == "gravity_energy"), label=label)
energy.plot(time, -data["work_by_source"].values.sum(1), label="lost")
energy.set_ylabel("energy [J]")
energy.set_xlabel("time [s]")
energy.legend(ncols=2)
plt.show()

# %%
# The residual of the energy audit:
residual = float(abs(data["energy_residual"]).max())
print(f"residual {residual:.1e} J of {float(-data['work_by_source'].values[-1].sum()):.0f} J lost")
