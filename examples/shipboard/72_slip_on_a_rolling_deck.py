"""
Slip on a rolling deck
======================

A deck rolls slowly until the aircraft slides. With a Coulomb slider it slips when the tangent of the roll angle
reaches the friction coefficient. With bristles whose static friction is twice their sliding friction, the
uphill foot, which is loaded less and less, slips first and transfers its load to the other foot. The aircraft
then slides earlier than static friction alone predicts.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import RC
from dovetail.studies.shipboard.assembly import run

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

figure, axes = plt.subplots(2, 2, figsize=(9, 5), sharex=True, sharey="row", layout="constrained")
for column, (name, title, limits) in enumerate(
    (
        ("case-5-slip-coulomb", "Coulomb's slider, 0.2", (0.2,)),
        ("case-5-slip", "bristles, 0.4 falling to 0.2", (0.2, 0.4)),
    )
):
    data = run(name)
    angle = data["platform_angle"].values[:, 0]
    force = data["contact_force"].values
    along = force[..., 0] * np.cos(angle)[:, None] + force[..., 1] * np.sin(angle)[:, None]
    across = -force[..., 0] * np.sin(angle)[:, None] + force[..., 1] * np.cos(angle)[:, None]
    standing = data["node_position"].values[:, 0, 1] > -1.0
    standing &= np.all(across > 5.0, axis=1)
    for foot, side in enumerate(("uphill", "downhill")):
        axes[0, column].plot(-angle[standing], across[standing, foot], lw=1, label=f"foot {side}")
        used = np.abs(along[standing, foot]) / across[standing, foot]
        axes[1, column].plot(-angle[standing], used, lw=1)
    for limit in limits:
        axes[1, column].axvline(np.arctan(limit), color="0.6", lw=0.8, ls=":")
    axes[0, column].set_title(title)
    axes[1, column].set(xlabel="roll of the deck [rad]", ylim=(0, 0.6), xlim=(0, 0.43))
axes[0, 0].set_ylabel("normal force [N]")
axes[1, 0].set_ylabel("friction over normal force")
axes[0, 0].legend(loc="upper left")
plt.show()
