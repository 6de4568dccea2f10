"""Programs are counted, and dropped before a limit of the system is met; what they computed stays the same."""

import math
import os
import sys
from importlib import metadata
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import programs
from dovetail.core.errors import ExhaustionError
from dovetail.core.programs import Guard, Held

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell what a process holds")
random = np.random.default_rng(20261116)


def compile_some(number):
    """So many programs that differ in a constant; what they give for x = 1."""
    factors = random.standard_normal(number)
    kept = [jax.jit(lambda x, a=a: x * a + jnp.tanh(x)) for a in factors]
    found = [float(f(1.0)) for f in kept]
    assert np.allclose(found, factors + np.tanh(1.0), rtol=1e-15)
    return kept


def test_every_compiled_program_is_counted_and_one_that_is_there_is_not():
    float(jax.jit(lambda x: x)(1.0))  # what converts the argument
    number, before = int(random.integers(3, 9)), programs.guard.programs
    kept = compile_some(number)
    assert programs.guard.programs - before == number
    [f(2.0) for f in kept]
    assert programs.guard.programs - before == number


@linux
def test_what_is_held_is_what_the_system_says():
    now = programs.held()
    lines = Path("/proc/self/status").read_text().splitlines()
    resident = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))
    assert now.memory == pytest.approx(resident, rel=0.02)  # the reading itself takes a little
    assert abs(now.maps - len(Path("/proc/self/maps").read_text().splitlines())) <= 5
    assert now.maps < programs.limits().maps < math.inf
    assert now.memory < programs.limits().memory < math.inf


@linux
@pytest.mark.drops
def test_dropped_programs_give_their_maps_back_and_are_compiled_again_when_called():
    programs.drop()  # beside the many of other tests new maps may fall together with old ones
    before = programs.held().maps
    kept = compile_some(60)
    assert programs.held().maps > before + 100  # two at least for each
    programs.drop()
    assert programs.held().maps < before + 50
    assert float(kept[0](0.0)) == 0.0


@pytest.mark.drops
def test_dropping_at_every_compilation_changes_no_number(monkeypatch):
    @eqx.filter_jit
    def pendulum(x, steps):
        return jax.lax.scan(lambda x, _: (x + 0.01 * jnp.array([x[1], -jnp.sin(x[0])]), x), x, length=steps)[
            1
        ]

    start = jnp.asarray(random.standard_normal(2))
    expected = [np.asarray(pendulum(start, n)) for n in (5, 50)]
    before = programs.guard.dropped
    programs.drop()
    monkeypatch.setattr(programs.guard, "_look", 0)
    monkeypatch.setattr(
        programs.guard, "look", lambda: (programs.drop(), setattr(programs.guard, "dropped", before + 1))
    )
    for n, e in zip((5, 50), expected, strict=True):
        assert np.array_equal(np.asarray(pendulum(start, n)), e)
    assert programs.guard.dropped == before + 1, "nothing was dropped"


class System:
    """A process whose every program takes maps and memory, beside data that no drop gives back."""

    def __init__(self, maps=0.0, memory=0.0):
        self.data, self.programs = Held(maps, memory), Held(0, 0.0)
        self.most = 0.0

    def held(self):
        return Held(self.data.maps + self.programs.maps, self.data.memory + self.programs.memory)

    def drop(self):
        self.programs = Held(0, 0.0)

    def compiles(self, guard, number, maps=0.0, memory=0.0):
        for _ in range(number):
            self.programs = Held(self.programs.maps + maps, self.programs.memory + memory)
            self.most = max(self.most, self.held().maps)
            guard.compiled()


LIMITS = Held(65_530, 24e9)


def guard_of(system):
    return Guard(LIMITS, system.held, system.drop)


@pytest.mark.parametrize("maps", random.integers(3, 2001, 5).tolist())
def test_programs_of_any_size_never_take_nine_tenths_of_the_maps(maps):
    system = System(maps=1000)
    guard = guard_of(system)
    system.compiles(guard, 3000, maps)
    assert system.most < 0.9 * LIMITS.maps
    assert guard.programs == 3000
    assert (guard.dropped > 0) == (1000 + 3000 * maps > LIMITS.maps / 2)


def test_few_programs_are_kept():
    system = System(maps=1000, memory=5e8)
    guard = guard_of(system)
    system.compiles(guard, 100, maps=100, memory=1e6)
    assert guard.dropped == 0


def test_memory_that_is_data_is_no_reason_to_drop_again_and_again():
    system = System(memory=8e9)
    guard = guard_of(system)
    system.compiles(guard, 400, maps=1, memory=5e6)  # 2 GB of programs
    assert 1 <= guard.dropped <= 3


def test_another_event_is_no_program():
    guard = Guard(LIMITS)
    guard.compiled("/jax/core/compile/jaxpr_trace_duration", 1.0, fun_name="f")
    assert guard.programs == 0


@pytest.mark.parametrize(
    ("system", "text"),
    [
        (System(maps=60_000), "holds 60,001 of the 65,530 memory maps.*or have vm.max_map_count raised"),
        (
            System(memory=23e9),
            "holds 23 of the 24 GB of memory.*or use a machine with more",
        ),
    ],
)
def test_where_dropping_does_not_help_one_sentence_says_what_to_do(system, text):
    guard = Guard(LIMITS, system.held, lambda: None)
    with pytest.raises(ExhaustionError, match=text) as error:
        system.compiles(guard, 1, maps=1)
    assert "save what you need and go on in a new process" in str(error.value)
    with pytest.raises(ExhaustionError):  # and again: the next compilation could be the end
        system.compiles(guard, 1)


def test_the_sentence_reaches_whoever_asked_for_the_compilation(monkeypatch):
    monkeypatch.setattr(programs.guard, "limits", Held(1, math.inf))
    monkeypatch.setattr(programs.guard, "held", lambda: Held(1, 0.0))
    monkeypatch.setattr(programs.guard, "_look", 0)
    factor = float(random.standard_normal())
    function = jax.jit(lambda x: x - factor)
    with pytest.raises(ExhaustionError, match="go on in a new process"):
        function(1.0)
    monkeypatch.undo()
    assert float(function(1.0)) == 1.0 - factor  # nothing was lost


def test_the_compiler_is_told_to_take_whole_loops_and_the_older_emitter():
    flags = os.environ["XLA_FLAGS"].split()
    assert "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=1048576" in flags
    known = metadata.version("jaxlib").startswith(
        "0.10."
    )  # XLA ends the process at a flag that it does not know
    assert ("--xla_cpu_use_fusion_emitters=false" in flags) == known


def test_a_function_that_is_called_once_gives_the_same_numbers_in_a_program_of_its_own():
    x = jnp.linspace(0.0, 3.0, 50)
    slopes = programs.once(jax.jacfwd(lambda x: jnp.cumsum(jnp.sin(x)) * x))
    np.testing.assert_allclose(
        slopes(x), jax.jacfwd(lambda x: jnp.cumsum(jnp.sin(x)) * x)(x), rtol=1e-13, atol=1e-13
    )
