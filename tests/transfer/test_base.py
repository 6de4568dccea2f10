import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.kinds import find
from dovetail.transfer import (
    AmplitudeLimit,
    Bias,
    DeadZone,
    Delay,
    Gain,
    Quantiser,
    RateLimit,
    SecondOrderLag,
    Series,
    Transfer,
    WhiteNoise,
)

dt = 1e-3  # [s]


def test_a_series_is_one_after_the_other(drive):
    u = np.sin(np.arange(100) / 7.0)
    together = drive(Series((Delay(2.5e-3), SecondOrderLag(200.0, 0.7))), u, dt)
    apart = drive(SecondOrderLag(200.0, 0.7), drive(Delay(2.5e-3), u, dt), dt)
    np.testing.assert_allclose(together, apart, atol=1e-15)


def test_an_empty_series_returns_its_input(drive):
    u = np.arange(5.0)
    np.testing.assert_array_equal(drive(Series(()), u, dt), u)


def test_a_series_in_a_series_is_shaped_to_the_depth():
    part = Series((Gain(2.0), Series((Delay(2.5e-3), SecondOrderLag(200.0, 0.7))))).with_sample_time(dt, (3,))
    assert jax.tree.leaves(part.init())[0].shape == (5, 3)
    assert part.step(0.0, dt, part.init(), jnp.ones(3))[1].shape == (3,)


def test_at_rest_everything_is_zero(drive):
    part = Series((Delay(2.5e-3), SecondOrderLag(200.0, 0.7), RateLimit(1.0), Gain(3.0), DeadZone(0.1)))
    np.testing.assert_array_equal(drive(part, np.zeros((5, 2)), dt), 0.0)


def test_remarks_of_a_series_list_neglected_nonlinearities():
    parts = (
        Gain(0.5),
        AmplitudeLimit(1.0),
        DeadZone(1e-4),
        Quantiser(1e-6),
        WhiteNoise(1.0),
        Bias(1.0),
        RateLimit(1.0),
    )
    g = Series(parts).linear()
    assert complex(g(1j)) == 0.5
    assert g.remarks == (
        "amplitude limit assumed not reached",
        "dead zone replaced by unit gain (signals large compared with its threshold)",
        "quantiser replaced by unit gain (signals large compared with its resolution)",
        "noise neglected",
        "bias neglected",
        "rate limit assumed not reached",
    )


class Square(Transfer):
    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return (), u**2


def test_a_part_without_linear_model_reports_it():
    with pytest.raises(AnalysisError, match=r"Square has no linear model"):
        Series((Gain(1.0), Square())).linear()


def test_a_wrong_shape_is_reported():
    with pytest.raises(ParameterError, match=r"Gain.gain: got shape \(2,\) for the interface \(\)"):
        Gain([1.0, 2.0]).with_sample_time(dt, ())


@pytest.mark.parametrize(
    "name",
    [
        "delay", "first-order-lag", "second-order-lag", "transfer-function", "gain", "amplitude-limit",
        "rate-limit", "dead-zone", "quantiser", "white-noise", "coloured-noise", "bias", "series",
    ],
)  # fmt: skip
def test_test_files_can_name_it(name):
    assert issubclass(find(name), Transfer)
