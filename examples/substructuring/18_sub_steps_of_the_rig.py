"""
Sub-steps of the simulated rig
==============================

A specimen with mass moves between ticks, and so does an actuator. The result of a rehearsal must not depend on
how finely the simulated rig integrates them. Between ticks the command is the parabola through the last
commands; one sub-step therefore changes the test error by only half a per cent of its value, and ten by less
than 0.01 %. A rig that held the command over each tick (the staircase of a converter) would have half a tick
more delay, which adaptive prediction identifies too.
"""

import matplotlib.pyplot as plt

from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring.reproduce_cs1 import FREE, ready
from dovetail.studies.substructuring.reproduce_cs2 import late_norms

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

counts = (1, 2, 5, 10, 20, 40)
reference = ready("cs2-high").reference()
found = {}
for hold in ("quadratic", "zoh"):
    for substeps in counts:
        test = ready("cs2-high", {**FREE, "rig.substeps": substeps, "rig.command_hold": hold})
        found[hold, substeps] = late_norms(test, reference)
        e1, e2 = (100 * found[hold, substeps][name] for name in ("e1", "e2"))
        print(f"{hold:7s} {substeps:3d} sub-steps   e1 {e1:.4f} %   e2 {e2:.4f} %")

# %%
# Left: response error and tracking error with adaptive prediction. Right: difference to the finest sub-steps.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for hold, dash in (("quadratic", "-"), ("zoh", "--")):
    for error, colour, label in (
        ("e1", "demand", "reference - demand"),
        ("e2", "measured", "demand - measured"),
    ):
        values = [100 * found[hold, n][error] for n in counts]
        left.loglog(counts, values, dash, marker="o", ms=4, color=COLOURS[colour], label=f"{label}, {hold}")
left.set(xlabel="sub-steps in a tick", ylabel="rms of the error [% of the reference]", ylim=(0.1, 40))
left.legend(loc="center")

for error, colour, label in (("e1", "demand", "reference - demand"), ("e2", "measured", "demand - measured")):
    finest = found["quadratic", counts[-1]][error]
    rest = [abs(found["quadratic", n][error] / finest - 1) for n in counts[:-1]]
    right.loglog(counts[:-1], rest, "o-", ms=4, color=COLOURS[colour], label=label)
right.loglog(
    counts[:-1], [4e-3 / n**2 for n in counts[:-1]], ":", color=COLOURS["faint"], label="second order"
)
right.set(xlabel="sub-steps in a tick", ylabel="relative change of the error")
right.legend(loc="lower left")
for ax in (left, right):
    ax.set_xticks(counts, [str(n) for n in counts])
    ax.minorticks_off()
plt.show()
