"""Parts that a user brings in one file, without a package: `kind = "my_parts:BoucWen"`.

A test file names such files, `parts = ["my_parts.py"]`, and so does `--parts my_parts.py` of the command line. Their
text is run once and then travels with the test: a resolved test holds it, and so do a run's folder, a campaign and what
its workers are sent. Nothing is run but the text of files that the user named, or that lies in a test or folder that
the user opens; nothing is looked for beside it, so that a file of parts imports installed packages only.

Two texts of the same name may be there at once, as where two runs are compared: each test says its own before its parts
are made, and a class remembers the text that it is from.
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

from dovetail.core.errors import OutputError, ParameterError, UnknownNameError, reason, shown

Texts = dict[str, list[str]]  # lines of each file by its name without .py

_texts: dict[str, tuple[str, list[str]]] = {}  # name and lines of each module that was run
_meant: dict[str, ModuleType] = {}  # what each name means now
_said: Texts = {}  # on the command line, for every test that is read


def read(names: Any, folder: Path = Path()) -> Texts:
    """The texts of files that are named from `folder`; texts that were read before are given back.

    Raises
    ------
    OutputError
        If there is no such file, or it is none of Python.
    ParameterError
        If it is no list of files.
    """
    if isinstance(names, Mapping):
        right = all(
            isinstance(text, list) and all(isinstance(v, str) for v in text) for text in names.values()
        )
        if not right:
            raise ParameterError("needs a list of files, or for each name the lines of its file")
        return dict(names)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ParameterError(f'got {shown(names)}; needs a list of files, parts = ["my_parts.py"]')
    found: Texts = {}
    for name in names:
        path = folder / name
        if path.suffix != ".py":
            raise OutputError(f"{path}: is no Python file; parts are brought in a file that ends in .py")
        try:
            lines = path.read_text("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError, ValueError) as error:
            raise OutputError(
                f"{path}: cannot be read ({reason(error)}); give the file of the parts"
            ) from error
        if found.setdefault(path.stem, lines) != lines:
            raise OutputError(
                f"{path}: another file is called {path.name} too; give one of them another name"
            )
    return found


def say(path: str | Path) -> None:
    """Bring a file for every test that this process reads: `--parts` of the command line."""
    texts = read([str(path)])
    bring(texts)
    _said.update(texts)


def with_said(texts: Texts) -> Texts:
    """The texts of a test with those of the command line.

    Raises
    ------
    ParameterError
        If a test and the command line mean different files by one name.
    """
    twice = [name for name in texts if name in _said and _said[name] != texts[name]]
    if twice:
        raise ParameterError(
            f"{twice[0]}.py of --parts is not the one that the test names; leave one of them out"
        )
    return {**_said, **texts}


def bring(texts: Mapping[str, Sequence[str]]) -> None:
    """Run texts that were not run before; their names mean them from now on.

    Raises
    ------
    ParameterError
        With the line at which a text cannot be run, and why.
    """
    for name, lines in texts.items():
        _meant[name] = _module(name, list(lines))


def _module(name: str, lines: list[str]) -> ModuleType:
    text = "\n".join(lines) + "\n"
    mark = f"{name}_{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"
    if mark in _texts:
        return sys.modules[mark]
    file, module = f"<{mark}.py>", ModuleType(mark)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)  # for tracebacks
    sys.modules[mark] = module  # where the annotations of its classes are looked up
    _texts[mark] = (name, lines)
    try:
        exec(compile(text, file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[mark], _texts[mark]
        if isinstance(error, SyntaxError) and error.filename == file:
            line, why = error.lineno, error.msg
        else:
            frames = traceback.extract_tb(error.__traceback__)
            line = next((frame.lineno for frame in reversed(frames) if frame.filename == file), None)
            why = f"{type(error).__name__}: {error}"
        at = f", line {line}" if line else ""
        raise ParameterError(f"{name}.py{at}: cannot be run ({why}); mend the file") from error
    return module


def kinds() -> dict[str, type]:
    """All parts of the files that were brought, by the kinds that test files call them."""
    return {f"{name}:{cls.__name__}": cls for name in sorted(_meant) for cls in _parts(name)}


def find(kind: str, base: type | tuple[type, ...] = object) -> type:
    """The part `name:Class`.

    Raises
    ------
    UnknownNameError
        If no file of that name was brought, it has no such class, or that is no part of `base`.
    """
    name, _, wanted = kind.partition(":")
    if name not in _meant:
        how = f'name the file: parts = ["{name}.py"] in the test file, or --parts {name}.py'
        raise UnknownNameError("file of parts", f"{name}.py", [f"{known}.py" for known in _meant], how)
    parts = {cls.__name__: cls for cls in _parts(name) if issubclass(cls, base)}
    if wanted in parts:
        return parts[wanted]
    what = base.__name__ if isinstance(base, type) and base is not object else "part"
    how = (
        f"{wanted} is there, and derives from no {what} of Dovetail" if hasattr(_meant[name], wanted) else ""
    )
    raise UnknownNameError(f"{what} in {name}.py", wanted, parts, how)


def name_of(cls: type) -> str | None:
    """What test files call a class of a file that was brought; None of any other."""
    return f"{_texts[cls.__module__][0]}:{cls.__name__}" if cls.__module__ in _texts else None


def texts_of(classes: Iterable[type]) -> Texts:
    """The texts that classes are from; nothing of those that come with a package."""
    return {name: lines for cls in classes for name, lines in [_texts.get(cls.__module__, ("", []))] if name}


def _parts(name: str) -> list[type]:
    from dovetail.core.block import Method, Part

    module = _meant[name]
    classes = (entry for entry in vars(module).values() if isinstance(entry, type))
    return [
        cls
        for cls in classes
        if cls.__module__ == module.__name__
        and issubclass(cls, Part | Method)
        and not inspect.isabstract(cls)
    ]
