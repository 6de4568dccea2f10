import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.contact import Aluminium, GivenStiffness, Polyimide
from dovetail.studies.docking.impact_charts import ContactLawChart, DelaySweep


@pytest.fixture(scope="module")
def laws():
    return ContactLawChart(GivenStiffness(2.3167e10), mass=5.0, speed=0.1, restitution=[0.3, 0.5, 0.8, 1.0])


@pytest.fixture(scope="module")
def sweep():
    return DelaySweep(
        (Polyimide(), Aluminium()),
        (Aluminium(), Aluminium()),
        m1=jnp.array([30.0, 30.0]),
        m2=jnp.array([75.0, 75.0]),
        speed=jnp.array([0.1, 0.1]),
        delay=[0.4e-3, 1e-3],
        position_resolution=1e-6,
        force_resolution=1.0,
    )


def test_simulation_and_closed_form_agree_for_every_law(laws):
    data = laws.compute()
    np.testing.assert_allclose(data.simulated, data.realised, atol=1e-5)
    np.testing.assert_allclose(data.realised.sel(restitution=1.0), 1.0)
    assert "flores" in laws.summary(data)


def test_peak_force_over_the_elastic_one_is_as_computed_independently(laws):
    data = laws.compute()
    ratio = data.peak_force / data.peak_force.sel(restitution=1.0)
    np.testing.assert_allclose(ratio.sel(law="flores"), [1.0846, 0.9397, 0.9148, 1.0], atol=6e-5)
    np.testing.assert_allclose(ratio.sel(law="gonthier"), [1.0372, 0.9336, 0.9110, 1.0], atol=6e-5)


def test_errors_over_delay_are_the_published_ones(sweep):
    data = sweep.compute()
    np.testing.assert_allclose(data.velocity_error.sel(impact=1), [19.24, 52.52], atol=0.1)  # table 5.2
    assert np.all(data.velocity_error.sel(impact=2) > 2 * data.velocity_error.sel(impact=1))
    assert "polyimide on aluminium" in sweep.summary(data)


def test_lists_of_different_length_are_named(sweep):
    short = DelaySweep(sweep.body_1, sweep.body_2[:1], sweep.m1, sweep.m2, sweep.speed, sweep.delay)
    assert [fault.place for fault in short.faults()] == ["chart.body_2"]
