"""What becomes of the measured force."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import BlendedForce, ForceExtrapolation, MeasuredForce
from dovetail.core import Flow
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import find

DT = 1e-3  # [s]


class Spring(Flow):
    """F = -k x, without memory."""

    k: float

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        return {"force": -self.k * u["displacement"]}


class Maxwell(Flow):
    """A spring k in series with a damper c: the damper's stretch is the state."""

    k: float
    c: float

    def init(self):
        return jnp.asarray(0.0)

    def derivative(self, t, x, u):
        return self.k / self.c * (u["displacement"] - x)

    def output(self, t, x, u):
        return {"force": -self.k * (u["displacement"] - x)}


def motion(displacement, measured_force):
    zero = jnp.zeros_like(jnp.asarray(displacement))
    return {
        "displacement": jnp.asarray(displacement),
        "velocity": zero,
        "acceleration": zero,
        "measured_force": jnp.asarray(measured_force),
    }


def run(feedback, displacement, measured_force, dt=DT):
    inputs = motion(jnp.asarray(displacement), jnp.asarray(measured_force))
    times = dt * jnp.arange(len(displacement))

    def tick(state, now):
        return feedback.step(now[0], dt, state, now[1])

    return jax.lax.scan(tick, feedback.init(), (times, inputs))[1]


def test_the_measured_force_passes():
    _, out = MeasuredForce().step(0.0, DT, (), motion(0.1, 7.0))
    assert out["feedback_force"] == 7.0


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_the_blend_is_the_weighted_mean_of_measurement_and_model(share):
    feedback = BlendedForce(model=Spring(100.0), measured_fraction=share)
    _, out = feedback.step(0.0, DT, feedback.init(), motion(0.1, 7.0))
    assert out["feedback_force"] == pytest.approx(share * 7.0 + (1 - share) * -10.0)
    assert out["model_force"] == pytest.approx(-10.0)
    assert out["measured_fraction"] == share


def test_a_model_with_memory_follows_the_motion_along_a_straight_line():
    rate = 0.2  # [m/s]
    k, c = 500.0, 20.0  # [N/m, N s/m]
    t = DT * np.arange(1, 101)
    out = run(BlendedForce(model=Maxwell(k, c), measured_fraction=0.0), rate * t, np.zeros(100))
    exact = -c * rate * (1 - np.exp(-k / c * t))  # under a ramp
    # RK4 at k dt / c = 0.025: error of order 1e-9; a held motion would be off by a per cent
    assert np.asarray(out["feedback_force"]) == pytest.approx(exact, rel=1e-7)


def test_two_substeps_of_a_tick_are_two_ticks_of_half_the_length():
    """The motion is linear between two ticks, so that samples half-way add nothing."""
    samples = 0.01 * np.sin(2 * np.pi * 5.0 * DT * np.arange(101))
    halfway = np.interp(np.arange(0.5, 100.5, 0.5), np.arange(101), samples)
    model = Maxwell(500.0, 1.0)
    two = run(BlendedForce(model=model, measured_fraction=0.0, substeps=2), samples[1:], np.zeros(100))
    half = run(BlendedForce(model=model, measured_fraction=0.0), halfway, np.zeros(200), DT / 2)
    np.testing.assert_allclose(two["feedback_force"], half["feedback_force"][1::2], rtol=1e-12)


def test_force_extrapolation_compensates_half_a_sample_on_a_ramp():
    out = run(ForceExtrapolation(), np.zeros(4), [3.0, 5.0, 7.0, 9.0])
    assert out["feedback_force"] == pytest.approx([3.0, 6.0, 8.0, 10.0])  # the first has no sample before it


def test_extrapolation_works_on_a_blend():
    feedback = ForceExtrapolation(feedback=BlendedForce(model=Spring(100.0), measured_fraction=0.5))
    out = run(feedback, [0.0, 0.1], [0.0, 4.0])
    assert out["feedback_force"] == pytest.approx([0.0, 1.5 * (0.5 * 4.0 - 0.5 * 10.0)])


def test_the_held_extrapolated_force_has_the_mean_of_the_continuous_one():
    w, t = 2 * np.pi * 8.0, DT * np.arange(1, 2001)  # [rad/s, s]
    force = np.sin(w * t)
    out = run(ForceExtrapolation(), np.zeros(2000), force)
    mean = (np.cos(w * t) - np.cos(w * (t + DT))) / (w * DT)  # of sin over the step it is held
    plain, advanced = force - mean, np.asarray(out["feedback_force"]) - mean
    assert np.sqrt(np.mean(advanced[1:] ** 2)) < 0.05 * np.sqrt(np.mean(plain[1:] ** 2))


def test_each_axis_has_its_measured_fraction():
    feedback = BlendedForce(model=Spring(100.0), measured_fraction=jnp.array([0.0, 1.0])).with_sample_time(
        DT, (2,)
    )
    _, out = feedback.step(0.0, DT, feedback.init(), motion(jnp.array([0.1, 0.1]), jnp.array([7.0, 7.0])))
    assert out["feedback_force"] == pytest.approx([-10.0, 7.0])


def test_the_measured_fraction_supports_batches_and_derivatives():
    def force(share):
        feedback = BlendedForce(model=Spring(100.0), measured_fraction=share)
        return feedback.step(0.0, DT, feedback.init(), motion(0.1, 7.0))[1]["feedback_force"]

    assert jax.vmap(jax.grad(force))(jnp.array([0.2, 0.8])) == pytest.approx([17.0, 17.0])


def test_a_measured_fraction_above_one_is_rejected():
    with pytest.raises(
        ParameterError, match=r"BlendedForce.measured_fraction: got 1.2; must be at least 0 and at most 1"
    ):
        BlendedForce(model=Spring(100.0), measured_fraction=1.2)


@pytest.mark.parametrize(
    ("name", "part"),
    [("measured", MeasuredForce), ("blended", BlendedForce), ("force-extrapolation", ForceExtrapolation)],
)
def test_feedbacks_are_found_by_kind(name, part):
    assert find(name) is part


def test_after_start_up_the_first_force_is_extrapolated_from_rest():
    state = ForceExtrapolation().state_after_startup(ForceExtrapolation().init())
    assert float(state["previous"]) == 0.0
    assert float(state["has_previous"]) == 1.0
