r"""
The largest stable step of a rope
=================================

Joint friction makes a chain of rods stiff: its fastest rate is :math:`48\,c\,n^3/L^2`. In the source, table 1
lists which method is stable at which step. The example repeats the table and compares it with this bound.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.core import RK4, DormandPrince8, stability_limit
from dovetail.studies.capture import reproduce_solvers as solvers

# %%
# The table for the explicit methods: the words are our results; differences from the source are marked. BDF2 is
# stable in all eight cells, in the source and here; its runs take minutes and are part of `dovetail reproduce
# capture`.

columns = [column for column in solvers.COLUMNS if type(column[0]).__name__ != "BDF2"]
published = np.array(solvers.PUBLISHED)[:, : len(columns)]
held = np.array([[solvers.holds(c, n, *column) for column in columns] for c, n in solvers.ROWS])
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
for (i, j), holds in np.ndenumerate(held):
    words, agree = ("fails", "holds"), holds == published[i, j]
    said = words[int(holds)] if agree else f"{words[int(holds)]},\nnot so\nthe source"
    axes.text(j, i, said, ha="center", va="center", color="0.2" if agree else "C3")
names = {"DormandPrince8": "order 8"}
axes.set_xticks(
    range(4), [f"{names.get(type(m).__name__, type(m).__name__)}\n{h * 1e3:g} ms" for m, h, _ in columns]
)
axes.set_yticks(range(4), [f"c = {c:g}, {n} rods" for c, n in solvers.ROWS])
axes.set(xlim=(-0.5, 3.5), ylim=(3.5, -0.5))
print(f"{np.sum(held == published)} of {held.size} agree")

# %%
# The bound against the number of rods, and the largest step of two methods.

n = np.arange(5, 81)
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for c, colour in ((10.0, "C0"), (100.0, "C1")):
    rate = 48 * c * n**3 / 250.0**2
    for method, style in ((RK4(), "-"), (DormandPrince8(), "--")):
        unit = stability_limit(method, [-1.0])
        axes.loglog(n, unit / rate, style, color=colour, label=f"c = {c:g}, {type(method).__name__}")
for h in (1e-2, 1e-3):
    axes.axhline(h, color="0.7", lw=0.8)
axes.set(xlabel="rods in 250 m", ylabel="longest stable step [s]", xticks=(5, 10, 20, 40, 80))
axes.xaxis.set_major_formatter("{x:g}")
axes.xaxis.set_minor_formatter("")
axes.legend()
plt.show()
