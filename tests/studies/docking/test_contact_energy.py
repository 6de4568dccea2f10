import numpy as np
import pytest
from scipy.integrate import quad

from dovetail.core.errors import AnalysisError
from dovetail.mechanics.contact import Flores, Hertz
from dovetail.studies.docking.contact_energy import (
    contact_time,
    first_order_gain,
    gain_map,
    neutral_delay,
    realised_through,
)
from dovetail.studies.docking.impact import Instruments, first_impact

K, MASS, SENSOR = 9.0795e8, 30 * 75 / 105, 2 * np.pi * 10e3  # sample impact, Bondoky 2020, sec. 5.3.1


def test_time_of_an_elastic_contact():
    p = first_impact(Hertz(stiffness=K), MASS, 0.1, Instruments(4000.0, SENSOR), steps=4000)
    assert float(contact_time(Hertz(stiffness=K), MASS, 0.1)) == pytest.approx(
        float(p.ideal.duration), rel=1e-4
    )


def test_time_of_an_elastic_contact_of_any_exponent():
    """Judged by the quarter swing that scipy integrates, with the singular end taken out; pi for a linear spring."""
    rng = np.random.default_rng(8)
    for n in (1.0, 1.5, *rng.uniform(0.6, 4.0, 6)):
        k, m, v = 10 ** rng.uniform(4, 9), 10 ** rng.uniform(-1, 3), 10 ** rng.uniform(-3, 0)
        depth = ((n + 1) * m * v**2 / (2 * k)) ** (1 / (n + 1))
        # 1 - s^(n+1) = q^2
        whole = quad(lambda q, n=n: (1 - q**2) ** (1 / (n + 1) - 1) * 2 / (n + 1), 0, 1)[0]
        assert float(contact_time(Hertz(stiffness=k, exponent=n), m, v)) == pytest.approx(
            2 * whole * depth / v, rel=1e-6
        )
    linear = Hertz(stiffness=1e6, exponent=1.0)
    assert float(contact_time(linear, 2.0, 0.3)) == pytest.approx(np.pi * np.sqrt(2.0 / 1e6), rel=1e-12)


@pytest.mark.parametrize("lag", [40e-6, 92e-6])
def test_first_order_gain_of_a_short_lag(lag):
    tools = Instruments(1.4 / lag, 2e6)  # nearly all of it in the actuator
    law = Hertz(stiffness=K)
    rebound = 0.1 * float(realised_through(law, MASS, 0.1, tools, 12_000))
    gained = 0.5 * MASS * (rebound**2 - 0.01)
    # the next order is some lags over the time of contact, 4.5 ms
    assert float(first_order_gain(law, MASS, 0.1, tools.lag)) == pytest.approx(gained, rel=7 * lag / 4.5e-3)


def test_the_sample_impact_is_energy_neutral_at_about_half_a_millisecond():
    delay = neutral_delay(Flores(stiffness=K), MASS, 0.1, sensor_omega=SENSOR)
    assert delay == pytest.approx(0.55e-3, abs=0.02e-3)
    tools = Instruments(4 / delay, SENSOR)
    assert float(realised_through(Flores(stiffness=K), MASS, 0.1, tools)) == pytest.approx(1.0, abs=1e-5)


def test_an_elastic_contact_has_no_neutral_delay():
    with pytest.raises(AnalysisError, match="any delay adds energy"):
        neutral_delay(Flores(stiffness=K, restitution=1.0), MASS, 0.1, sensor_omega=SENSOR)


def test_a_slow_sensor_cannot_be_compensated():
    with pytest.raises(AnalysisError, match="faster sensor"):
        neutral_delay(Flores(stiffness=K), MASS, 0.1, sensor_omega=3000.0)


def test_the_map_rises_with_delay_and_falls_with_the_sensors_bandwidth():
    gains = gain_map(Flores(stiffness=K), MASS, 0.1, [0.3e-3, 0.6e-3, 1.2e-3], [1e4, 1e5])
    assert gains.shape == (3, 2)
    assert np.all(np.diff(gains, axis=0) > 0)
    assert np.all(np.diff(gains, axis=1) < 0)
    assert gains[0, 1] < 1 < gains[2, 1]


def test_the_energy_depends_on_the_net_lag_only():
    """To first order actuator and sensor add up: halves of either kind give the same energy."""
    law, lag = Hertz(stiffness=K), 60e-6
    gains = []
    for share in (0.3, 0.5, 0.7):
        tools = Instruments(1.4 / (share * lag), 1.4 / ((1 - share) * lag))
        assert float(tools.lag) == pytest.approx(lag, rel=1e-12)
        gains.append(float(realised_through(law, MASS, 0.1, tools, 12_000)) ** 2 - 1)
    assert gains[0] > 0
    assert np.ptp(gains) < 0.05 * gains[0]


def test_the_map_is_crossed_at_the_neutral_delay_of_each_sensor():
    """The border of the map, where an impact keeps its energy, is the critical delay found by itself."""
    law, delays, sensors = Flores(stiffness=K), np.linspace(0.3e-3, 0.7e-3, 9), [2e4, 4e4, 1e5]
    gains = gain_map(law, MASS, 0.1, delays, sensors)
    border = [float(np.interp(1.0, column, delays)) for column in gains.T]
    alone = [neutral_delay(law, MASS, 0.1, sensor_omega=w) for w in sensors]
    assert border == pytest.approx(alone, rel=2e-3)
    assert alone == sorted(alone)  # a faster sensor leaves the actuator more time
