"""
Reeling in a hose
=================

A hose with the shape of an S behind its tow point is reeled in by seven metres. The published model shortens
all links at once and lags. If the hose is pulled into a duct, or slides past its nodes like a real hose, its
end comes metres further.
"""

import dataclasses

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.studies import find_test
from dovetail.studies.refuelling import pictures

# %%
# The same hose, drum and command four times; the thesis calls the first three A, B and C.

runs = {}
for name, label in (
    ("reel-in", "A: all links shrink, as printed"),
    ("reel-in-duct", "B: drawn into a duct"),
    ("reel-in-duct-fine", "C: twice the links"),
    ("reel-in-sliding", "sliding"),
):
    plan = dataclasses.replace(dv.load(find_test(f"refuelling/{name}")), rate=20.0, substeps=50)
    runs[label] = plan.simulate().data
    print(f"{label:<32} drogue at {float(runs[label].displacement[-1, 0]):7.2f} m after 5.5 s")

# %%
# The drum and its command, and the position of the drogue.

figure, axes = plt.subplots(2, 3, figsize=(9, 5.5), layout="constrained")
pictures.reel_tracking(axes[0], runs)
pictures.reeled_drogue(axes[1], runs)
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
plt.show()

# %%
# Shapes every second.

figure, axes = plt.subplots(len(runs), 1, figsize=(7, 8), layout="constrained")
for panel, (label, data) in zip(axes, runs.items(), strict=True):
    pictures.hose_shapes(panel, data, (0, 1, 2, 3, 4, 5, 5.5))
    panel.set(title=label, xlim=(-28, 8))
plt.show()
