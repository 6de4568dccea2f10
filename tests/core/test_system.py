"""A flow as a system: its first sample, its steps, its change of structure."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow, Sampled
from dovetail.core.system import FlowSystem


class Oscillator(Flow):
    """z'' + 2 z' + 400 z = sin(9 t)."""

    def init(self):
        return {"z": jnp.array(0.1), "v": jnp.zeros(())}

    def derivative(self, t, x, u):
        return {"z": x["v"], "v": jnp.sin(9.0 * t) - 2.0 * x["v"] - 400.0 * x["z"]}

    def output(self, t, x, u):
        return {"position": x["z"], "push": jnp.sin(9.0 * t)}


class Growing(Flow):
    """x' = x, beside a state that does not count, longer with each change of structure."""

    more: int = 0

    def init(self):
        return (jnp.ones(()), jnp.zeros(self.more))

    def derivative(self, t, x, u):
        return (x[0], jnp.zeros(self.more))

    def output(self, t, x, u):
        return {"x": x[0]}

    def adapt(self, x):
        return Growing(self.more + 1), (x[0], jnp.zeros(self.more + 1))


def test_the_first_sample_is_the_output_at_the_start():
    _, shown = FlowSystem(Oscillator(), RK4()).start()
    assert float(shown["position"]) == 0.1
    assert float(shown["push"]) == 0.0


def test_a_step_of_a_system_is_a_step_of_the_sampled_flow():
    system, block = (kind(Oscillator(), RK4(), substeps=2) for kind in (FlowSystem, Sampled))
    x, shown = system.step(0.3, 0.01, system.start()[0])
    y, output = block.step(0.3, 0.01, block.init(), None)
    assert float(shown["position"]) == float(output["position"]) == float(x[0]["z"]) == float(y[0]["z"])
    assert float(shown["push"]) == pytest.approx(np.sin(9 * 0.31))


def test_the_input_is_held_over_the_step():
    class Ramp(Flow):
        def init(self):
            return 0.0

        def derivative(self, t, x, u):
            return u

        def output(self, t, x, u):
            return {"x": x, "u": u}

    system = FlowSystem(Ramp(), RK4(), held=3.0)
    _, shown = system.step(0.0, 0.5, system.start()[0])
    assert float(shown["x"]) == pytest.approx(1.5)
    assert shown["u"] == 3.0


def test_a_flow_that_changes_its_structure_gives_another_system_and_its_state():
    system = FlowSystem(Growing(), RK4())
    x, _ = system.start()
    changed, y = system.adapt(x)
    assert (changed.flow.more, y[0][1].shape) == (1, (1,))
    _, shown = changed.step(0.0, 0.1, y)
    assert float(shown["x"]) == pytest.approx(np.exp(0.1), rel=1e-6)
    fixed = FlowSystem(Oscillator(), RK4())
    assert fixed.adapt(fixed.start()[0]) is None
