"""The test as a whole: its faults, its variants."""

import equinox as eqx
import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError, TestFileError, UnknownNameError


def faults(test) -> str:
    with pytest.raises(TestFileError) as caught:
        test.prepare()
    return str(caught.value)


def test_a_delay_longer_than_the_test_is_a_fault(make_cs1):
    assert "rig.actuator.delay   3 s is longer than the duration of the test, 2 s" in faults(
        make_cs1(delay=3.0)
    )


def test_a_table_that_ends_early_is_a_fault(make_cs1):
    table = dv.Table(times=[0.0, 0.5, 1.0], values=[0.0, 1e-3, 0.0])
    assert "ends at 1 s, before the end of the run at 2 s" in faults(make_cs1(excitation=table))


def test_a_step_beyond_the_method_s_bound_is_a_fault(make_cs1):
    """RK4 is stable to |lambda dt| = 2.8; the oscillator has 32 rad/s."""
    text = faults(make_cs1(rate=10.0, delay=0.0))
    assert "rate" in text
    assert "RK4" in text


def test_all_faults_come_at_once(make_cs1):
    table = dv.Table(times=[0.0, 0.5, 1.0], values=[0.0, 1e-3, 0.0])
    assert "2 problems" in faults(make_cs1(delay=3.0, excitation=table))


def test_a_test_shorter_than_a_tick_is_a_fault(make_cs1):
    assert "shorter than one tick" in faults(make_cs1(duration=1e-4, delay=0.0))


@pytest.mark.parametrize(("field", "value"), [("rate", 0.0), ("rate", float("nan")), ("duration", -1.0)])
def test_clock_values_are_checked_at_once(make_cs1, field, value):
    with pytest.raises(ParameterError, match=f"Test.{field}"):
        make_cs1(**{field: value})


def test_variants_by_path(make_cs1):
    other = make_cs1().with_values(**{"rig.actuator.delay": 9e-3, "duration": 4.0})
    assert float(other.rig.actuator.delay) == pytest.approx(9e-3)
    assert other.duration == 4.0
    with pytest.raises(UnknownNameError, match='did you mean "delay"'):
        make_cs1().with_values(**{"rig.actuator.dely": 1.0})
    with pytest.raises(ParameterError, match="replace the part"):
        make_cs1().with_values(**{"rig.substeps": 3})


def test_a_test_is_a_pytree(make_cs1):
    test = eqx.tree_at(lambda t: t.numerical.c, make_cs1(), jnp.array(3.0))
    assert float(test.numerical.c) == 3.0


def test_the_interface_s_shape_follows_from_the_numerical_substructure(make_cs1):
    assert make_cs1().shape == ()
    two = dv.Test(
        numerical=dv.mechanics.Oscillator(m=[1.0, 1.0], c=1.0, k=1.0),
        rig=dv.Rig(dv.transfer.Delay(0.0), dv.specimens.Spring(k=1.0)),
    )
    assert two.shape == (2,)
