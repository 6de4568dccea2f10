"""
Stability map of two actuators
==============================

Three masses in line, the middle one physical, between two actuators. With equal delays the test becomes
unstable at 2.52 ms (soft) and 3.31 ms (stiff), first in the anti-phase mode. With unequal delays their *sum*
decides: a delayed actuator can be balanced by one without delay, and one delay above the limit is not
necessarily unstable.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import COLOURS, RC
from dovetail.stability import critical_delay, maps
from dovetail.studies.substructuring.reproduce_cs1 import ready
from dovetail.studies.substructuring.reproduce_cs2 import unequal
from dovetail.testing.linearised import delay_equation

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

delays = np.linspace(0.0, 8e-3, 17)
sets = {"cs2": "k = 4750 N/m, c = 6 N s/m", "cs2-high": "k = 9000 N/m, c = 15 N s/m"}

# %%
# Growth rate of the dominant pole over both delays, the stability boundary, and the critical equal delay.

figure, axes = plt.subplots(1, 2, figsize=(9, 4.3), sharey=True, layout="constrained")
for ax, (name, title) in zip(axes, sets.items(), strict=True):
    equation = unequal(name)
    growth = maps.stability_grid(equation, delays, delays)
    alone = maps.unequal_delays(equation, 0.0, up_to=0.01).first[
        0
    ]  # limit of the first without delay of the second
    limit = maps.unequal_delays(equation, np.linspace(0.0, 0.9999 * alone, 15), up_to=0.01)
    equal = critical_delay(delay_equation(ready(name)))
    ax.contourf(
        1e3 * delays,
        1e3 * delays,
        growth,
        levels=np.arange(-4, 11, 1.0),
        cmap="RdBu_r",
        vmin=-10,
        vmax=10,
        extend="both",
    )
    ax.plot(1e3 * limit.second, 1e3 * limit.first, color=COLOURS["ink"], lw=2)
    ax.plot([0, 8], [0, 8], color=COLOURS["ink"], lw=0.8, ls=":")
    ax.plot(1e3 * equal, 1e3 * equal, "o", color=COLOURS["ink"])
    ax.annotate(
        f"{1e3 * equal:.2f} ms each", (1e3 * equal, 1e3 * equal), (1e3 * equal + 0.6, 1e3 * equal - 0.2)
    )
    ax.text(0.6, 0.5, "stable")
    ax.text(5.4, 6.9, "unstable")
    ax.set(xlabel="delay of the second actuator [ms]", xlim=(0, 8), ylim=(0, 8), title=title, aspect="equal")
    ax.grid(False)
axes[0].set_ylabel("delay of the first actuator [ms]")
figure.colorbar(axes[0].collections[0], ax=axes, label="growth rate [1/s]")
plt.show()
