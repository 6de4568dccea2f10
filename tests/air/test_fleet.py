"""The choice among ropes, from recordings made up for it."""

import numpy as np
import pytest
import xarray as xr

from dovetail.air import RopeFleet, TowedRope
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import RodChain

ROPE = TowedRope(chain=RodChain(n=2, length=250.0, mass=82.0, stiffness=6.25e6))


def fleet(**changes):
    columns = {
        "names": ("thin", "good", "heavy", "slow"),
        "diameter": [0.016, 0.024, 0.032, 0.03],
        "mass_per_length": [0.1, 0.3, 4.0, 0.2],
        "length": [250.0, 300.0, 250.0, 250.0],
        "breaking_strength": [280e3, 550e3, 900e3, 900e3],
    }
    return RopeFleet(rope=ROPE, **(columns | changes))


def test_the_choice_is_strong_then_deep_and_quick_then_light():
    t = np.linspace(0.0, 120.0, 1201)
    decay = {"thin": (65.0, 0.2), "good": (65.0, 0.2), "heavy": (140.0, 0.2), "slow": (65.0, 0.02)}
    y = np.stack([d * (1 - np.exp(-r * t) * np.cos(t)) for d, r in decay.values()], axis=1)
    tips = np.stack([0 * y, 0 * y, -y], axis=1)
    data = xr.Dataset({"displacement": (("time", "axis", "candidate"), tips)}, {"time": t})
    found = fleet()
    order = [found.names[i] for i, _ in found.verdicts(data)]
    assert order == ["good", "heavy", "thin", "slow"]
    texts = {found.names[i]: text for i, text in found.verdicts(data)}
    assert texts["thin"] == "breaks at 280 kN, required 500 kN"
    assert "settles in" in texts["slow"]
    assert found.measures(data)["choice"] == "good of 300 m"


def test_columns_of_different_lengths_are_rejected():
    with pytest.raises(ParameterError, match="one entry for each candidate"):
        fleet(length=[250.0, 300.0])
