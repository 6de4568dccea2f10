"""
The smallest sufficient compensation
====================================

The inverse of the lag-damper test is detuned step by step towards 241/(s + 245), which leaves 1.8 ms of the
actuator delay uncompensated at the rotor frequency. With simulated force this has little effect. When the
measured force takes over, oscillations of 40 Hz and more grow on the flanks of the motion until a limit stops
the test.

A pure first-order actuator would not cause this: its detuned inverse lags by ten degrees or less, at 32 Hz. The
part that the identified model omits, here the 0.8 ms of the processor, makes the margin small. The largest
slope of the damper alone would make the test unstable even with the force hold as only delay. The valves, open
most of the time, keep the test stable.
"""

import dataclasses

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.report.style import COLOURS, RC

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

matched = dv.load("substructuring/lag-damper")
detuned = dv.load("substructuring/lag-damper-detuned")
run = detuned.rehearse()
print(run)

# %%
# The detuning at which the test becomes unstable, with the ratio of pole and gain as in the source:

omega = 2 * np.pi * 3.5  # [rad/s]
for pole in (169.3, 190.0, 205.0, 220.0, 230.0, 237.0, 245.0):
    values = {"compensator.a0": pole, "compensator.b": pole * 241.0 / 245.0}
    trial = detuned.with_values(**values).rehearse()
    lost = (np.arctan(omega / 169.3) - np.arctan(omega / pole)) / omega
    print(f"{1e3 * lost:.2f} ms less compensation: {trial.outcome.value}")

# %%
# To show the growth, the limits are removed, which only a simulation allows.

lifted = dv.Limits(displacement=0.5, velocity=1.5, force=1e5)
free = dataclasses.replace(detuned, limits=lifted).rehearse().data
good = matched.rehearse().data

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), width_ratios=(1.5, 1), layout="constrained")
end = float(free.time[-1])
part = free.sel(time=slice(end - 1.6, end))
left.plot(part.time, 1e3 * part.displacement, color=COLOURS["demand"], lw=2, label="demand z")
left.plot(part.time, 1e3 * part.measured_displacement, color=COLOURS["measured"], lw=1, label="measured x")
stop = float(run.data.time[-1])
left.axvline(stop, color=COLOURS["critical"], lw=1)
left.set(xlabel="time [s]", ylabel="displacement [mm]", ylim=(-20, 15))
left.text(stop - 0.02, 12.5, "the limits stop it here", ha="right", color=COLOURS["critical"])
left.legend(loc="lower left", ncols=2)

for data, colour, label in ((good, COLOURS["reference"], "matched"), (free, COLOURS["critical"], "detuned")):
    lines = dv.fidelity.amplitude_spectrum(data.sel(time=slice(end - 0.8, end)), "velocity")
    width = 3 if label == "matched" else 1.2
    right.semilogy(lines.frequency, 1e3 * lines, color=colour, lw=width, label=label)
right.set(xlabel="frequency [Hz]", ylabel="velocity [mm/s]", xlim=(0, 200), ylim=(0.03, 2000))
right.legend(loc="upper right")
plt.show()
