"""Clocks: times of the samples, the end, and what belongs to the host alone."""

import equinox as eqx
import jax.numpy as jnp
import pytest

from dovetail.core.clock import HostOnly, LoopState, SelfTimed, Simulated, Stopping, WallClock


def state(k=0, t=0.0):
    return LoopState(jnp.asarray(k), jnp.asarray(t), None, None)


@pytest.mark.parametrize("kind", [Simulated, Stopping, WallClock])
def test_samples_are_at_multiples_of_the_step(kind):
    clock = kind(0.25, 8)
    assert tuple(map(float, clock.interval(None, state(k=3)))) == (0.75, 0.25)
    assert [bool(clock.finished(state(k=k))) for k in (7, 8, 9)] == [False, True, True]
    assert (int(clock.end), clock.fraction(state(k=2)), clock.fraction(state(k=11))) == (8, 0.25, 1.0)
    assert not clock.waits(None, state())


def test_a_step_that_the_system_proposes_ends_with_the_run():
    class Quick:
        def proposed_step(self, t, x):
            return 0.4

    clock = SelfTimed(1.0)
    assert tuple(map(float, clock.interval(Quick(), state(t=0.5)))) == (0.5, 0.4)
    t, h = clock.interval(Quick(), state(t=0.9))
    assert float(t + h) == 1.0
    assert bool(clock.finished(state(t=1.0)))
    assert clock.fraction(state(t=0.25)) == 0.25


def test_host_settings_do_not_change_the_compiled_program():
    traced = []

    class Cell(Simulated):
        cell: HostOnly = eqx.field(static=True, kw_only=True)

    @eqx.filter_jit
    def interval(clock, now):
        traced.append(clock)
        return clock.interval(None, now)

    for cell in ("one", "another"):
        interval(Cell(0.25, 8, cell=HostOnly(cell)), state(k=3))
    assert len(traced) == 1
    assert HostOnly("one").value == "one"
