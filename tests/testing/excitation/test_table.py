import equinox as eqx
import jax
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.testing.excitation import Table

rng = np.random.default_rng(0)
times = np.sort(rng.uniform(0.0, 5.0, 12))
values = rng.normal(size=12)
fine = np.linspace(-1.0, 6.0, 300)
at = eqx.filter_jit(lambda table, t: table(t))
each = eqx.filter_jit(lambda table, t: jax.vmap(table)(t))


def test_a_table_is_linear_between_values_and_constant_outside():
    np.testing.assert_allclose(at(Table(times, values), fine), np.interp(fine, times, values), atol=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_it_passes_through_its_values(interpolation):
    np.testing.assert_allclose(at(Table(times, values, interpolation), times), values, atol=1e-12)


def test_a_cubic_is_smooth():
    table = Table(times, values, "cubic")
    inner = times[1:-1]
    rates = jax.jit(jax.vmap(table.rate))
    before, after = (np.asarray(rates(inner + h)) for h in (-1e-9, 1e-9))
    np.testing.assert_allclose(before, after, atol=1e-5)  # second derivative up to 1e3 x 2e-9 s


def test_a_cubic_reproduces_a_parabola_between_its_inner_values():
    table = Table(times, 2.0 - times + 0.3 * times**2, "cubic")
    inner = np.linspace(times[1], times[-2], 50)
    np.testing.assert_allclose(at(table, inner), 2.0 - inner + 0.3 * inner**2, atol=1e-12)


@pytest.mark.parametrize("interpolation", ["linear", "cubic"])
def test_equal_spacing_is_found_by_division_with_the_same_result(interpolation):
    even = np.linspace(0.3, 2.0, 12)
    table = Table(even, values, interpolation)
    sized = table.with_sample_time(1e-3)
    assert sized.uniform
    assert not Table(times, values).with_sample_time(1e-3).uniform
    np.testing.assert_allclose(each(sized, fine), at(table, fine), atol=1e-12)
    np.testing.assert_allclose(each(sized, even), values, atol=1e-12)


def test_columns_are_axes():
    pair = rng.normal(size=(12, 2))
    for interpolation in ("linear", "cubic"):
        sized = Table(times, pair, interpolation).with_sample_time(1e-3, (2,))
        single = Table(times, pair[:, 1], interpolation)
        np.testing.assert_allclose(each(sized, fine)[:, 1], at(single, fine), atol=1e-12)


def test_the_error_of_a_cubic_falls_with_the_third_power():
    def error(n):
        t = np.linspace(0.0, 1.0, n + 1)
        fine = np.linspace(0.3, 0.7, 1000)
        return np.abs(at(Table(t, np.sin(9 * t), "cubic"), fine) - np.sin(9 * fine)).max()

    assert np.log2(error(40) / error(80)) > 2.8
    # slopes off by h^2 f'''/6, which the cubic carries with a weight of up to sqrt(3)/18
    assert error(80) == pytest.approx((1 / 80) ** 3 * 9**3 / 6 * np.sqrt(3) / 18, rel=0.02)


def test_a_fault_states_its_row():
    with pytest.raises(
        ParameterError, match=r"row 2 \(counted from 0\) is 0.5 s after 1 s; times must increase"
    ):
        Table([0.0, 1.0, 0.5, 2.0], [0.0, 1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match=r"Table.values: row 1 \(counted from 0\) is not a number"):
        Table([0.0, 1.0, 2.0], [0.0, np.nan, 2.0])
    with pytest.raises(ParameterError, match=r"Table.times: row 2 \(counted from 0\) is not a number"):
        Table([0.0, 1.0, np.nan], [0.0, 1.0, 2.0])
    with pytest.raises(ParameterError, match=r"\(3,\) times and \(2,\) values"):
        Table([0.0, 1.0, 2.0], [0.0, 1.0])
