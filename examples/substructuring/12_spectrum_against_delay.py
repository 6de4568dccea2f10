"""
Spectrum against delay
======================

The spectrum of a hybrid test shows how close it is to instability. Beside the peak of the excitation at 3 Hz
there is one of the free oscillation near 7 Hz, which the start of the test excites. With increasing delay it
decays more slowly; beyond the critical delay it grows.

All runs are one batch: the loop is compiled once and mapped over the delay.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import COLOURS, RC
from dovetail.stability.single_interface import critical_delay
from dovetail.studies.substructuring.reproduce import K_S, C, K, M, cs1
from dovetail.studies.substructuring.reproduce_cs1 import HELD, spectra

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

delays = np.linspace(1e-3, 10e-3, 37)  # [s] in all, of which half a tick is that of the held force
found = spectra(delays - HELD, duration=5.0)
limit = float(critical_delay(m=M, c=C, k=K, k_s=K_S))

# %%
# The height of the second peak follows the growth rate of the delay equation.

second = found.sel(frequency=slice(6.0, 8.5)).max("frequency")
growth = [cs1(tau=float(tau)).growth() for tau in delays]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), width_ratios=(1.5, 1), layout="constrained")
picture = left.pcolormesh(
    found.frequency, 1e3 * delays, np.log10(1e3 * found), cmap="cividis", vmin=-2, vmax=1.5, shading="gouraud"
)
left.axhline(1e3 * limit, color="white", ls="--", lw=1)
left.text(0.2, 1e3 * limit + 0.15, f"critical delay {1e3 * limit:.2f} ms", color="white")
left.set(xlabel="frequency [Hz]", ylabel="delay [ms]", title="amplitude spectrum of the demand, 5 s")
left.grid(False)
bar = figure.colorbar(picture, ax=left, ticks=[-2, -1, 0, 1])
bar.ax.set_yticklabels(["0.01", "0.1", "1", "10"])
bar.set_label("amplitude [mm]")

right.semilogy(growth, 1e3 * second, "o-", color=COLOURS["measured"], ms=4)
right.axvline(0, color=COLOURS["critical"], ls="--", lw=1)
right.set(xlabel="growth rate [1/s]", ylabel="height of the second line [mm]", title="7 Hz line")
plt.show()
