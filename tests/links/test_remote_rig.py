"""A rig behind a link, as a block: it calls out once per step, in order, from inside a compiled loop."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.links import PythonTick, RemoteRig, RigState, TickSettings, remote_rig
from dovetail.links.native import NativeTick, available
from dovetail.testing import Outcome

needs_compiler = pytest.mark.skipif(bool(available()), reason="no C++ compiler")
SIGNALS = (("measured_displacement", ()), ("measured_force", ()))


@pytest.fixture(params=[PythonTick, pytest.param(NativeTick, marks=needs_compiler)], ids=["python", "native"])
def bench(request, fake):
    made = fake()
    native = request.param is NativeTick
    made.tick = request.param(TickSettings(0xABCDEF, 1, 2, 1_000_000, 50), made.near, made.clock)
    made.handle = made.tick.handle if native else remote_rig.register(made.tick)
    made.rig_block = RemoteRig(jnp.asarray(made.handle), jnp.array([0.3, -0.4]), SIGNALS, native)
    yield made
    remote_rig.unregister(made.handle)


def test_a_compiled_loop_exchanges_one_command_per_step_in_order(bench):
    rig = bench.rig_block

    @jax.jit
    def loop():
        def step(x, k):
            x, reading = rig.step(k * 1e-3, 1e-3, x, 0.01 * k)
            return rig.settle(x, jnp.where(k == 7, Outcome.FORCE.code, 0)), (reading, x["code"])

        return jax.lax.scan(step, rig.init(), jnp.arange(1.0, 11.0))

    x, (readings, codes) = loop()
    np.testing.assert_allclose(readings["measured_displacement"][:7], 0.01 * np.arange(1, 8))
    np.testing.assert_allclose(readings["measured_force"][:7], -np.arange(1, 8.0))
    states = [state for state, _ in bench.rig.commands]
    # the supervisor's word at step 7 is sent between the commands of steps 7 and 8
    assert states == [RigState.ACTIVE] * 7 + [RigState.SAFE] * 4
    assert int(codes[-1]) == int(x["code"]) == Outcome.FORCE.code


def test_before_the_first_command_the_handshake_measurement_is_returned(bench):
    reading = bench.rig_block.first_reading(bench.rig_block.init())
    assert float(reading["measured_displacement"]) == 0.3
    assert float(reading["measured_force"]) == -0.4
    assert not bench.rig.commands


def test_the_first_reason_for_the_end_is_recorded_in_its_step(bench):
    """Of what the link and the supervisor say of a step, the link comes first."""
    rig = bench.rig_block
    bench.rig.script[3] = lambda r, d, a: [r.packed(d, state=RigState.SAFE)]

    @jax.jit
    def loop():
        def step(x, k):
            x, _ = rig.step(k * 1e-3, 1e-3, x, 0.01 * k)
            x = rig.settle(x, jnp.where(k == 3, Outcome.FORCE.code, 0))
            return x, x["code"]

        return jax.lax.scan(step, rig.init(), jnp.arange(1.0, 6.0))

    x, codes = loop()
    assert codes.tolist() == [0, 0] + [Outcome.RIG_STOPPED.code] * 3
    assert int(x["code"]) == Outcome.RIG_STOPPED.code


def test_a_limit_ends_the_run_in_the_same_step(bench):
    rig = bench.rig_block

    @jax.jit
    def one():
        x, _ = rig.step(0.0, 1e-3, rig.init(), jnp.array(0.01))
        return rig.settle(x, jnp.asarray(Outcome.GROWTH_RATE.code))["code"]

    assert int(one()) == Outcome.GROWTH_RATE.code


def test_after_release_the_rig_receives_ready(bench):
    rig = bench.rig_block

    @jax.jit
    def run():
        x, _ = rig.step(0.0, 1e-3, rig.init(), jnp.array(0.01))
        return rig.release(rig.settle(x, jnp.asarray(0)))

    jax.block_until_ready(run())
    assert [state for state, _ in bench.rig.commands] == [RigState.ACTIVE, RigState.READY]


def test_values_are_named_in_their_order_and_shape(bench):
    signals = (("penetration", ()), ("measured_displacement", (3,)), ("measured_force", (3,)))
    rig = RemoteRig(jnp.asarray(bench.handle), jnp.arange(7.0), signals, bench.rig_block.native)
    shown = rig.first_reading(rig.init())
    assert float(shown["penetration"]) == 0.0
    assert shown["measured_displacement"].tolist() == [1.0, 2.0, 3.0]
    assert shown["measured_force"].tolist() == [4.0, 5.0, 6.0]
