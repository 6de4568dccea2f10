"""
A hinge without its moment
==========================

The published equations transmit the force of a hinged leg to the airframe, but not its moment. On a level deck
this has no effect if the centre of gravity is in the middle. Otherwise the lightly loaded foot carries far too
little: at an offset of 0.3 m one sixth of the load from the balance of moments. Both forms are available; only
the published one reproduces the loads of the source.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import RC
from dovetail.studies.shipboard.assembly import at_rest, with_offset

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

offsets = np.array([0.0, 0.1, 0.2, 0.3])
source = {
    "loads": np.array([(246.42, 246.42), (164.05, 328.79), (83.71, 409.13), (7.13, 485.71)]),
    "roll": np.array([0.0, -0.0165, -0.0326, -0.0479]),
}

figure, (load, roll) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for form, style in (("published", "--"), ("consistent", "-")):
    rests = [at_rest("case-1", with_offset(float(x), form)) for x in offsets]
    loads = np.array([r["loads"][:, 1] for r in rests])
    for foot, colour in ((0, "#0072b2"), (1, "#d55e00")):
        side = ("left", "right")[foot]
        load.plot(offsets, loads[:, foot], style, color=colour, label=f"{side} foot, {form}")
    roll.plot(offsets, [float(r["roll"][0]) for r in rests], style, color="#009e73", label=form)
load.plot(offsets, source["loads"], "o", color="#20252b", ms=4, label=["source", None])
roll.plot(offsets, source["roll"], "o", color="#20252b", ms=4, label="source")
load.set(xlabel="centre of gravity to port [m]", ylabel="load on a foot [N]")
roll.set(xlabel="centre of gravity to port [m]", ylabel="roll at rest [rad]")
load.legend()
roll.legend()
plt.show()
