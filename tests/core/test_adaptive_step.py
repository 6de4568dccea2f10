import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core import Flow, Parameter, parameter
from dovetail.core.adaptive_step import Crossing, solve
from dovetail.core.errors import ConvergenceError, ParameterError


class Ball(Flow):
    """Free fall under an upward force u per mass."""

    height: Parameter = parameter("m", "height at the start", default=5.0)

    def init(self):
        return {"z": self.height, "v": jnp.asarray(0.0)}

    def derivative(self, t, x, u):
        return {"z": x["v"], "v": -10.0 + (0.0 if u is None else u)}

    def output(self, t, x, u):
        return {"displacement": x["z"], "one": jnp.asarray(1.0)}


class VanDerPol(Flow):
    mu: Parameter = parameter("1", "stiffness", default=1000.0)

    def init(self):
        return jnp.array([2.0, 0.0])

    def derivative(self, t, x, u):
        return jnp.stack([x[1], self.mu * ((1 - x[0] ** 2) * x[1]) - x[0]])

    def output(self, t, x, u):
        return x[0]


class Runaway(Flow):
    """x' = x^2 from 1 reaches infinity at t = 1."""

    def init(self):
        return jnp.asarray(1.0)

    def derivative(self, t, x, u):
        return x**2

    def output(self, t, x, u):
        return x


def falling(t, x, u):
    return x["z"]


def test_states_and_outputs_at_given_times_equal_the_closed_form():
    times = np.array([0.0, 0.25, 0.5, 0.99])
    answer = solve(Ball(), 0.0, 1.0, times=times)
    np.testing.assert_allclose(answer.outputs["displacement"], 5 - 5 * times**2, rtol=1e-9)
    np.testing.assert_allclose(answer.states["v"], -10 * times, atol=1e-9)
    assert answer.event is None
    assert float(answer.end_time) == 1.0


def test_an_input_may_be_a_function_of_time():
    answer = solve(Ball(), 0.0, 2.0, times=[2.0], u=lambda t: 10.0 + jnp.cos(t))
    # z'' = cos t from rest
    np.testing.assert_allclose(answer.outputs["displacement"], 5.0 + 1 - np.cos(2.0), rtol=1e-8)


def test_an_event_ends_the_run_at_its_very_time_and_later_times_are_nan():
    answer = solve(
        Ball(), 0.0, 3.0, times=[0.5, 2.0], events={"never": lambda t, x, u: x["z"] - 50, "ground": falling}
    )
    assert answer.event == "ground"
    # bisection on the interpolant: its error is that of the tolerance
    np.testing.assert_allclose(answer.end_time, 1.0, atol=1e-8)
    np.testing.assert_allclose(answer.end_state["v"], -10.0, atol=1e-7)
    assert np.isfinite(answer.outputs["one"][0])
    assert np.isnan(answer.outputs["one"][1])
    assert np.isnan(answer.states["z"][1])


def test_a_crossing_in_one_direction_passes_over_the_other():
    thrown = {"z": jnp.asarray(0.0), "v": jnp.asarray(10.0)}
    level = Crossing(lambda t, x, u: x["z"] - 2.0, "down")
    answer = solve(Ball(), 0.0, 5.0, x0=thrown, events={"down": level})
    # 10 t - 5 t^2 = 2 for the second time
    np.testing.assert_allclose(answer.end_time, 1 + np.sqrt(0.6), atol=1e-8)
    with pytest.raises(ParameterError, match='got "sideways"; one of up, down, both'):
        Crossing(falling, "sideways")


@pytest.mark.slow
def test_a_stiff_oscillator_agrees_with_scipy():
    judge = solve_ivp(
        lambda t, x: [x[1], 1000.0 * (1 - x[0] ** 2) * x[1] - x[0]],
        (0.0, 900.0),
        [2.0, 0.0],
        method="Radau",
        rtol=1e-9,
        atol=1e-11,
        t_eval=[300.0, 700.0, 900.0],
    ).y[0]
    answer = solve(VanDerPol(), 0.0, 900.0, times=[300.0, 700.0, 900.0], stiff=True, rtol=1e-7, atol=1e-9)
    # a relaxation: errors of the step accumulate in the phase only
    np.testing.assert_allclose(answer.outputs, judge, rtol=1e-5)


def test_too_many_steps_are_an_error_with_a_remedy():
    with pytest.raises(ConvergenceError) as error:
        solve(VanDerPol(), 0.0, 900.0, max_steps=100)
    text = str(error.value)
    assert "VanDerPol: integration from 0 s to 900 s did not arrive after 100 steps" in text
    assert "set stiff=True" in text


def test_a_motion_that_runs_away_is_an_error_not_a_number():
    with pytest.raises(ConvergenceError, match="Runaway"):
        solve(Runaway(), 0.0, 2.0, max_steps=2000)


def test_no_step_exceeds_the_maximum():
    free, held = solve(Ball(), 0.0, 1.0), solve(Ball(), 0.0, 1.0, max_step=1e-3)
    assert int(free.steps) < 100  # a parabola needs few
    assert int(held.steps) >= 1000


@pytest.mark.slow
def test_gradients_and_batches_are_supported():
    def end(height):
        return solve(Ball(height), 0.0, 0.5, times=[0.5]).outputs["displacement"][0]

    np.testing.assert_allclose(jax.jit(jax.grad(end))(5.0), 1.0, rtol=1e-8)
    np.testing.assert_allclose(jax.jit(jax.vmap(end))(jnp.array([5.0, 6.0])), [3.75, 4.75], rtol=1e-8)


class WithNothing(Ball):
    """A ball beside a part that remembers nothing."""

    def init(self):
        return {"ball": super().init(), "nothing": ()}

    def derivative(self, t, x, u):
        return {"ball": super().derivative(t, x["ball"], u), "nothing": ()}

    def output(self, t, x, u):
        return super().output(t, x["ball"], u)


@pytest.mark.parametrize("stiff", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_state_may_be_empty_in_places(stiff):
    done = solve(WithNothing(), 0.0, 2.0, stiff=stiff, events={"ground": lambda t, x, u: x["ball"]["z"]})
    assert done.end_state["nothing"] == ()
    assert float(done.end_time) == pytest.approx(1.0, abs=1e-8)
