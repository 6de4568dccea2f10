"""
Three methods for robustness
============================

Phase advance (alpha), additional numerical damping (zeta) and a parallel model of the specimen (gamma) each
halve the resonant peak of this loop and tolerate about twice the delay. They differ without delay: alpha and
zeta change the response; gamma does not if its model is exact.

Lines: theory. Dots: 72 rehearsals in four batches, with 6 % noise on the force and the actuator delay predicted
except for a residual.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring import reproduce_cs1 as cs1

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

frequencies = np.linspace(2.0, 11.0, 400)
cases = {
    "none": ("none", COLOURS["ink"]),
    "alpha": ("alpha = 1.5", COLOURS["measured"]),
    "zeta": ("twice the damping ratio", COLOURS["command"]),
    "gamma": ("gamma = 0.5", COLOURS["demand"]),
}
horizons = np.array([cs1.ACTUATOR + cs1.HELD - hat / cs1.omega_n() for hat in cs1.TABLE_DELAYS])
measured = {case: cs1.measured_responses(case, np.array(cs1.TABLE_FREQUENCIES), horizons) for case in cases}

# %%
# Delays: none, half and almost all of the critical delay of the plain loop.

figure, axes = plt.subplots(1, 3, figsize=(9, 3.8), sharey=True, layout="constrained")
for i, (ax, hat) in enumerate(zip(axes, cs1.TABLE_DELAYS, strict=True)):
    for case, (label, colour) in cases.items():
        theory = np.abs(cs1.response(case, hat)(2j * np.pi * frequencies))
        ax.loglog(frequencies, theory, color=colour, label=label)
        ax.loglog(cs1.TABLE_FREQUENCIES, measured[case][i], "o", color=colour, ms=4)
    ax.set(xlabel="frequency [Hz]", xlim=(2, 11), ylim=(0.3, 40))
    ax.set_title("no delay left" if hat == 0 else f"{1e3 * hat / cs1.omega_n():.1f} ms left")
    ax.set_xticks([2, 3, 5, 7, 10], ["2", "3", "5", "7", "10"])
    ax.minorticks_off()
axes[0].set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
axes[0].set_ylabel("|D|, force of the specimen\nover the wall's")
axes[0].legend(loc="upper left")
plt.show()
