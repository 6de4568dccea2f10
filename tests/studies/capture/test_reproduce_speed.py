"""What is timed is the same problem twice; how long it takes is the machine's business."""

import jax
import numpy as np
import pytest

from dovetail.studies.capture import reproduce_speed as speed
from dovetail.studies.capture.assembly import PULL, G, published_rope, tip_force
from dovetail.studies.capture.plain_loops import loop_rates


def test_python_and_compiled_code_solve_the_same_problem():
    chain = published_rope(speed.N, bending=300.0, c=100.0)
    x = chain.rest_state(0.0, np.pi / 4, 0.0)
    plain = loop_rates(chain, np.asarray(x["q"]), np.asarray(x["rate"]), np.asarray(G), PULL)
    compiled = np.asarray(jax.jit(lambda x: chain.derivative(0.0, x, tip_force(speed.N))["rate"])(x))
    # accelerations die out along the rope: rounding is that of the largest, 95 rad/s^2
    np.testing.assert_allclose(plain, compiled, rtol=1e-9, atol=1e-13 * np.max(np.abs(compiled)))


def test_a_call_is_timed_after_it_was_compiled():
    calls = []
    assert speed._seconds(lambda: calls.append(1), 10, rounds=3) >= 0
    assert len(calls) == 31


@pytest.mark.slow
def test_both_ratios_are_numbers():
    one, step = speed.speed_up()
    assert one > 0
    assert step > 0
