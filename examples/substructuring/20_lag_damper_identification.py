"""
Two lag dampers on the test bench
=================================

The lag damper of a helicopter is a piston in oil with an orifice and two relief valves. Before the hybrid test
it is driven by sines at 3.5 Hz, the rotor frequency, with peak speeds from 5 to 450 mm/s; the amplitude is
corrected during the test. The velocity is smoothed afterwards without phase shift.

The force is not a function of velocity: the oil is a spring, so the force lags after each reversal, and the
loop is drawn anticlockwise. An open valve oscillates on its spring. The second damper has air in its oil and a
weak valve spring on one side. Its manufacturer specifies the peaks only; the rotor also depends on the rest of
the loop.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring import lag_damper

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

points = {4: "14 mm/s", 8: "130 mm/s", 10: "300 mm/s", 11: "450 mm/s"}
first = lag_damper.identify(lag_damper.first_damper(), tuple(points))
second = lag_damper.identify(lag_damper.second_damper(), tuple(points))

# %%
# The twelfth test, 600 mm/s, is not possible: the actuator is rated at 500 mm/s, and the limit monitor stops
# it.

print(lag_damper.identify(points=(12,))[12])

# %%
# At 300 mm/s:

print(dv.fidelity.match_dampers({"first": first[10], "second": second[10]}, 3.5))

# %%
# The ideal damper of the simulations, piecewise linear, is drawn behind the loops.

ideal = lag_damper.surrogate()["assumed"]["ideal_damper"]
steep = ideal["ratio"] * ideal["open_slope"]
figure, axes = plt.subplots(1, 4, figsize=(9, 3.2), layout="constrained")
for axis, (point, name) in zip(axes, points.items(), strict=True):
    for run, colour, label in (
        (first[point], COLOURS["measured"], "first"),
        (second[point], COLOURS["critical"], "second"),
    ):
        v = dv.fidelity.smooth_velocity(run).values[-700:-100]
        force = -run.data.measured_force.values[-700:-100]
        axis.plot(1e3 * v, 1e-3 * force, color=colour, lw=1.2, label=label)
    low, high = axis.get_xlim()
    v = np.linspace(low, high, 400) * 1e-3
    limit = ideal["opening_force"] / steep
    law = ideal["open_slope"] * v + (steep - ideal["open_slope"]) * np.clip(v, -limit, limit)
    axis.plot(1e3 * v, 1e-3 * law, color=COLOURS["reference"], lw=3, zorder=0, label="ideal")
    axis.set(xlabel="velocity [mm/s]", title=name)
axes[0].set(ylabel="resisting force [kN]")
axes[0].legend(loc="upper left")
plt.show()
