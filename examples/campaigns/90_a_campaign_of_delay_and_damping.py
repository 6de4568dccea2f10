"""
A campaign over delay and damping
=================================

One test with 39 delays and 28 damping values: 1092 rehearsals and 1092 reference solutions in one campaign. The
response error increases with the delay and decreases with the damping. Beyond the dashed line the loop is
unstable, and the rehearsals are stopped by a limit. The line is theory, the critical delay minus half a tick
for the force hold; it was not computed from these runs.

On the command line: ``dovetail campaign substructuring/delay-damping``.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from dovetail import campaign
from dovetail.report.style import RC
from dovetail.stability.single_interface import critical_delay
from dovetail.studies.registry import find_campaign

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

plan = campaign.load(find_campaign("substructuring/delay-damping"))
with tempfile.TemporaryDirectory() as folder:
    print(campaign.run(plan, Path(folder) / "out"))
    data = campaign.open_results(Path(folder) / "out")
    print("\n".join(campaign.analyse(Path(folder) / "out")))

# %%
# Colours: finished tests. Grey: stopped by a limit.

HELD = 0.5e-3  # [s] that holding the force for a tick costs
critical = critical_delay(m=2.2, c=data.damping.values, k=2250.0, k_s=2250.0) - HELD

figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
finished = (100 * data.rms_e1).where(data.outcome == 0).transpose("damping", "delay")
ax.set_facecolor("#d9dce0")
shown = ax.pcolormesh(
    1e3 * data.delay, data.damping, finished, norm=LogNorm(1, 300), cmap="viridis", shading="nearest"
)
figure.colorbar(shown, label="rms error of the numerical substructure [%]")
lines = ax.contour(1e3 * data.delay, data.damping, finished, levels=[5, 10, 50], colors="white", linewidths=1)
ax.clabel(lines, fmt="%g %%", manual=[(2.7, 20), (5.2, 22), (6.5, 14)])
ax.plot(1e3 * np.asarray(critical), data.damping, "--", color="#20252b", label="critical delay, theory")
ax.text(7.0, 8.5, "met a limit", color="#20252b")
ax.set(xlabel="delay of the actuator [ms]", ylabel="numerical damping [N s/m]", xlim=(0.4, 10.1))
ax.legend(loc="lower right", frameon=True, facecolor="white")
plt.show()
