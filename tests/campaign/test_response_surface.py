"""Response surfaces: exact for polynomials, honest about the rest."""

import numpy as np
import pytest

from dovetail.campaign.response_surface import fit_surface
from dovetail.core.errors import AnalysisError, UnknownNameError

RNG = np.random.default_rng(2)
TABLE = {"a": RNG.uniform(1, 3, 60), "b": RNG.uniform(-5, 5, 60)}
TABLE["y"] = 2 + TABLE["a"] * TABLE["b"] - TABLE["b"] ** 2
TABLE["wave"] = np.sin(3 * TABLE["b"])


def test_a_polynomial_is_identified():
    surface = fit_surface(TABLE, "y", ["a", "b"])
    assert float(surface(a=2.0, b=1.5)) == pytest.approx(2 + 3 - 2.25, rel=1e-10)
    assert surface.r2 == pytest.approx(1.0)
    assert "b^2" in str(surface)


def test_the_error_is_that_of_cross_validation():
    surface = fit_surface(TABLE, "wave", ["b"], degree=3)
    left = []
    for i in range(60):
        rest = {name: np.delete(column, i) for name, column in TABLE.items()}
        left.append(float(fit_surface(rest, "wave", ["b"], degree=3)(b=TABLE["b"][i])) - TABLE["wave"][i])
    assert surface.error == pytest.approx(np.sqrt(np.mean(np.square(left))), rel=0.02)
    assert surface.r2 < 0.5


def test_data_that_cannot_be_fitted_are_reported():
    few = {name: column[:5] for name, column in TABLE.items()}
    with pytest.raises(AnalysisError, match="5 points for 6 terms"):
        fit_surface(few, "y", ["a", "b"])
    with pytest.raises(AnalysisError, match="is constant"):
        fit_surface({**TABLE, "a": np.ones(60)}, "y", ["a", "b"])
    two = {"a": np.tile([1.0, 2.0], 30), "y": TABLE["y"]}
    with pytest.raises(AnalysisError, match="do not determine all terms"):
        fit_surface(two, "y", ["a"], degree=2)
    with pytest.raises(UnknownNameError):
        fit_surface(TABLE, "y", ["a", "b"])(c=1.0)
