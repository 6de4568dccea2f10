"""Programs that are found without being traced: where they may be, and where not."""

import os
import subprocess
import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import GriddedWake
from dovetail.core import executable_store, program_cache
from dovetail.core.programs import drop_programs


@pytest.fixture
def allowed(tmp_path, monkeypatch):
    """A process in which programs may be found, with a folder of its own; how often something was traced."""
    place = program_cache.Programs(tmp_path)
    monkeypatch.setattr(executable_store, "_store", lambda: place)
    executable_store._loaded.clear()
    yield tmp_path
    executable_store._loaded.clear()


def counted(function):
    """The function as one of the package, and the number of times it was traced."""
    calls = []

    def inner(*arguments):
        calls.append(1)
        return function(*arguments)

    inner.__module__, inner.__qualname__ = "dovetail.somewhere", "inner"
    return executable_store.ready(inner), calls


def forget(folder):
    """As in the next process."""
    executable_store._loaded.clear()
    return sorted(folder.glob("ready-*"))


def test_the_next_process_traces_nothing_and_gives_the_same_bits(allowed):
    x = np.linspace(0.1, 1.0, 7)
    function, calls = counted(lambda x, n: {"value": jnp.sin(x) * n, "n": n, "none": None})
    first = function(x, 3)
    assert len(forget(allowed)) == 1
    again = function(x, 3)
    assert len(calls) == 1
    assert again["n"] == 3
    assert again["none"] is None
    assert np.array_equal(first["value"], again["value"])
    assert np.array_equal(first["value"], jax.jit(lambda x: jnp.sin(x) * 3)(x))


@pytest.mark.parametrize(
    "other",
    [
        (np.linspace(0.1, 1.0, 8), 3),
        (np.arange(7), 3),
        (np.linspace(0.1, 1.0, 7), 4),
        (np.linspace(0.1, 1.0, 7), 3.0),
        (np.linspace(0.1, 1.0, 7), True),
    ],
    ids=["length", "type", "number", "float", "bool"],
)
def test_another_form_or_another_fixed_value_is_another_program(allowed, other):
    function, calls = counted(lambda x, n: jnp.cos(x) * n)
    function(np.linspace(0.1, 1.0, 7), 3)
    function(np.linspace(0.2, 2.0, 7), 3)  # other numbers are none
    assert len(calls) == 1
    found = function(*other)
    assert len(calls) == 2
    assert np.allclose(found, np.cos(other[0]) * other[1])
    assert len(forget(allowed)) == 2


def test_in_a_loop_each_call_uses_the_program_of_its_form(allowed):
    function, calls = counted(lambda state: (state["x"] * state["n"], len(state)))
    ones, twos = np.ones(3), jnp.full(2, 2.0)
    forms = [({"x": ones, "n": 3}, 3.0), ({"x": twos, "n": 3}, 6.0), ({"x": twos, "n": 4}, 8.0)]
    forms += [({"x": twos, "n": np.asarray(5.0)}, 10.0), ({"x": 2 * ones, "n": True}, 2.0)]
    forms += [({"x": ones, "n": 1}, 1.0), ({"x": np.ones(3, int), "n": 1}, 1.0)]
    for _ in range(2):
        for state, value in forms:
            found, _ = function(state)
            assert found.tolist() == [value] * len(state["x"])
            assert function({**state, "x": 2 * state["x"]})[0].tolist() == [2 * value] * len(state["x"])
    assert len(calls) == len(forms)


def test_linear_algebra_is_ready_too(allowed):
    """Its functions are looked up while a program is traced; a process that traces none has to do so itself."""
    code = (
        "import os, sys; os.environ['DOVETAIL_READY'] = '1'; import numpy as np, jax.numpy as jnp\n"
        "from dovetail.core import executable_store\n"
        "def solve(a): return jnp.linalg.solve(a, jnp.ones(3)), jnp.linalg.eigvals(a)\n"
        "solve.__module__ = 'dovetail.somewhere'\n"
        "x, w = executable_store.ready(solve)(np.diag([1.0, 2.0, 4.0]))\n"
        "print(x.tolist(), sorted(w.real.tolist()), len(list(executable_store._store().folder.glob('ready-*'))))"
    )
    place = {**os.environ, "DOVETAIL_PROGRAM_CACHE": str(allowed)}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], env=place, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "[1.0, 0.5, 0.25] [1.0, 2.0, 4.0] 1"


class Own(eqx.Module):
    """A part that stands in a file of a user, as this one does."""

    k: jax.Array


def test_a_user_part_is_traced_again_because_its_source_may_change(allowed):
    function, calls = counted(lambda part: part.k * 2)
    assert float(function(Own(jnp.asarray(3.0)))) == 6.0
    assert not forget(allowed)
    function(Own(jnp.asarray(4.0)))
    assert len(calls) == 1  # in this process it is remembered as ever


def test_a_part_that_reads_a_file_is_traced_as_the_file_may_change(allowed, tmp_path):
    grid = {"x": np.arange(3.0), "y": np.arange(2.0), "z": np.arange(2.0)}
    file = tmp_path / "wake.npz"
    for speed in (1.0, 2.0):
        np.savez(file, **grid, velocity=np.full((3, 3, 2, 2), speed))
        function, _ = counted(lambda wake, r: wake.velocity(0.0, r))
        found = function(GriddedWake(file=str(file)), np.full((3, 1), 0.5))
        assert np.allclose(found, speed)
        assert not forget(allowed)


def test_programs_with_python_callbacks_are_not_stored(allowed):
    said = []

    def speak(x):
        jax.debug.callback(lambda v: said.append(float(v)), x)
        return x + 1

    function, _ = counted(speak)
    assert float(function(np.asarray(1.0))) == 2.0
    jax.effects_barrier()
    assert said == [1.0]
    assert not forget(allowed)


def test_a_part_of_another_program_is_traced_with_it(allowed):
    function, _ = counted(lambda x: x**2)
    assert float(jax.grad(lambda x: function(x))(3.0)) == 6.0
    assert not forget(allowed)


def test_shapes_are_stored_too(allowed):
    calls = []

    def inner(x):
        calls.append(1)
        return {"y": jnp.outer(x, x)}

    inner.__module__ = "dovetail.somewhere"
    for _ in range(2):
        assert executable_store.shapes(inner, np.zeros(3))["y"].shape == (3, 3)
    assert len(calls) == 1
    assert executable_store.shapes(inner, np.zeros(4))["y"].shape == (4, 4)


def test_shapes_that_cannot_be_stored_are_computed_again(allowed, caplog):
    def inner(x):
        return {"y": x[:2]}

    def local(x):
        return {"y": x[:2], "function": lambda: None}

    inner.__module__ = local.__module__ = "dovetail.somewhere"
    executable_store.shapes(inner, np.zeros(3))
    (file,) = forget(allowed)
    program_cache.Programs(allowed).put(file.stem, b"of another time")
    assert executable_store.shapes(inner, np.zeros(3))["y"].shape == (2,)
    assert caplog.text.count("cannot be used") == 1
    assert executable_store.shapes(local, np.zeros(3))["y"].shape == (2,)
    assert len(forget(allowed)) == 1


def test_a_damaged_program_is_compiled_again(allowed, caplog):
    function, calls = counted(lambda x: x + 1)
    function(np.zeros(2))
    (file,) = forget(allowed)
    file.write_bytes(file.read_bytes()[:-10])
    assert np.array_equal(function(np.zeros(2)), np.ones(2))
    assert len(calls) == 2
    assert "damaged" in caplog.text


def test_an_unloadable_program_is_compiled_again_with_one_remark(allowed, caplog):
    function, calls = counted(lambda x: x + 1)
    function(np.zeros(2))
    function(np.zeros(3))
    for file in forget(allowed):
        program_cache.Programs(allowed).put(file.stem, b"of another time")
    for size in (2, 3):
        assert np.array_equal(function(np.zeros(size)), np.ones(size))
    assert len(calls) == 4
    assert caplog.text.count("cannot be used") == 1


def test_dropped_programs_are_loaded_again(allowed):
    function, calls = counted(lambda x: x + 2)
    function(np.zeros(2))
    drop_programs()
    assert not executable_store._loaded
    assert np.array_equal(function(np.zeros(2)), np.full(2, 2.0))
    assert len(calls) == 1


def test_the_stamp_depends_on_sources_versions_and_compiler_flags(monkeypatch):
    stamp = executable_store._stamp.__wrapped__
    first = stamp()
    assert stamp() == first
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
    assert stamp() != first
    monkeypatch.undo()
    monkeypatch.setattr(executable_store, "version", lambda name: "9.9")
    assert stamp() != first
    monkeypatch.undo()
    files = list(executable_store._files(Path(executable_store.__file__).parent))
    assert {"executable_store.py", "signals.toml"} <= {file.name for file in files}
    monkeypatch.setattr(executable_store, "_files", lambda folder: files[1:])
    assert stamp() != first


def test_a_notebook_traces_and_the_command_line_does_not():
    """Whoever imports the package may change it; `dovetail` runs what was installed."""
    ask = "from dovetail.core import executable_store; print(executable_store._store() is None)"
    plain = {name: value for name, value in os.environ.items() if name != executable_store.ENABLED_VARIABLE}
    for before, answer in (("", "True"), ("import os; os.environ['DOVETAIL_READY'] = '1'; ", "False")):
        done = subprocess.run([sys.executable, "-c", before + ask], env=plain, capture_output=True, text=True)
        assert done.stdout.strip() == answer
