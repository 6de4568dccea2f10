"""Programs that are ready: what ran before on this machine is found without being traced again.

To find a kept program JAX traces the function anew, writes its program down, and looks for that (`kept_programs`):
most of the time of a short command. Here a program is asked for by what it is made of: the function, everything in its
arguments but the numbers in their arrays, the sources of the package, the versions of what it stands on, and what the
environment says to the compiler. The answer is the executable itself, so that the numbers are the same to the bit.

That holds only where nothing else can change what a function does. So only the command line asks for it (it says so by
`DOVETAIL_READY` before anything is imported): its process runs what was installed and nothing else. A part that a user
has written, whose source may change from run to run, makes the whole program one that is traced. So does a part that
names a file, which it may read; and whatever cannot be told apart with certainty, or cannot be written down.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import itertools
import os
import pickle
import platform
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import equinox as eqx
import jax
import numpy as np
from jax.experimental import serialize_executable

from dovetail.core import program_cache, programs
from dovetail.core.errors import reason

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
PLAIN = (bool, int, float, complex, str, bytes)  # values that are what they are written as
Tracer = jax.core.Tracer
LAPACK = "lapack_"  # how the names of its functions begin
SAID = ("JAX_", "XLA_", "EQX_")  # how the names begin by which the environment speaks to the compiler
UNUSABLE = "a kept program is of no use, and is compiled again"
UNWRITTEN = (pickle.PicklingError, AttributeError, TypeError, ValueError, NotImplementedError)

_asked = os.environ.get(ALLOWED) == "1"
_loaded: dict[Any, Program | None] = {}  # None where a program cannot be kept


class Unsure(Exception):
    """An argument of which it cannot be told whether it is what it was."""


def ready(function: F, **options: Any) -> F:
    """`eqx.filter_jit` of a function of the package, which finds its program untraced where that is allowed."""
    traced = eqx.filter_jit(function, **options)
    last: dict[int, tuple[Any, _Flat]] = {}  # by place: what was given last, flat

    def flat(place: int, argument: Any) -> _Flat:
        given, known = last.get(place, (None, None))
        if known is None or given is not argument or not isinstance(argument, eqx.Module):
            known = _Flat(argument, known)  # a part stays as it is, a dictionary may not
            last[place] = argument, known
        return known

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if (store := _store()) is None:
            return traced(*arguments)
        made = _Made(function, options, [flat(*each) for each in enumerate(arguments)])
        if any(each.inside for each in made.arguments):  # it is a part of another program
            return traced(*arguments)
        try:
            if (known := (call, *made.arguments)) not in _loaded:
                _loaded[known] = _program(made, store)
        except TypeError:  # what cannot be told from others at a glance
            return traced(*arguments)
        program = _loaded[known]
        return program(made.arrays()) if program else traced(*arguments)

    return cast(F, call)


def shapes(function: Callable[..., Any], *arguments: Any) -> Any:
    """`eqx.filter_eval_shape` of a function of the package: its answer is kept as programs are."""
    store = _store()
    key = _Made(function, {"shapes": True}, [_Flat(each) for each in arguments]).key() if store else ""
    if store and key and (kept := store.get(key)):
        try:
            return pickle.loads(kept)
        except Exception as error:  # as for a program
            store.tell("unusable", f"{UNUSABLE} ({reason(error)})")
    found = eqx.filter_eval_shape(function, *arguments)
    if store and key:
        with suppress(*UNWRITTEN):
            store.put(key, pickle.dumps(found))
    return found


def _program(made: _Made, store: program_cache.Programs) -> Program | None:
    """The program that was kept, else one that is compiled and kept now; None where it cannot be."""
    if not (key := made.key()):
        return None
    if kept := store.get(key):
        try:
            return _loaded_from(kept)
        except Exception as error:  # of any kind: the compiler's, or of a name that is not there any more
            store.tell("unusable", f"{UNUSABLE} ({reason(error)})")
    try:
        calls_lapack, compiled, shown = made.compiled()
        store.put(key, pickle.dumps((calls_lapack, serialize_executable.serialize(compiled), shown)))
    except (Unsure, *UNWRITTEN):  # it speaks to the interpreter, or shows what is none of ours
        return None
    return _called(compiled, *shown)


def _loaded_from(kept: bytes) -> Program:
    calls_lapack, executable, shown = pickle.loads(kept)
    if calls_lapack and prepare_lapack:
        prepare_lapack("gesv", np.float64)  # as JAX does while it traces: its functions are found once
    return _called(serialize_executable.deserialize_and_load(*executable), *shown)


def _called(compiled: Any, dynamic: Any, static: Any) -> Program:
    shape = jax.tree.structure(dynamic)
    if not jax.tree.leaves(static):
        return lambda arrays: jax.tree.unflatten(shape, compiled(arrays))
    return lambda arrays: eqx.combine(jax.tree.unflatten(shape, compiled(arrays)), static)


@functools.cache
def _store() -> program_cache.Programs | None:
    """Where programs are kept; None where they are not, or in a way that the user has chosen."""
    place = jax.config.values["jax_compilation_cache_dir"]
    fit = _asked and place is not None and program_cache.folder() == Path(place)
    return program_cache.opened(Path(place)) if fit else None


programs.also_drop(_loaded.clear)


class _Flat:
    """An argument, flat; equal to one that a program cannot tell from it.

    In a loop one call's argument has the form of the last one's: where it has, all that follows from it is taken over.
    """

    structure: Any
    places: list[int]  # of the arrays among the leaves
    inside: bool  # of another program, which is being traced
    kinds: tuple[Any, ...]  # of the arrays
    _form: tuple[Any, ...]
    _hash: int

    def __init__(self, argument: Any, before: _Flat | None = None):
        self.leaves, self.structure = jax.tree.flatten(argument)
        self._seen = [_seen(leaf) for leaf in self.leaves]
        if before is not None and self._seen == before._seen and self.structure == before.structure:
            self.places, self.inside, self.kinds = before.places, before.inside, before.kinds
            self._form, self._hash = before._form, before._hash
            self.arrays = [self.leaves[i] for i in self.places]
            return
        self.places = [i for i, leaf in enumerate(self.leaves) if eqx.is_array(leaf)]
        self.arrays = [self.leaves[i] for i in self.places]
        fixed = [(i, type(leaf), leaf) for i, leaf in enumerate(self.leaves) if not eqx.is_array(leaf)]
        self.inside = any(isinstance(array, Tracer) for array in self.arrays)
        self.kinds = tuple([(a.shape, a.dtype, getattr(a, "weak_type", False)) for a in self.arrays])
        self._form = self.structure, tuple(fixed), self.kinds
        self._hash = -1  # of the form, once it is asked for

    def with_arrays(self, arrays: Iterator[Any]) -> Any:
        """The argument, with others in the places of its arrays."""
        leaves = list(self.leaves)
        for i in self.places:
            leaves[i] = next(arrays)
        return jax.tree.unflatten(self.structure, leaves)

    def __hash__(self) -> int:
        if self._hash == -1:
            self._hash = hash(self._form)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Flat) and self._form == other._form)


def _seen(leaf: Any) -> Any:
    """What can be told of a leaf at a glance; equal for two that are of one kind, and only for such."""
    if isinstance(leaf, Tracer):
        return object()
    if (kind := getattr(leaf, "aval", None)) is not None:
        return kind
    if type(leaf) is np.ndarray:
        return np.ndarray, leaf.shape, leaf.dtype
    return (type(leaf), leaf) if isinstance(leaf, PLAIN) else object()


class _Made:
    """What a program is made of: a function, how it is compiled, and its arguments."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], arguments: list[_Flat]):
        self.function, self.options, self.arguments = function, options, arguments

    def arrays(self) -> list[Any]:
        """The arrays among the arguments."""
        return [array for argument in self.arguments for array in argument.arrays]

    def with_arrays(self, arrays: Iterator[Any]) -> list[Any]:
        """The arguments, with others in the places of the arrays."""
        return [argument.with_arrays(arrays) for argument in self.arguments]

    def key(self) -> str:
        """A name for all that the program depends on; empty where that cannot be told with certainty."""
        place = f"{self.function.__module__}:{inspect.unwrap(self.function).__code__.co_firstlineno}"
        kinds = [(s, str(t), bool(weak)) for argument in self.arguments for s, t, weak in argument.kinds]
        text = io.BytesIO()
        writer = _Sure(text, protocol=5)
        writer.fast = True  # all by value: whether two equal names are one object makes no difference
        try:
            writer.dump((place, self.options, kinds, self.with_arrays(itertools.repeat(None))))
        except (Unsure, *UNWRITTEN):
            return ""
        return f"ready-{hashlib.sha256(_stamp() + text.getvalue()).hexdigest()}"

    def compiled(self) -> tuple[bool, Any, Any]:
        """Whether the program calls LAPACK, the program, and the form of what it gives, numbers and all else apart."""
        shown: Any = None

        def flat(arrays: list[Any]) -> list[Any]:
            nonlocal shown
            dynamic, static = eqx.partition(self.function(*self.with_arrays(iter(arrays))), eqx.is_array)
            values, shape = jax.tree.flatten(dynamic)
            shown = jax.tree.unflatten(shape, range(len(values))), static
            return values

        lowered = jax.jit(flat, **self.options).lower(self.arrays())
        calls = set(re.findall(r"custom_call @([\w.]+)", lowered.as_text()))
        if calls and (prepare_lapack is None or not all(name.startswith(LAPACK) for name in calls)):
            raise Unsure(calls)  # what it calls may have to be made ready while it is traced
        with program_cache.aside():  # one that JAX had kept could not be written down a second time
            return bool(calls), lowered.compile(), shown


class _Sure(pickle.Pickler):
    """Writes down what stands still between two versions, and nothing else."""

    def reducer_override(self, obj: Any) -> Any:
        """Refuse what may be another thing tomorrow: the source of a class or function, a file that a part reads."""
        if isinstance(obj, eqx.Module) and any(
            isinstance(value, str) and os.path.isfile(value) for value in vars(obj).values()
        ):
            raise Unsure(obj)
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
