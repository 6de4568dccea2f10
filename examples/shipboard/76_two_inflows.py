"""
Two inflow models and a measurement
===================================

The published formula of the induced velocity lacks the number of blades and contains the local speed instead of
the tip speed. Left: effect on the thrust of the S-76 model, 60 to 105 % more than the momentum balance. Middle:
position along the blade. Right: momentum theory with losses against the measured thrust of a two-bladed rotor
with short blades; the theory is 27 to 40 % too high.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.air.rotor import Rotor, hover
from dovetail.report.style import RC
from dovetail.studies.shipboard.rotors import CARADONNA, MEASURED, S76, S76_SPEED, SOUND

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

pitch = np.deg2rad(np.arange(3.0, 10.1, 0.5))
tables = {
    "as printed": hover(Rotor.as_published(S76), S76_SPEED, pitch),
    "momentum balanced": hover(Rotor(S76), S76_SPEED, pitch),
    "iterated": hover(Rotor(S76, inflow="iterated"), S76_SPEED, pitch),
}
figure, axes = plt.subplots(1, 3, figsize=(9, 3.8), layout="constrained")
for (name, table), style in zip(tables.items(), ("-", "-", ":"), strict=True):
    axes[0].plot(np.degrees(table.collective), table.C_T_over_solidity, style, label=name)
    at = table.C_t.sel(collective=np.deg2rad(8.0), method="nearest")
    axes[1].plot(table.radius / 1.42, at, style, label=name)
axes[0].set(xlabel="pitch [deg]", ylim=(0, 0.2))
axes[0].set_ylabel("$C_T$ over solidity", parse_math=True)
axes[0].legend()
axes[1].set_xlabel("radius over that of the tip")
axes[1].set_ylabel("$C_t$ of the section at 8 deg", parse_math=True)

sweep = np.deg2rad(np.linspace(2.0, 13.0, 23))
table = hover(Rotor(CARADONNA, blades=2, inflow="iterated", tip_loss="prandtl"), 0.439 * SOUND / 1.143, sweep)
axes[2].plot(np.degrees(sweep), 1e3 * table.C_T, label="iterated,\nPrandtl's losses")
axes[2].plot(
    list(MEASURED), [1e3 * c for _, c in MEASURED.values()], "o", label="measured (Caradonna\nand Tung)"
)
axes[2].set(xlabel="pitch [deg]", ylim=(0, 17))
axes[2].set_ylabel("1000 $C_T$", parse_math=True)
axes[2].legend(loc="upper left")
plt.show()
