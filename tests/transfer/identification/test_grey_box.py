import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import Delay, FirstOrderLag, Series, TransferFunction
from dovetail.transfer.identification import fit_parameters

dt = 1e-3  # [s]
m = 2.2  # [kg]


def plausible(p):
    c, k = p
    return TransferFunction(k[None], jnp.stack([m, c, k]))


def test_spring_and_damper_of_a_plausible_actuator_of_known_mass(record, sweep):
    # the published small-rig actuators, [Wallace 2006, table 4.1]
    truth = np.array([150.8, 13618.0])
    u = sweep(0.5, 20.0, 4.0, dt)
    fit = fit_parameters(
        plausible, [100.0, 1e4], u, record(plausible(jnp.array(truth)), u, dt, noise=0.02), dt
    )
    np.testing.assert_array_less(np.abs(fit.parameters - truth), 4 * fit.errors)
    assert np.all(fit.errors / truth < 0.01)
    assert fit.explained_fraction > 0.95


@pytest.mark.slow
def test_the_standard_errors_are_those_of_repeated_records(record, sweep):
    u = sweep(0.5, 20.0, 1.0, dt)
    clean = record(plausible(jnp.array([150.8, 13618.0])), u, dt)
    fits = [
        fit_parameters(
            plausible, [150.0, 13000.0], u, clean + 0.05 * np.random.default_rng(s).normal(size=len(u)), dt
        )
        for s in range(8)
    ]
    scatter = np.std([f.parameters for f in fits], axis=0, ddof=1)
    # eight records: chi-squared with 7 degrees of freedom lies between 1.0 and 22 but for 1 %
    ratio = scatter / fits[0].errors
    assert np.all((ratio > np.sqrt(1.0 / 7)) & (ratio < np.sqrt(22.0 / 7)))


def test_a_delay_may_be_among_the_parameters(record, sweep):
    def build(p):
        return Series((Delay(p[0], max_delay=0.02), FirstOrderLag(p[1])))

    u = sweep(0.5, 10.0, 4.0, dt)
    fit = fit_parameters(
        build, [8e-3, 8e-3], u, record(build([3.3e-3, 5.9e-3]), u, dt), dt, lower=[0, 1e-4], upper=[0.02, 1]
    )
    np.testing.assert_allclose(fit.parameters, [3.3e-3, 5.9e-3], atol=1e-8)


def test_faults_are_reported():
    with pytest.raises(ParameterError, match=r"for 2 parameters; expected one axis of equal length"):
        fit_parameters(plausible, [1.0, 1.0], np.ones((5, 2)), np.ones((5, 2)), dt)
