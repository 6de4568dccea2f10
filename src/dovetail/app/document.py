"""The test under edit: the text of its file and the values in it, both ways.

A value that is typed goes the way of `--set` on the command line: read as TOML where it is that, else as text, put into
the table, and the whole test read and checked. What is refused is answered in the words of the command line and leaves
the text as it was. A text that is typed by hand is kept whatever it says; until it can be read, values and drawing stay
those of the last text that could.
"""

from __future__ import annotations

import difflib
import os
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dovetail.app.blocks import Choice, DrawnBlock, blocks, choices
from dovetail.app.part_exchange import filled
from dovetail.app.toml_text import inline, patched
from dovetail.cli.run import parse_settings
from dovetail.core.errors import DovetailError, OutputError, reason
from dovetail.core.toml_file import toml_table
from dovetail.report import drawing
from dovetail.studies.registry import find_test
from dovetail.testing import CellFile
from dovetail.testing.paths import joined
from dovetail.testing.runnable import Runnable
from dovetail.testing.test_file import dump, parse, whole_names
from dovetail.testing.test_table import carried, change

MOST = 500  # texts that can be gone back to


class Document:
    """A test file that is being edited.

    Attributes
    ----------
    name
        As it was opened: a study's test, or a path.
    path
        Its file; the files that it names are looked for from there.
    original, text
        The file as it was opened, and as it is now.
    fault
        What is wrong with the text, in the words of the command line; empty if nothing is.
    table, test
        What the last text without fault says, and the test that it is.
    """

    def __init__(self, name: str, path: Path, original: str):
        self.name, self.path, self.original = name, path, original
        self.text, self.fault = original, ""
        self.table: dict[str, Any] = {}
        self.test: Any = None
        self._before: list[str] = []
        self._after: list[str] = []
        self._take(original)

    @classmethod
    def open(cls, name: str) -> Document:
        """The test of a study, or that in a file.

        Raises
        ------
        DovetailError
            If there is none of that name, or it cannot be read as a file.
        """
        path = find_test(name).resolve()
        try:
            return cls(name, path, path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise OutputError(
                f"{path}: cannot be read ({reason(error)}); give the path of a test file"
            ) from error

    @property
    def title(self) -> str:
        """What the test says it is, or its file."""
        return str(self.table.get("title", self.path.stem))

    @property
    def outdated(self) -> bool:
        """Whether the file is not any more what was opened: somebody else has written it, or it has gone."""
        try:
            return self.path.read_text("utf-8") != self.original
        except (OSError, UnicodeDecodeError):
            return True

    @property
    def whole(self) -> dict[str, Any]:
        """The table with the files that it names named in full, as another process takes it."""
        folder, name = self.path.parent, self.path.name
        return whole_names(carried(self.table, folder, name, said=True), folder, name)

    # changes

    def set(self, path: str, typed: str) -> str:
        """Another value at a path; what is wrong with it, and then nothing has changed."""
        return self._changed(lambda: parse_settings([f"{path}={typed}"]))

    def change(self, changes: dict[str, Any]) -> str:
        """Other values at paths, all at once; what is wrong with them, and then nothing has changed."""
        return self._changed(lambda: changes)

    def exchange(self, path: str, kind: str) -> str:
        """Another member of its family at a path; it keeps the values that it has too, and is given what it needs."""
        faults = []
        for from_studies in (True, False):  # their values may be of another number of axes
            fault = self._changed(lambda: filled(self.test, self.table, path, kind, from_studies))  # noqa: B023
            if not fault:
                return ""
            faults.append(fault)
        return faults[0]

    def write(self, text: str) -> str:
        """The text as somebody typed it: it is kept, and answered with what is wrong with it."""
        if text != self.text:
            self._before = [*self._before[-MOST:], self.text]
            self._after.clear()
            self._take(text)
        return self.fault

    def undo(self) -> bool:
        """Back to the text before the last change; whether there was one."""
        return self._step(self._before, self._after)

    def redo(self) -> bool:
        """Forward again; whether anything was undone."""
        return self._step(self._after, self._before)

    # what it is

    def blocks(self) -> list[DrawnBlock]:
        """The parts of the test with all that is known of their values."""
        return [] if self.test is None else blocks(self.test, self.table)

    def choices(self, path: str) -> list[Choice]:
        """What the part at a path may be exchanged for, with a sentence each."""
        return [] if self.test is None else choices(self.test, path)

    @property
    def _has_rig(self) -> bool:
        return isinstance(self.test, Runnable | CellFile) and self.test.rig is not None

    def drawing(self) -> str:
        """The loop of the test as SVG, each part a group with its `data-path`; nothing where there is no loop."""
        return drawing.loop(dump(self.test)) if self._has_rig else ""

    def difference(self) -> str:
        """What differs from the original, as a unified diff."""
        lines = difflib.unified_diff(
            self.original.splitlines(), self.text.splitlines(), f"{self.name}, as it was", "now", lineterm=""
        )
        return "\n".join(lines)

    def settings(self) -> list[str] | None:
        """The difference as values of `--set`, where that can say it; None where only the text can.

        None too where the file is not any more what was opened.
        """
        try:
            if self.fault or self.outdated:
                return None
            before, now = tomllib.loads(self.original), tomllib.loads(self.text)
            said = [f"{path}={_as_typed(value)}" for path, value in leaves(before, now)]
            same = change(before, parse_settings(said)) == now
        except (ValueError, DovetailError):
            return None
        return said if same else None

    def save(self, path: str | Path, over: bool = False) -> str:
        """Write the text to a file that runs from the command line as it is; what is wrong, if it cannot be.

        In another folder the files that it names are named in full. A file that is there is written `over` only if
        that is said.
        """
        if self.fault:
            return self.fault
        path = Path(path)
        if path.suffix != ".toml":
            return f"{path}: a test file ends in .toml; name it so"
        if path.exists() and not over:
            return f"{path}: is there already; say that it may be written over, or choose another name"
        try:
            replace_text(path, self.text_for(path.resolve().parent))
        except OSError as error:
            return f"{path}: cannot be written ({reason(error)}); choose another place"
        if path.resolve() == self.path:  # from now on this is the original
            self.original = self.text
        return ""

    def text_for(self, folder: Path) -> str:
        """The text as a file in a folder has it: with the files that it names found from there."""
        if folder == self.path.parent:
            return self.text
        table = tomllib.loads(self.text)
        return patched(self.text, whole_names(table, self.path.parent, self.path.name))

    # inside

    def _changed(self, ask: Callable[[], dict[str, Any]]) -> str:
        try:
            wanted = change(toml_table(self.text, self.path.name), ask(), self.path.name)
            self._parsed(wanted)
        except DovetailError as error:
            return str(error)
        self.write(patched(self.text, wanted))
        return ""

    def _take(self, text: str) -> None:
        self.text = text
        try:
            table = toml_table(text, self.path.name)
            test = self._parsed(table)
        except DovetailError as error:
            self.fault = str(error)
        else:
            self.fault, self.table, self.test = "", table, test

    def _parsed(self, table: dict[str, Any]) -> Any:
        """The test of a table, checked. Raises all that is wrong with it."""
        folder, name = self.path.parent, self.path.name
        return parse(whole_names(carried(table, folder, name, said=True), folder, name), name)

    def _step(self, source: list[str], target: list[str]) -> bool:
        if not source:
            return False
        target.append(self.text)
        self._take(source.pop())
        return True


def replace_text(path: Path, text: str, mode: int | None = None) -> None:
    """Write a file so that nobody sees half of it, whenever this process is ended."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(name, (0o666 & ~_umask()) if mode is None else mode)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def leaves(old: Any, new: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str, Any]]:
    """Paths and values that are in a new table and not in the old one; of a part its kind first."""
    found: list[tuple[str, Any]] = []
    items = new.items() if isinstance(new, dict) else enumerate(new)
    for key, value in sorted(items, key=lambda item: item[0] != "kind"):
        has = key in old if isinstance(old, dict) else key < len(old)
        before = old[key] if has else {} if isinstance(value, dict) else None
        if (isinstance(value, dict) and isinstance(before, dict) and value) or (
            isinstance(value, list)
            and isinstance(before, list)
            and _entries(value)
            and len(value) == len(before)
        ):
            found += leaves(before, value, (*way, key))
        elif type(before) is not type(value) or before != value:
            found.append((joined((*way, key)), value))
    return found


def _entries(node: list[Any]) -> bool:
    return all(isinstance(entry, dict) for entry in node)


def _as_typed(value: Any) -> str:
    """A value as somebody types it: words without quotes where they cannot be taken for anything else."""
    if isinstance(value, str):
        try:
            tomllib.loads(f"x = {value}")
        except tomllib.TOMLDecodeError:
            return value if value == value.strip() and value else inline(value)
    return inline(value)
