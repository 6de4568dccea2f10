"""Compiled programs are counted and dropped before a system limit is reached; results do not change."""

import math
import os
import subprocess
import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import programs
from dovetail.core.errors import ExhaustionError
from dovetail.core.programs import Guard, ResourceUsage

linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not report resource usage")
random = np.random.default_rng(20261116)


def compile_some(number):
    """Compile programs that differ in a constant and check their values at x = 1."""
    factors = random.standard_normal(number)
    functions = [jax.jit(lambda x, a=a: x * a + jnp.tanh(x)) for a in factors]
    values = [float(f(1.0)) for f in functions]
    assert np.allclose(values, factors + np.tanh(1.0), rtol=1e-15)
    return functions


def test_each_compiled_program_is_counted_once():
    float(jax.jit(lambda x: x)(1.0))  # compiles the conversion of the argument
    number, before = int(random.integers(3, 9)), programs.guard.programs
    functions = compile_some(number)
    assert programs.guard.programs - before == number
    [f(2.0) for f in functions]
    assert programs.guard.programs - before == number


@linux
def test_resource_usage_equals_the_usage_reported_by_the_system():
    now = programs.resource_usage()
    lines = Path("/proc/self/status").read_text().splitlines()
    resident = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))
    assert now.memory == pytest.approx(resident, rel=0.02)  # the reading itself takes a little
    assert abs(now.maps - len(Path("/proc/self/maps").read_text().splitlines())) <= 5
    assert now.maps < programs.resource_limits().maps < math.inf
    assert now.memory < programs.resource_limits().memory < math.inf


@linux
@pytest.mark.drops
def test_dropping_programs_frees_maps_and_a_call_compiles_again():
    programs.drop_programs()  # many maps of other tests could merge with the new ones
    before = programs.resource_usage().maps
    functions = compile_some(60)
    assert programs.resource_usage().maps > before + 100  # at least two per program
    programs.drop_programs()
    assert programs.resource_usage().maps < before + 50
    assert float(functions[0](0.0)) == 0.0


@pytest.mark.drops
def test_dropping_programs_at_every_compilation_changes_no_result(monkeypatch):
    @eqx.filter_jit
    def pendulum(x, steps):
        return jax.lax.scan(lambda x, _: (x + 0.01 * jnp.array([x[1], -jnp.sin(x[0])]), x), x, length=steps)[
            1
        ]

    start = jnp.asarray(random.standard_normal(2))
    expected = [np.asarray(pendulum(start, n)) for n in (5, 50)]
    before = programs.guard.dropped
    programs.drop_programs()
    monkeypatch.setattr(programs.guard, "_next_check", 0)
    monkeypatch.setattr(
        programs.guard,
        "check_usage",
        lambda: (programs.drop_programs(), setattr(programs.guard, "dropped", before + 1)),
    )
    for n, e in zip((5, 50), expected, strict=True):
        assert np.array_equal(np.asarray(pendulum(start, n)), e)
    assert programs.guard.dropped == before + 1, "nothing was dropped"


class System:
    """Simulated process: programs use maps and memory; data is not freed by a drop."""

    def __init__(self, maps=0.0, memory=0.0):
        self.data, self.programs = ResourceUsage(maps, memory), ResourceUsage(0, 0.0)
        self.most = 0.0

    def usage(self):
        return ResourceUsage(self.data.maps + self.programs.maps, self.data.memory + self.programs.memory)

    def drop(self):
        self.programs = ResourceUsage(0, 0.0)

    def compiles(self, guard, number, maps=0.0, memory=0.0):
        for _ in range(number):
            self.programs = ResourceUsage(self.programs.maps + maps, self.programs.memory + memory)
            self.most = max(self.most, self.usage().maps)
            guard.count_program()


LIMITS = ResourceUsage(65_530, 24e9)


def guard_of(system):
    return Guard(LIMITS, system.usage, system.drop)


@pytest.mark.parametrize("maps", random.integers(3, 2001, 5).tolist())
def test_usage_stays_below_nine_tenths_of_the_maps_for_any_program_size(maps):
    system = System(maps=1000)
    guard = guard_of(system)
    system.compiles(guard, 3000, maps)
    assert system.most < 0.9 * LIMITS.maps
    assert guard.programs == 3000
    assert (guard.dropped > 0) == (1000 + 3000 * maps > LIMITS.maps / 2)


def test_few_programs_are_not_dropped():
    system = System(maps=1000, memory=5e8)
    guard = guard_of(system)
    system.compiles(guard, 100, maps=100, memory=1e6)
    assert guard.dropped == 0


def test_memory_used_by_data_does_not_cause_repeated_drops():
    system = System(memory=8e9)
    guard = guard_of(system)
    system.compiles(guard, 400, maps=1, memory=5e6)  # 2 GB of programs
    assert 1 <= guard.dropped <= 3


def test_other_events_are_not_counted():
    guard = Guard(LIMITS)
    guard.count_program("/jax/core/compile/jaxpr_trace_duration", 1.0, fun_name="f")
    assert guard.programs == 0


@pytest.mark.parametrize(
    ("system", "text"),
    [
        (System(maps=60_000), "60,001 of 65,530 memory maps.*vm.max_map_count"),
        (
            System(memory=23e9),
            "23 of 24 GB of memory.*more memory",
        ),
    ],
)
def test_an_error_is_raised_if_dropping_does_not_free_enough(system, text):
    guard = Guard(LIMITS, system.usage, lambda: None)
    with pytest.raises(ExhaustionError, match=text) as error:
        system.compiles(guard, 1, maps=1)
    assert "new process" in str(error.value)
    with pytest.raises(ExhaustionError):  # also at the next compilation
        system.compiles(guard, 1)


def test_the_error_is_raised_at_the_call_that_compiles(monkeypatch):
    monkeypatch.setattr(programs.guard, "limits", ResourceUsage(1, math.inf))
    monkeypatch.setattr(programs.guard, "usage", lambda: ResourceUsage(1, 0.0))
    monkeypatch.setattr(programs.guard, "_next_check", 0)
    factor = float(random.standard_normal())
    function = jax.jit(lambda x: x - factor)
    with pytest.raises(ExhaustionError, match="new process"):
        function(1.0)
    monkeypatch.undo()
    assert float(function(1.0)) == 1.0 - factor  # the function still works


CODE = """
import jax, jax.numpy as jnp
events = []
jax.monitoring.register_event_listener(lambda event, **about: events.append(event))
import dovetail.core
print(float(jax.jit(lambda x: jnp.sin(x) + 1)(0.25)))
print(sum(event.endswith("cache_hits") for event in events))
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(programs.JAX_VARIABLE, raising=False)
    monkeypatch.delenv(programs.FOLDER_VARIABLE, raising=False)
    return tmp_path


def process(**environment):
    """Value computed by a new process, number of programs from the cache, and messages."""
    environment = {**os.environ, "DOVETAIL_PROCESS": "1", **environment}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    value, hits = done.stdout.split()
    return value, int(hits), done.stderr


def test_the_next_process_loads_the_program_and_compiles_a_changed_one_again(home):
    value, hits, messages = process()
    assert (hits, messages) == (0, "")
    assert process() == (value, 1, "")
    files = [file for file in programs.cache_path().iterdir() if file.name != "seals"]
    for file in files:
        file.write_bytes(file.read_bytes()[:-7] + b"another")
    assert process() == (value, 0, "")
    assert process() == (value, 1, "")
    programs.cache_path().joinpath("planted-cache").write_bytes(b"of somebody else")
    process()
    assert not programs.cache_path().joinpath("planted-cache").exists()


def test_programs_are_not_stored_in_a_process_that_dovetail_did_not_start(home):
    process(DOVETAIL_PROCESS="")
    assert list(home.iterdir()) == []


def test_a_cache_named_by_the_user_or_none_is_used(home, monkeypatch):
    process(**{programs.JAX_VARIABLE: ""})
    process(**{programs.JAX_VARIABLE: str(home / "elsewhere")})
    assert [path.name for path in home.iterdir()] == ["elsewhere"]
    monkeypatch.setenv(programs.FOLDER_VARIABLE, str(home / "mine"))
    assert programs.cache_path().parent == home / "mine"


def test_a_folder_that_others_can_write_is_not_used_and_reported_once(home):
    programs.cache_path().mkdir(parents=True)
    programs.cache_path().chmod(0o777)
    _, hits, messages = process()
    assert hits == 0
    assert messages.count("\n") == 1
    assert "compiled programs are not stored" in messages
    assert list(programs.cache_path().iterdir()) == []


def test_an_unoptimised_program_gives_equal_results():
    x = jnp.linspace(0.0, 3.0, 50)
    slopes = programs.jit_unoptimised(jax.jacfwd(lambda x: jnp.cumsum(jnp.sin(x)) * x))
    np.testing.assert_allclose(
        slopes(x), jax.jacfwd(lambda x: jnp.cumsum(jnp.sin(x)) * x)(x), rtol=1e-13, atol=1e-13
    )
