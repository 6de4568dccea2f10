"""Store of executables: a program that ran before on this machine is loaded without being traced again.

To look up a program in the program cache (`program_cache`), JAX traces the function and writes its program as text,
which takes most of the time of a short command. This store uses another key: the function, all of its arguments except
the numbers in arrays, the source files of the package, the versions of its libraries, and the compiler settings in the
environment. It returns the executable itself, so the results are equal to the bit.

The key is valid only if nothing else can change what a function does. Therefore only the command line enables the store
(with the variable `DOVETAIL_READY`, set before any import): its process runs the installed package only. A program is
traced as usual if it contains a user part, whose source may change between runs, a part that names a file, which it may
read, or any value that cannot be identified or serialised.
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
except ImportError:  # another version of JAX: programs that call LAPACK are traced
    prepare_lapack = None

F = TypeVar("F", bound=Callable)
Program = Callable[[list[Any]], Any]  # from the arrays of the arguments to the result

ENABLED_VARIABLE = (
    "DOVETAIL_READY"  # set in the environment of a process that runs the installed package only
)
# packages of the classes that an argument may contain: libraries whose versions are in the key, and Python's own
LIBRARIES = ("jax", "jaxlib", "equinox", "diffrax", "lineax", "optimistix", "numpy")
TRUSTED = {
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
PLAIN_TYPES = (bool, int, float, complex, str, bytes)  # compared by value
Tracer = jax.core.Tracer
LAPACK = "lapack_"  # prefix of the names of its functions
COMPILER_VARIABLES = ("JAX_", "XLA_", "EQX_")  # prefixes of environment variables that affect compilation
UNUSABLE = "a stored program cannot be used and is compiled again"
SERIALISATION_ERRORS = (pickle.PicklingError, AttributeError, TypeError, ValueError, NotImplementedError)

_enabled = os.environ.get(ENABLED_VARIABLE) == "1"
_loaded: dict[Any, Program | None] = {}  # None if a program cannot be stored


class NotStorable(Exception):
    """An argument cannot be identified in another process."""


def ready(function: F, **options: Any) -> F:
    """Return `eqx.filter_jit` of a function of the package; it loads its executable from the store if enabled."""
    traced = eqx.filter_jit(function, **options)
    last: dict[int, tuple[Any, _Flat]] = {}  # by position: last argument and its flat form

    def flat(position: int, argument: Any) -> _Flat:
        previous, flat_argument = last.get(position, (None, None))
        if flat_argument is None or previous is not argument or not isinstance(argument, eqx.Module):
            flat_argument = _Flat(argument, flat_argument)  # parts are immutable, dictionaries are not
            last[position] = argument, flat_argument
        return flat_argument

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        if (store := _store()) is None:
            return traced(*arguments)
        program_call = _Call(function, options, [flat(*each) for each in enumerate(arguments)])
        if any(each.is_traced for each in program_call.arguments):  # called inside another program
            return traced(*arguments)
        try:
            if (key := (call, *program_call.arguments)) not in _loaded:
                _loaded[key] = _program(program_call, store)
        except TypeError:  # an argument is not hashable
            return traced(*arguments)
        program = _loaded[key]
        return program(program_call.arrays()) if program else traced(*arguments)

    return cast(F, call)


def shapes(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `eqx.filter_eval_shape` of a function of the package; the result is stored like a program."""
    store = _store()
    key = _Call(function, {"shapes": True}, [_Flat(each) for each in arguments]).key() if store else ""
    if store and key and (content := store.get(key)):
        try:
            return pickle.loads(content)
        except Exception as error:  # as for a program
            store.warn_once("unusable", f"{UNUSABLE} ({reason(error)})")
    result = eqx.filter_eval_shape(function, *arguments)
    if store and key:
        with suppress(*SERIALISATION_ERRORS):
            store.put(key, pickle.dumps(result))
    return result


def _program(program_call: _Call, store: program_cache.Programs) -> Program | None:
    """Return the stored program, or compile and store it; None if it cannot be stored."""
    if not (key := program_call.key()):
        return None
    if content := store.get(key):
        try:
            return _load_program(content)
        except Exception as error:  # of any type: of the compiler, or of a name that does not exist any more
            store.warn_once("unusable", f"{UNUSABLE} ({reason(error)})")
    try:
        calls_lapack, compiled, result = program_call.compile()
        store.put(key, pickle.dumps((calls_lapack, serialize_executable.serialize(compiled), result)))
    except (
        NotStorable,
        *SERIALISATION_ERRORS,
    ):  # it has a callback, or returns an object that cannot be serialised
        return None
    return _as_program(compiled, *result)


def _load_program(content: bytes) -> Program:
    calls_lapack, executable, result = pickle.loads(content)
    if calls_lapack and prepare_lapack:
        prepare_lapack("gesv", np.float64)  # as JAX does during tracing: registers the LAPACK functions
    return _as_program(serialize_executable.deserialize_and_load(*executable), *result)


def _as_program(compiled: Any, dynamic: Any, static: Any) -> Program:
    shape = jax.tree.structure(dynamic)
    if not jax.tree.leaves(static):
        return lambda arrays: jax.tree.unflatten(shape, compiled(arrays))
    return lambda arrays: eqx.combine(jax.tree.unflatten(shape, compiled(arrays)), static)


@functools.cache
def _store() -> program_cache.Programs | None:
    """Return the stored programs; None if the store is disabled or the user has set another cache."""
    path = jax.config.values["jax_compilation_cache_dir"]
    is_usable = _enabled and path is not None and program_cache.folder() == Path(path)
    return program_cache.programs_in(Path(path)) if is_usable else None


programs.register_drop(_loaded.clear)


class _Flat:
    """Flat argument; equal to another if the same program serves both.

    In a loop successive arguments have the same form; the fields that follow from the form are then copied.
    """

    structure: Any
    array_indices: list[int]  # of the arrays among the leaves
    is_traced: bool  # the argument belongs to another program, which is being traced
    kinds: tuple[Any, ...]  # shape and type of the arrays
    _form: tuple[Any, ...]
    _hash: int

    def __init__(self, argument: Any, previous: _Flat | None = None):
        self.leaves, self.structure = jax.tree.flatten(argument)
        self._leaf_kinds = [_leaf_kind(leaf) for leaf in self.leaves]
        if (
            previous is not None
            and self._leaf_kinds == previous._leaf_kinds
            and self.structure == previous.structure
        ):
            self.array_indices, self.is_traced, self.kinds = (
                previous.array_indices,
                previous.is_traced,
                previous.kinds,
            )
            self._form, self._hash = previous._form, previous._hash
            self.arrays = [self.leaves[i] for i in self.array_indices]
            return
        self.array_indices = [i for i, leaf in enumerate(self.leaves) if eqx.is_array(leaf)]
        self.arrays = [self.leaves[i] for i in self.array_indices]
        fixed = [(i, type(leaf), leaf) for i, leaf in enumerate(self.leaves) if not eqx.is_array(leaf)]
        self.is_traced = any(isinstance(array, Tracer) for array in self.arrays)
        self.kinds = tuple([(a.shape, a.dtype, getattr(a, "weak_type", False)) for a in self.arrays])
        self._form = self.structure, tuple(fixed), self.kinds
        self._hash = -1  # of the form, computed when needed

    def with_arrays(self, arrays: Iterator[Any]) -> Any:
        """Return the argument with other arrays."""
        leaves = list(self.leaves)
        for i in self.array_indices:
            leaves[i] = next(arrays)
        return jax.tree.unflatten(self.structure, leaves)

    def __hash__(self) -> int:
        if self._hash == -1:
            self._hash = hash(self._form)
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Flat) and self._form == other._form)


def _leaf_kind(leaf: Any) -> Any:
    """Return a quick comparison key of a leaf: equal keys mean equal kinds."""
    if isinstance(leaf, Tracer):
        return object()
    if (kind := getattr(leaf, "aval", None)) is not None:
        return kind
    if type(leaf) is np.ndarray:
        return np.ndarray, leaf.shape, leaf.dtype
    return (type(leaf), leaf) if isinstance(leaf, PLAIN_TYPES) else object()


class _Call:
    """Call of a program: function, compiler options and arguments."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], arguments: list[_Flat]):
        self.function, self.options, self.arguments = function, options, arguments

    def arrays(self) -> list[Any]:
        """Return the arrays of the arguments."""
        return [array for argument in self.arguments for array in argument.arrays]

    def with_arrays(self, arrays: Iterator[Any]) -> list[Any]:
        """Return the arguments with other arrays."""
        return [argument.with_arrays(arrays) for argument in self.arguments]

    def key(self) -> str:
        """Return the key of everything that the program depends on; empty if that cannot be determined."""
        source = f"{self.function.__module__}:{inspect.unwrap(self.function).__code__.co_firstlineno}"
        kinds = [(s, str(t), bool(weak)) for argument in self.arguments for s, t, weak in argument.kinds]
        text = io.BytesIO()
        writer = _Pickler(text, protocol=5)
        writer.fast = True  # by value, so that the identity of equal names makes no difference
        try:
            writer.dump((source, self.options, kinds, self.with_arrays(itertools.repeat(None))))
        except (NotStorable, *SERIALISATION_ERRORS):
            return ""
        return f"ready-{hashlib.sha256(_stamp() + text.getvalue()).hexdigest()}"

    def compile(self) -> tuple[bool, Any, Any]:
        """Return whether the program calls LAPACK, the program, and the structure of its result: arrays and others."""
        result: Any = None

        def flat(arrays: list[Any]) -> list[Any]:
            nonlocal result
            dynamic, static = eqx.partition(self.function(*self.with_arrays(iter(arrays))), eqx.is_array)
            values, shape = jax.tree.flatten(dynamic)
            result = jax.tree.unflatten(shape, range(len(values))), static
            return values

        lowered = jax.jit(flat, **self.options).lower(self.arrays())
        calls = set(re.findall(r"custom_call @([\w.]+)", lowered.as_text()))
        if calls and (prepare_lapack is None or not all(name.startswith(LAPACK) for name in calls)):
            raise NotStorable(calls)  # the called function may need preparation during tracing
        with program_cache.cache_bypass():  # an executable loaded by JAX cannot be serialised again
            return bool(calls), lowered.compile(), result


class _Pickler(pickle.Pickler):
    """Serialises objects that are the same in two processes of one version, and no others."""

    def reducer_override(self, obj: Any) -> Any:
        """Raise an error for objects that may change: code of other packages, files that a part reads."""
        if isinstance(obj, eqx.Module) and any(
            isinstance(value, str) and os.path.isfile(value) for value in vars(obj).values()
        ):
            raise NotStorable(obj)
        if isinstance(obj, type) or inspect.isroutine(obj):
            package = (getattr(obj, "__module__", None) or "builtins").partition(".")[0]
            if package not in TRUSTED:
                raise NotStorable(obj)
        return NotImplemented


@functools.cache
def _stamp() -> bytes:
    """Return a checksum of what all programs of this process depend on: sources, versions, compiler settings."""
    files = sorted(
        (f.path, f.stat().st_size, f.stat().st_mtime_ns) for f in _files(Path(__file__).parents[1])
    )
    versions = [platform.python_version(), *(version(name) for name in LIBRARIES)]
    settings = sorted(
        (name, value) for name, value in os.environ.items() if name.startswith(COMPILER_VARIABLES)
    )
    return hashlib.sha256(repr((files, versions, settings, jax.default_backend())).encode()).digest()


def _files(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file():
                yield entry
            elif entry.name != "__pycache__":
                yield from _files(entry.path)
