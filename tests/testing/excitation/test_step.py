import jax
import numpy as np

from dovetail.testing.excitation import Step

t = np.linspace(0.0, 2.0, 201)


def test_a_step_is_zero_before_its_start_and_complete_after():
    np.testing.assert_array_equal(Step(0.3, 1.0)(t), np.where(t >= 1.0, 0.3, 0.0))


def test_a_smooth_step_reaches_half_its_amplitude_at_half_its_rise_time():
    step = Step(0.3, 0.5, rise_time=1.0)
    np.testing.assert_allclose(
        [step(0.5), step(1.0), step(1.5), step(3.0)], [0.0, 0.15, 0.3, 0.3], atol=1e-15
    )
    assert np.all(np.diff(step(t)) >= 0)


def test_the_gradient_of_a_sudden_step_is_finite():
    assert np.isfinite(jax.grad(lambda rise: Step(0.3, 0.5, rise)(1.0))(0.0))
