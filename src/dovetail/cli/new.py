"""`dovetail new`: commented files to begin a part, a test or a study with, and their test."""

from __future__ import annotations

import keyword
from pathlib import Path
from string import Template

from dovetail.cli.templates import SAID, WRITTEN
from dovetail.core.errors import OutputError, ParameterError, UnknownNameError


def start(what: str, name: str, folder: Path = Path()) -> list[Path]:
    """Write the files that a part, a test or a study of this name begins with; the files.

    Raises
    ------
    UnknownNameError
        If there is no such thing to begin.
    ParameterError
        If a module cannot be called so.
    OutputError
        If one of them is there already, or the folder cannot be written.
    """
    if what not in WRITTEN:
        raise UnknownNameError("beginning", what, WRITTEN)
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise ParameterError(f'got "{name}"; a {what} is called by letters, digits and _, as my_damper is')
    title = "".join(word[:1].upper() + word[1:] for word in name.split("_")) or "Part"

    def filled(text: str) -> str:
        return Template(text).substitute(name=name, title=title)

    files = {folder / filled(path): filled(text) for path, text in WRITTEN[what].items()}
    there = [path for path in files if path.exists()]
    if there:
        raise OutputError(f"{there[0]}: is already there; choose another name or remove it")
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(f"{path}: cannot be written ({reason}); go to another folder") from error
    print(f"written   {', '.join(map(str, files))}")
    print(filled(SAID[what]))
    return list(files)
