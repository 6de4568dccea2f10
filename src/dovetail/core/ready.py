"""Programs that are ready: what ran before on this machine is found without being traced again.

To find a kept program JAX traces the function anew, writes its program down, and looks for that (`kept_programs`):
most of the time of a short command. Here a program is asked for by what it is made of: the function, everything in its
arguments but the numbers in their arrays, the sources of the package, the versions of what it stands on, and what the
environment says to the compiler. The answer is the executable itself, so that the numbers are the same to the bit.

That holds only where nothing else can change what a function does. So only the command line asks for it (it says so by
`DOVETAIL_READY` before anything is imported): its process runs what was installed and nothing else. A part that a user
has written, whose source may change from run to run, makes the whole program one that is traced; so does whatever
cannot be told apart with certainty, or cannot be written down.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import os
import pickle
import platform
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import equinox as eqx
import jax
import numpy as np
from jax.experimental import serialize_executable

from dovetail.core import kept_programs, programs

prepare_lapack: Callable[[str, type], Any] | None
try:
    from jaxlib.lapack import prepare_lapack_call as prepare_lapack
except ImportError:  # another version of JAX: what calls it is traced
    prepare_lapack = None

F = TypeVar("F", bound=Callable)
Program = Callable[[list[Any]], Any]  # from the arrays among the arguments to what the function gives

ALLOWED = "DOVETAIL_READY"  # in the environment of a process that runs what was installed, and nothing else
# what a part, or a value in it, may be made by: libraries whose versions count, and what is Python's own
LIBRARIES = ("jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy")
STANDING = {
    *LIBRARIES,
    "dovetail",
    "builtins",
    "collections",
    "copyreg",
    "enum",
    "functools",
    "operator",
    "pathlib",
}
LAPACK = "lapack_"  # how the names of its functions begin
SAID = ("JAX_", "XLA_", "EQX_")  # how the names begin by which the environment speaks to the compiler
UNWRITTEN = (pickle.PicklingError, AttributeError, TypeError, ValueError, NotImplementedError)

_asked = os.environ.get(ALLOWED) == "1"
_loaded: dict[Any, Program | None] = {}  # None where a program cannot be kept


class Unsure(Exception):
    """An argument of which it cannot be told whether it is what it was."""


def ready(function: F, **options: Any) -> F:
    """`eqx.filter_jit` of a function of the package, which finds its program untraced where that is allowed."""
    traced = eqx.filter_jit(function, **options)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if (store := _store()) is None:
            return traced(*arguments)
        made = _Made(function, options, *jax.tree.flatten(arguments))
        if any(isinstance(leaf, jax.core.Tracer) for leaf in made.leaves):  # a part of another program
            return traced(*arguments)
        try:
            if (known := made.here()) not in _loaded:
                kept = _kept(made, store, made.written)
                _loaded[known] = _read(kept) if kept else None
        except TypeError:  # what cannot be told from others at a glance
            return traced(*arguments)
        program = _loaded[known]
        return program(made.arrays()) if program else traced(*arguments)

    return cast(F, call)


def shapes(function: Callable[..., Any], *arguments: Any) -> Any:
    """`eqx.filter_eval_shape` of a function of the package: its answer is kept as programs are."""
    made = _Made(function, {"shapes": True}, *jax.tree.flatten(arguments))

    def traced() -> Any:
        return eqx.filter_eval_shape(function, *arguments)

    store = _store()
    kept = _kept(made, store, lambda: pickle.dumps(traced())) if store else b""
    return pickle.loads(kept) if kept else traced()


def _kept(made: _Made, store: kept_programs.Programs, write: Callable[[], bytes]) -> bytes:
    """What was kept of a function and its arguments, else what is written and kept now; nothing where it cannot be."""
    try:
        key = made.key()
    except (Unsure, *UNWRITTEN):
        return b""
    if kept := store.get(key):
        return kept
    if written := write():
        store.put(key, written)
    return written


@functools.cache
def _store() -> kept_programs.Programs | None:
    """Where programs are kept; None where they are not, or in a way that the user has chosen."""
    place = jax.config.values["jax_compilation_cache_dir"]
    fit = _asked and place is not None and kept_programs.folder() == Path(place)
    return kept_programs.Programs(Path(place)) if fit else None


programs.also_drop(_loaded.clear)


class _Made:
    """What a program is made of: a function, how it is compiled, and its arguments, flat."""

    def __init__(
        self, function: Callable[..., Any], options: dict[str, Any], leaves: list[Any], structure: Any
    ):
        self.function, self.options, self.leaves, self.structure = function, options, leaves, structure
        self.places = [i for i, leaf in enumerate(leaves) if eqx.is_array(leaf)]

    def arrays(self) -> list[Any]:
        """The arrays among the arguments."""
        return [self.leaves[i] for i in self.places]

    def with_arrays(self, arrays: list[Any]) -> Any:
        """The arguments, with others in the places of the arrays."""
        given = dict(zip(self.places, arrays, strict=True))
        return jax.tree.unflatten(self.structure, [given.get(i, leaf) for i, leaf in enumerate(self.leaves)])

    def kinds(self) -> tuple[Any, ...]:
        """What a program knows of the arrays."""
        return tuple((a.shape, a.dtype, bool(getattr(a, "weak_type", False))) for a in self.arrays())

    def here(self) -> Any:
        """What tells the program from others in this process."""
        arrays = set(self.places)
        others = tuple((type(leaf), leaf) for i, leaf in enumerate(self.leaves) if i not in arrays)
        return self.function, self.structure, others, self.kinds()

    def key(self) -> str:
        """What tells it from others on this machine: a name for all that it depends on."""
        place = f"{self.function.__module__}:{inspect.unwrap(self.function).__code__.co_firstlineno}"
        kinds = [(shape, str(dtype), weak) for shape, dtype, weak in self.kinds()]
        text = io.BytesIO()
        writer = _Sure(text, protocol=5)
        writer.fast = True  # all by value: whether two equal names are one object makes no difference
        writer.dump((place, self.options, kinds, self.with_arrays([None] * len(kinds))))
        return f"ready-{hashlib.sha256(_stamp() + text.getvalue()).hexdigest()}"

    def written(self) -> bytes:
        """The program, compiled and written down; nothing where it cannot be."""
        shown: Any = None

        def flat(arrays: list[Any]) -> list[Any]:
            nonlocal shown
            dynamic, static = eqx.partition(self.function(*self.with_arrays(arrays)), eqx.is_array)
            values, shape = jax.tree.flatten(dynamic)
            shown = jax.tree.unflatten(shape, range(len(values))), static
            return values

        lowered = jax.jit(flat, **self.options).lower(self.arrays())
        calls = set(re.findall(r"custom_call @([\w.]+)", lowered.as_text()))
        if calls and (prepare_lapack is None or not all(name.startswith(LAPACK) for name in calls)):
            return b""  # what it calls may have to be made ready while it is traced
        with kept_programs.aside():  # one that JAX had kept could not be written down a second time
            compiled = lowered.compile()
        try:
            return pickle.dumps((bool(calls), serialize_executable.serialize(compiled), shown))
        except UNWRITTEN:  # it speaks to the interpreter, or shows what is none of ours
            return b""


def _read(kept: bytes) -> Program:
    calls_lapack, executable, (dynamic, static) = pickle.loads(kept)
    if calls_lapack and prepare_lapack:
        prepare_lapack("gesv", np.float64)  # as JAX does while it traces: its functions are found once
    compiled = serialize_executable.deserialize_and_load(*executable)
    shape = jax.tree.structure(dynamic)
    return lambda arrays: eqx.combine(jax.tree.unflatten(shape, compiled(arrays)), static)


class _Sure(pickle.Pickler):
    """Writes down what stands still between two versions, and nothing else."""

    def reducer_override(self, obj: Any) -> Any:
        """Refuse classes and functions whose source may be another one tomorrow."""
        if isinstance(obj, type) or inspect.isroutine(obj):
            room = (getattr(obj, "__module__", None) or "builtins").partition(".")[0]
            if room not in STANDING:
                raise Unsure(obj)
        return NotImplemented


@functools.cache
def _stamp() -> bytes:
    """What all programs of this process depend on: sources, versions, words to the compiler."""
    files = sorted(
        (f.path, f.stat().st_size, f.stat().st_mtime_ns) for f in _files(Path(__file__).parents[1])
    )
    versions = [platform.python_version(), *(version(name) for name in LIBRARIES)]
    said = sorted((name, value) for name, value in os.environ.items() if name.startswith(SAID))
    return hashlib.sha256(repr((files, versions, said, jax.default_backend())).encode()).digest()


def _files(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                yield entry
            elif entry.name != "__pycache__":
                yield from _files(entry.path)
