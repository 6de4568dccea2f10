"""
Two lag dampers on the test bench
=================================

A helicopter's lag damper is a piston in oil with an orifice and two relief valves. Before it joins a hybrid
test it is driven by sines of 3.5 Hz, the rotor's frequency, with peak speeds from 5 to 450 mm/s, the
amplitude corrected on line. The velocity is smoothed afterwards, which shifts no phase.

The force is no function of velocity: the oil is a spring, so after each reversal the force lags, and the loop
is drawn anticlockwise. Once a valve opens its spring rings. The second damper has air in its oil and a tired
valve spring on one side. Its maker specifies the peaks; the rest of the loop is what a rotor would feel.
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
# The twelfth test, 600 mm/s, cannot be done: the actuator is rated at 500 mm/s, and the supervisor says so.

print(lag_damper.identify(points=(12,))[12])

# %%
# At 300 mm/s, in numbers:

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
    v = np.linspace(*axis.get_xlim(), 400) * 1e-3
    limit = ideal["opening_force"] / steep
    law = ideal["open_slope"] * v + (steep - ideal["open_slope"]) * np.clip(v, -limit, limit)
    axis.plot(1e3 * v, 1e-3 * law, color=COLOURS["reference"], lw=3, zorder=0, label="ideal")
    axis.set(xlabel="velocity [mm/s]", title=name)
axes[0].set(ylabel="resisting force [kN]")
axes[0].legend(loc="upper left")
plt.show()
