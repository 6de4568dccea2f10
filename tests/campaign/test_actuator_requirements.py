import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.campaign import admissible_value, check_requirements, requirements, speed_over_gap
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.mechanics.contact import Flores
from dovetail.studies.docking.impact import Instruments, first_impact

NEEDED = requirements(delay=1.2e-3, force=2600.0, penetration=200e-6, speed=0.1, mass=21.43, gap=50e-6)


def test_requirements_follow_from_the_admissible_delay():
    assert NEEDED.bandwidth == pytest.approx(530.5, rel=1e-4)  # Bondoky 2020, sec. 5.5.2
    assert NEEDED.stroke == pytest.approx(250e-6)
    assert NEEDED.resolution == pytest.approx(20e-6)
    assert "531 Hz" in str(NEEDED)


def test_the_admissible_value_lies_between_samples():
    assert admissible_value([1.0, 2.0, 3.0], [10.0, 50.0, 70.0], 60.0) == pytest.approx(2.5)
    with pytest.raises(AnalysisError, match="add smaller values"):
        admissible_value([1.0, 2.0], [70.0, 80.0], 60.0)
    with pytest.raises(AnalysisError, match="add larger values"):
        admissible_value([1.0, 2.0], [7.0, 8.0], 60.0)
    with pytest.raises(ParameterError, match="increasing values"):
        admissible_value([2.0, 1.0], [7.0, 8.0], 60.0)


def test_a_rig_is_rated_by_its_weakest_property():
    good = requirements(delay=1e-3, force=8000.0, penetration=300e-6, speed=0.2, mass=21.43)
    good = type(good)(**{**vars(good), "resolution": 1e-6})
    assert check_requirements(good, NEEDED).go
    slow = type(good)(**{**vars(good), "delay": 2e-3, "bandwidth": 318.0})
    verdict = check_requirements(slow, NEEDED)
    assert not verdict.go
    assert "delay 0.002 s is above 0.0012" in str(verdict)


@pytest.mark.parametrize(("gap", "reached"), [(5e-6, 0.0245), (9e-6, 0.032)])
def test_a_short_air_gap_is_crossed_below_the_speed_demanded(gap, reached):
    # the identified actuator 1/{0.8, 3000}, 0.05 m/s demanded
    assert speed_over_gap(gap=gap, speed=0.05, omega=3000.0, damping=0.8) == pytest.approx(reached, rel=0.02)


def test_a_long_gap_is_crossed_at_full_speed():
    for damping in (0.5, 1.0, 1.5):
        assert speed_over_gap(gap=1e-3, speed=0.05, omega=3000.0, damping=damping) == pytest.approx(
            0.05, rel=1e-3
        )


def test_impossible_requirements_are_rejected():
    with pytest.raises(ParameterError, match="mass: got 0; must be above 0"):
        requirements(delay=1e-3, force=1.0, penetration=1e-4, speed=0.1, mass=0.0)
    with pytest.raises(ParameterError, match="above 0"):
        speed_over_gap(gap=-1.0, speed=0.05, omega=3000.0, damping=0.8)
    assert math.isfinite(speed_over_gap(gap=0.0, speed=0.05, omega=3000.0, damping=0.8))


def test_the_advice_is_go_exactly_where_the_predicted_error_is_admissible():
    """From impacts simulated through instruments: error over delay, what is admissible, and rigs judged by it."""
    law, mass, sensor = Flores(stiffness=9.0795e8), 30 * 75 / 105, 2 * np.pi * 10e3

    @jax.jit
    @jax.vmap
    def predicted(delay):
        pair = first_impact(law, mass, 0.1, Instruments(4 / delay, sensor), steps=4000)
        return 100 * (pair.hil.rebound / pair.ideal.rebound - 1)

    grid = np.linspace(0.2e-3, 2e-3, 19)
    rigs = np.random.default_rng(0).uniform(0.3e-3, 1.8e-3, 12)
    errors, own = np.asarray(predicted(jnp.asarray(grid))), np.asarray(predicted(jnp.asarray(rigs)))
    for required in (25.0, 60.0, 90.0):
        limit = admissible_value(grid, errors, required)
        needed = requirements(delay=limit, force=2600.0, penetration=200e-6, speed=0.1, mass=mass)
        for delay, error in zip(rigs, own, strict=True):
            able = requirements(delay=delay, force=8000.0, penetration=300e-6, speed=0.2, mass=mass)
            able = type(able)(**{**vars(able), "resolution": 1e-6, "acceleration": 1e4})
            assert check_requirements(able, needed).go == (error <= required), (delay, error, required)
