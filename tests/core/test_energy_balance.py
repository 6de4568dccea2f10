"""Energy balance of a run: denominator, tolerance by method, where and when it opened."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import BDF2, RK4, AdaptiveRungeKutta, Euler
from dovetail.core.energy_balance import (
    energy_balance,
    energy_tolerance,
    residual_and_largest_energy,
)

T = np.linspace(0.0, 1.0, 11)


def records(residual, **energies):
    return {"energy_residual": residual, "kinetic_energy": 40.0 * T, "displacement": 1e6 * T, **energies}


def test_the_share_is_of_the_largest_energy_or_range_of_work():
    found = energy_balance(T, records(0.05 * T, external_work=-1000.0 + 100.0 * T), RK4(), ["rope"])
    assert found.share == pytest.approx(0.05 / 100.0)
    assert found.residual == pytest.approx(0.05)
    assert found.closes
    assert "0.05 %" in str(found)


def test_a_balance_that_opens_names_part_time_and_tolerance():
    residual = np.stack([0 * T, np.where(T > 0.35, 3.0, 0.0)], axis=1)
    found = energy_balance(T, records(residual), RK4(), ["thin", "thick"])
    assert not found.closes
    assert found.part == "thick"
    assert found.opened == pytest.approx(0.4)
    assert found.share == pytest.approx(3.0 / 40.0)
    for text in ("thick", "0.4 s", "7.5 %", "1 %"):
        assert text in str(found)


def test_a_runaway_opens_when_its_residual_leaves_the_energies_of_that_time():
    growing = 1e-6 * (10.0 ** (12 * T) - 1.0)  # in the end all other energies are small beside it
    found = energy_balance(T, records(growing, gravity_energy=-growing), RK4(), ["rope"])
    assert found.share == pytest.approx(1.0)
    assert found.opened == pytest.approx(0.5)  # 1 J of 20 J; before, 63 mJ of 16 J


def test_a_run_that_ended_in_a_value_that_is_not_finite_has_its_outcome():
    assert energy_balance(T, records(np.where(T > 0.55, np.nan, 0.0)), RK4(), ["rope"]) is None


def test_without_residual_or_energy_there_is_no_balance():
    assert energy_balance(T, {"kinetic_energy": T}, RK4(), ["rope"]) is None
    assert energy_balance(T, {"energy_residual": T}, RK4(), ["rope"]) is None


@pytest.mark.parametrize(
    ("method", "tolerance"),
    [(Euler(), 0.1), (BDF2(), 0.01), (RK4(), 0.01), (AdaptiveRungeKutta(rtol=1e-3), 0.1), (None, 0.01)],
)
def test_the_tolerance_follows_from_the_order_or_the_error_control(method, tolerance):
    assert energy_tolerance(method) == pytest.approx(tolerance)


def test_a_compiled_program_finds_the_same_and_leaves_out_samples_that_do_not_count():
    values = records(0.05 * T, external_work=100.0 * T)
    for ours, theirs in zip(
        residual_and_largest_energy(values, True, jnp), residual_and_largest_energy(values), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    valid = T < 0.55
    spoilt = {name: np.where(valid, value, np.nan) for name, value in values.items()}
    residual, largest = residual_and_largest_energy(spoilt, valid, jnp)
    assert float(residual.max()) == pytest.approx(0.05 * 0.5)
    assert float(largest[-1, 0]) == pytest.approx(50.0)
