import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.signals import signal
from dovetail.transfer import Delay, SecondOrderLag, Series
from dovetail.transfer.identification import RecursiveIdentification

dt = 1e-3  # [s]
rich = np.random.default_rng(0).normal(size=4000)
rich = np.convolve(rich, np.hanning(15) / 3.5, mode="same")  # nothing above 130 Hz


@eqx.filter_jit
def learnt(part, demand, measured):
    def step(x, uy):
        return part.step(0.0, dt, x, {"demand": uy[0], "measured": uy[1]})

    return jax.lax.scan(step, part.init(), (demand, measured))


def learn(part, demand, measured):
    found = learnt(part.with_sample_time(dt, demand.shape[1:]), jnp.asarray(demand), jnp.asarray(measured))
    return jax.tree.map(np.asarray, found)


def test_gain_and_delay_are_learnt(record):
    y = 1.05 * record(Delay(9.4e-3), rich, dt, noise=0.02)
    _, shown = learn(RecursiveIdentification(5.0, input_count=16), rich, y)
    assert shown["identified_delay"][-1] == pytest.approx(9.4e-3, abs=0.1e-3)
    assert shown["identified_gain"][-1] == pytest.approx(1.05, abs=0.01)
    late = np.asarray(shown["identification_error"][1000:])
    assert late.std() == pytest.approx(0.021, rel=0.15)  # the noise, times 1.05


def test_past_outputs_make_a_lag_cheap(record):
    part = Series((Delay(2e-3), SecondOrderLag(75.7, 0.416)))
    y = record(part, rich, dt)
    _, shown = learn(RecursiveIdentification(5.0, output_count=2, input_count=5), rich, y)
    assert shown["identified_delay"][-1] == pytest.approx(
        float(part.linear().phase_delay(10 * np.pi)), abs=0.02e-3
    )
    assert shown["identified_gain"][-1] == pytest.approx(float(np.abs(part.linear()(10j * np.pi))), rel=1e-3)


def test_a_change_is_followed_within_the_memory(record):
    y = np.r_[record(Delay(4e-3), rich, dt)[:2000], record(Delay(9e-3), rich, dt)[2000:]]
    _, shown = learn(RecursiveIdentification(5.0, forgetting_time=0.3, input_count=16), rich, y)
    assert shown["identified_delay"][1999] == pytest.approx(4e-3, abs=0.05e-3)
    assert shown["identified_delay"][-1] == pytest.approx(9e-3, abs=0.05e-3)


def test_without_excitation_the_estimate_is_constant(record):
    u = np.r_[rich[:1500], np.zeros(20_000)]
    y = record(Delay(6e-3), u, dt)
    state, shown = learn(RecursiveIdentification(5.0, forgetting_time=0.2, input_count=10), u, y)
    assert shown["identified_delay"][-1] == pytest.approx(6e-3, abs=0.02e-3)
    assert np.trace(state["covariance"]) <= 10 * 1e6 * (1 + 1e-9)


def test_axes_are_identified_separately(record):
    pair = np.stack([rich[:1000], rich[1000:2000]], axis=1)
    y = np.stack([record(Delay(4e-3), pair[:, 0], dt), record(Delay(7e-3), pair[:, 1], dt)], axis=1)
    _, shown = learn(RecursiveIdentification(5.0, input_count=12), pair, y)
    np.testing.assert_allclose(shown["identified_delay"][-1], [4e-3, 7e-3], atol=0.02e-3)


def test_at_first_the_output_is_the_input():
    part = RecursiveIdentification(5.0).with_sample_time(dt)
    gain, delay = part.response(part.init()["coefficients"], dt)
    assert (float(gain), float(delay)) == (1.0, 0.0)


def test_all_output_signals_can_be_recorded():
    assert signal("identified_delay").unit == "s"
    assert {signal(name).frame for name in ("identified_gain", "identification_error")} == {"interface"}
