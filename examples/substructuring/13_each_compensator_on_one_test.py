"""
All compensators on one test
============================

One mass, a spring as specimen, and a realistic actuator: a second-order lag and a delay, 9.4 ms in total, with
a gain of 1.02. Without compensation the test is unstable. Every compensator below makes it stable; the
remaining errors differ by two orders of magnitude, and so does the required model knowledge.

The force hold adds half a tick of delay. Predictors with a given delay include it; adaptive ones cannot measure
it in the displacement, so for them the force is extrapolated instead.
"""

import dataclasses

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.compensation import (
    AdaptiveForwardPrediction,
    AdaptiveTimeSeries,
    BlendedForce,
    Cascade,
    FixedCoefficients,
    ForceExtrapolation,
    ForwardPrediction,
    PhaseAdvance,
    SecondOrderInverse,
    SmithPredictor,
)
from dovetail.report.style import COLOURS, RC
from dovetail.transfer import Delay, SecondOrderLag, Series

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

bare = dv.load("substructuring/cs1-late")
actuator = Series((SecondOrderLag(omega=235.4, damping=0.684, gain=1.02), Delay(3.6e-3)))
bare = dataclasses.replace(bare, rig=dv.Rig(actuator=actuator, specimen=bare.rig.specimen, substeps=10))
reference = bare.reference()

delay, tick = 9.4e-3, bare.dt  # [s]
inverse = SecondOrderInverse.from_omega(omega=235.4, damping=0.684)
spring = bare.rig.specimen
exact_model = SmithPredictor(model=spring, transfer=actuator)
candidates = {
    "none": {},
    "phase advance, alpha = 1.5": {"compensator": PhaseAdvance(alpha=1.5, crossover_omega=44.7)},
    "twice the damping": {"numerical": dataclasses.replace(bare.numerical, c=30.0)},
    "half the force from a model": {"feedback": BlendedForce(model=spring, measured_fraction=0.5)},
    "fixed coefficients, repeated": {"compensator": FixedCoefficients(delay + tick / 2, gain=1 / 1.02)},
    "adaptive prediction, from nothing": {
        "compensator": AdaptiveForwardPrediction(order=4, window=10),
        "feedback": ForceExtrapolation(),
    },
    "adaptive time series": {
        "compensator": AdaptiveTimeSeries(delay=delay),
        "feedback": ForceExtrapolation(),
    },
    "constant prediction": {"compensator": ForwardPrediction(delay + tick / 2, gain=1 / 1.02)},
    "inverse model, then prediction": {
        "compensator": Cascade((inverse, ForwardPrediction(3.6e-3 + tick / 2, gain=1 / 1.02)))
    },
    "Smith predictor, exact models": {"feedback": ForceExtrapolation(feedback=exact_model)},
}

# %%
# Response error after the start; a test that was stopped by a limit has none.

late = slice(5.0, None)
shares = {}
for name, changes in candidates.items():
    run = dataclasses.replace(bare, **changes).rehearse()
    shares[name] = np.nan
    if run.outcome.completed:
        norms = dv.fidelity.norms(run.data.sel(time=late), reference.data.sel(time=late))
        shares[name] = float(norms["rms"].sel(error="e1"))
    print(f"{name:32s} {run.outcome.name:10s} e1 {100 * shares[name]:.3g} %")

shares = dict(sorted(shares.items(), key=lambda item: -np.nan_to_num(item[1], nan=np.inf)))
figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
names, places = list(shares), np.arange(len(shares))
values = 100 * np.array(list(shares.values()))
ax.barh(places, np.nan_to_num(values), left=1e-3, color=COLOURS["demand"], height=0.6)
for place, value in zip(map(float, places), values, strict=True):
    text = "unstable: stopped at a limit" if np.isnan(value) else f"{value:.2g} %"
    ax.text(1.3e-3 if np.isnan(value) else 1.15 * value, place, text, va="center")
ax.set(xscale="log", xlim=(1e-3, 100), xlabel="rms response error [% of the rms reference]")
ax.set_yticks(places, names)
ax.invert_yaxis()
ax.grid(axis="y", visible=False)
ax.set_title("one test, one late actuator, ten ways")
plt.show()
