"""
After the latch: a wave up the hose and back
============================================

The drogue has latched. The receiver approaches by another half metre, more than the drum reels in during this
time. The hose becomes slack, a wave runs up to the tow point and back, and the hose bows out where a link would
be in compression.
"""

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.studies.refuelling import pictures

test = dv.load("refuelling/latched")
run = test.simulate()
for name, text in test.numerical.measures(run.data).items():
    print(f"{name:<32} {text}")

figure, axes = plt.subplots(3, 1, figsize=(8, 7), layout="constrained")
pictures.hose_shapes(axes[0], run.data, (0.0, 0.5, 1.0, 1.5, 2.0, 3.0))
axes[0].legend(ncols=2)
pictures.tension(axes[1:], {"latched": run.data})
plt.show()
