"""
Five blades, five dampers, one hub
==================================

The five blades of a rotor are coupled through the hub, which moves in the plane of rotation on the aircraft
below. Each blade has its lag damper on a separate actuator. Flight builds up in the first four seconds, then
the measured forces replace simulated ones.

Five equal dampers transmit to the aircraft only multiples of five per revolution: each blade repeats the motion
of the others a fifth of a revolution later. The third damper with air in its oil and the fifth with a weak
valve spring break this symmetry, and the aircraft vibrates once per revolution. Therefore dampers are balanced
in sets.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring import lag_damper

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

test = lag_damper.five_blades()
unequal = test.rehearse()
equal = lag_damper.with_damper(test, lag_damper.first_damper()).rehearse()
print(unequal)

# %%

figure, axes = plt.subplots(2, 2, figsize=(9, 6), width_ratios=(1.6, 1), layout="constrained")
(history, loops), (hub, spectrum) = axes
part = unequal.data.sel(time=slice(0, 12))
for blade, colour in zip(range(5), plt.cm.viridis(np.linspace(0.0, 0.9, 5)), strict=True):
    one = part.isel(axis=blade)
    history.plot(one.time, 1e3 * one.displacement, color=colour, lw=0.6)
    last = one.sel(time=slice(11.0, 12.0))
    loops.plot(1e3 * last.velocity, -1e-3 * last.measured_force, color=colour, lw=1, label=f"{blade + 1}")
history.set(xlabel="time [s]", ylabel="piston displacement [mm]", ylim=(-20, 20))
history.text(0.1, 16, "flight builds up")
history.text(5.1, 16, "measured force takes over")
for t in (4.0, 5.0, 9.0):
    history.axvline(t, color=COLOURS["ink"], lw=0.6, ls=":")
loops.set(xlabel="velocity [mm/s]", ylabel="resisting force [kN]")
loops.legend(title="damper", loc="upper left")

kinds = (equal, COLOURS["reference"], "equal dampers"), (unequal, COLOURS["critical"], "unequal")
for run, colour, label in kinds:
    width = 2.5 if run is equal else 0.9
    late = run.data.sel(time=slice(10.0, 12.0))
    forward = late.hub_displacement.values[:, 0]
    hub.plot(late.time, 1e6 * (forward - forward.mean()), color=colour, lw=width, label=label)
    values = forward[-2000:]  # seven revolutions
    window = np.hanning(len(values))
    lines = 2 * np.abs(np.fft.rfft((values - values.mean()) * window)) / window.sum()
    spectrum.semilogy(np.fft.rfftfreq(len(values), 1e-3) / 3.5, 1e6 * lines, color=colour, lw=width)
hub.set(xlabel="time [s]", ylabel="hub, forward [µm]")
hub.set_ylim(-100, 160)
hub.legend(loc="upper right", ncols=2)
spectrum.set(xlabel="per revolution", ylabel="hub, forward [µm]", xlim=(0, 12), ylim=(1e-4, 300))
spectrum.set_xticks(range(0, 13))
plt.show()
