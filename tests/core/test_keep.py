"""What leaves the compiled loop: all signals, some, or running measures."""

import jax.numpy as jnp
import numpy as np

from dovetail.core import RK4, Flow
from dovetail.core.advance import run_samples
from dovetail.core.keep import Keep, Rows, Selected
from dovetail.core.system import FlowSystem


class Ramp(Flow):
    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        return jnp.ones(())

    def output(self, t, x, u):
        return {"displacement": x, "force": -2.0 * x}


def rows(keep):
    """Kept measures and rows of five samples of 0.1 s."""
    state, kept = run_samples(FlowSystem(Ramp(), RK4()), 0.1, 5, keep)
    return state.kept, kept


def test_selected_signals_are_those_of_all_rows():
    every, some = rows(Rows())[1], rows(Selected(("force",)))[1]
    assert set(every) == {"displacement", "force"}
    assert set(some) == {"force"}
    np.testing.assert_array_equal(some["force"], every["force"])
    np.testing.assert_allclose(every["displacement"], 0.1 * np.arange(1, 6), rtol=1e-12)
    assert rows(Selected())[1] == {}


class Largest(Keep):
    """Largest displacement, without rows."""

    def start(self, shown):
        return shown["displacement"]

    def row(self, kept, t, h, shown):
        return jnp.maximum(kept, shown["displacement"]), {}


def test_a_running_measure_covers_all_samples():
    np.testing.assert_allclose(rows(Largest())[0], 0.5, rtol=1e-12)
