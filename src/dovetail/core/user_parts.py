"""User parts in a single file, without a package: `kind = "my_parts:BoucWen"`.

A test file lists such files, `parts = ["my_parts.py"]`; the command line has `--parts my_parts.py`. The source is
executed once and stored with the test: in the resolved test, in the run folder, in a campaign and in the data sent to
its workers. Only files that the user names, or that belong to a test or folder that the user opens, are executed. A
file of parts can import installed packages only, not modules beside it.

Two sources with the same name can exist at the same time, for example when two runs are compared: each test loads its
own before its parts are built, and a class knows its source.
"""

from __future__ import annotations

import hashlib
import inspect
import linecache
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from dovetail.core.block import Method, Part
from dovetail.core.errors import OutputError, ParameterError, UnknownNameError, format_value, reason
from dovetail.core.kind_names import set_name

Sources = dict[str, list[str]]  # lines of each file by its name without .py

_sources: dict[str, tuple[str, list[str]]] = {}  # name and lines of each executed module
_modules: dict[str, ModuleType] = {}  # current module of each name
_command_line: Sources = {}  # from --parts, for every test that is read


def read(names: Any, folder: Path = Path()) -> Sources:
    """Return the sources of files relative to `folder`; a table of sources is returned unchanged.

    Raises
    ------
    OutputError
        If a file cannot be read or is not a Python file.
    ParameterError
        If `names` is not a list of files.
    """
    if isinstance(names, Mapping):
        valid = all(
            isinstance(text, list) and all(isinstance(v, str) for v in text) for text in names.values()
        )
        if not valid:
            raise ParameterError("needs a list of files, or a table with the lines of each file")
        return dict(names)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ParameterError(f'got {format_value(names)}; needs a list of files, parts = ["my_parts.py"]')
    sources: Sources = {}
    for name in names:
        path = folder / name
        if path.suffix != ".py":
            raise OutputError(f"{path}: is not a Python file; give a file that ends in .py")
        try:
            lines = path.read_text("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise OutputError(
                f"{path}: cannot be read ({reason(error)}); expected a file of parts"
            ) from error
        if sources.setdefault(path.stem, lines) != lines:
            raise OutputError(f"{path}: another file has the same name {path.name}; rename one of them")
    return sources


def add_command_line_parts(path: str | Path) -> None:
    """Load a file of parts for every test that this process reads (option `--parts`)."""
    sources = read([str(path)])
    load_user_parts(sources)
    _command_line.update(sources)


def with_command_line_parts(sources: Sources) -> Sources:
    """Return the sources of a test with those of the command line.

    Raises
    ------
    ParameterError
        If the test and the command line name different files with the same name.
    """
    different = [name for name in sources if name in _command_line and _command_line[name] != sources[name]]
    if different:
        raise ParameterError(
            f"--parts: {different[0]}.py differs from the file of the same name in the test; remove one of them"
        )
    return {**_command_line, **sources}


def load_user_parts(sources: Mapping[str, Sequence[str]]) -> None:
    """Execute sources that are new, and make them the current ones of their names.

    Raises
    ------
    ParameterError
        With the line and the reason if a source cannot be executed.
    """
    for name, lines in sources.items():
        _modules[name] = _module(name, list(lines))


def _module(name: str, lines: list[str]) -> ModuleType:
    text = "\n".join(lines) + "\n"
    mark = f"{name}_{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    if mark in _sources:
        return sys.modules[mark]
    file, module = f"<{mark}.py>", ModuleType(mark)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)  # for tracebacks
    sys.modules[mark] = module  # needed to resolve the annotations of its classes
    _sources[mark] = (name, lines)
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[mark], _sources[mark]
        if isinstance(error, SyntaxError) and error.filename == file:
            line, message = error.lineno, error.msg
        else:
            frames = traceback.extract_tb(error.__traceback__)
            line = next((frame.lineno for frame in reversed(frames) if frame.filename == file), None)
            message = f"{type(error).__name__}: {error}"
        position = f", line {line}" if line else ""
        raise ParameterError(f"{name}.py{position}: cannot be run ({message}); correct the file") from error
    for cls in _parts_in(module):
        set_name(cls, f"{name}:{cls.__name__}")
    return module


def kinds() -> dict[str, type]:
    """Return all loaded user parts, by kind."""
    return {f"{name}:{cls.__name__}": cls for name in sorted(_modules) for cls in _parts(name)}


def find(kind: str, base: type | tuple[type, ...] = object) -> type:
    """Return the part `name:Class`.

    Raises
    ------
    UnknownNameError
        If the file is not loaded, or has no such class, or the class is not derived from `base`.
    """
    name, _, class_name = kind.partition(":")
    loaded = module(name)
    parts = {cls.__name__: cls for cls in _parts(name) if issubclass(cls, base)}
    if class_name in parts:
        return parts[class_name]
    role = base.__name__ if isinstance(base, type) and base is not object else "part"
    entry = getattr(loaded, class_name, None)
    help = f"{class_name} is not derived from a {role} of Dovetail" if entry is not None else ""
    if isinstance(entry, type) and entry.__module__ == loaded.__name__ and issubclass(entry, base):
        missing = ", ".join(sorted(getattr(entry, "__abstractmethods__", ())))
        help = f"{class_name} lacks {missing}; add it" if missing else help
    raise UnknownNameError(f"{role} in {name}.py", class_name, parts, help)


def module(name: str) -> ModuleType:
    """Return the module of the file of parts `name.py`.

    Raises
    ------
    UnknownNameError
        If the file is not loaded.
    """
    if name not in _modules:
        help = f'add parts = ["{name[:40]}.py"] to the file, or --parts {name[:40]}.py'
        raise UnknownNameError("file of parts", f"{name}.py", [f"{known}.py" for known in _modules], help)
    return _modules[name]


def place_of(file: str, line: int | None) -> str:
    """Return `name.py, line n` for a position in a file of user parts; empty for other files."""
    name, _ = _sources.get(file.removeprefix("<").removesuffix(".py>"), ("", []))
    return f"{name}.py, line {line}" if name else ""


def sources_of(classes: Iterable[type]) -> Sources:
    """Return the sources of user classes; classes of packages are ignored."""
    return {
        name: lines for cls in classes for name, lines in [_sources.get(cls.__module__, ("", []))] if name
    }


def _parts(name: str) -> list[type]:
    return _parts_in(_modules[name])


def _parts_in(module: ModuleType) -> list[type]:
    classes = (entry for entry in vars(module).values() if isinstance(entry, type))
    return [
        cls
        for cls in classes
        if cls.__module__ == module.__name__
        and issubclass(cls, Part | Method)
        and not inspect.isabstract(cls)
    ]
