"""A part that cannot be compiled gets the reason with file, line and remedy."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import user_parts
from dovetail.core.tracing_errors import TRACING_ERRORS, tracing_reason

SIGNAL = jax.ShapeDtypeStruct((2,), float)


@dataclasses.dataclass(frozen=True)
class Frozen:
    k: float = 1.0


@pytest.mark.parametrize(
    ("function", "remedy"),
    [
        (lambda u: u if u[0] > 0 else -u, "jnp.where"),
        (lambda u: max(u[0], u[1]), "jnp.where"),
        (lambda u: np.sin(u), "jax.numpy"),
        (lambda u: float(u[0]), "keep it an array"),
        (lambda u: setattr(Frozen(), "k", u), "return them as state"),
        (lambda u: u * jnp.ones(3), "one value or one per axis"),
        (lambda u: {"displacement": u}["displacment"], "'displacment'"),
    ],
)
def test_the_reason_names_file_line_and_remedy(function, remedy):
    with pytest.raises(TRACING_ERRORS) as raised:
        jax.eval_shape(function, SIGNAL)
    reason = tracing_reason(raised.value)
    assert reason.startswith(f"test_tracing_errors.py, line {function.__code__.co_firstlineno}: ")
    assert remedy in reason


def test_the_place_is_in_a_file_of_user_parts(monkeypatch):
    monkeypatch.setattr(user_parts, "_modules", {})
    user_parts.load_user_parts({"bench24": ["def sign(u):", "    return 1.0 if u[0] > 0 else -1.0"]})
    with pytest.raises(TRACING_ERRORS) as raised:
        jax.eval_shape(user_parts.module("bench24").sign, SIGNAL)
    assert tracing_reason(raised.value).startswith("bench24.py, line 2: ")
