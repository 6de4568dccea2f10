"""Test file that is being edited, as text and as values.

A value typed in the editor is handled like `--set` on the command line: it is parsed as TOML if possible, otherwise
taken as text, and put into the table; then the complete test is read and validated. A rejected value leaves the text
unchanged and returns the message of the command line. Text typed by hand is always stored; while it has a fault,
values and drawing are those of the last valid text.
"""

from __future__ import annotations

import copy
import difflib
import os
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dovetail.app.blocks import BlockView, PartOption, blocks, choices
from dovetail.app.loading import parse_settings
from dovetail.app.part_exchange import fill_new_part, with_element
from dovetail.app.slider_ranges import slider_ranges
from dovetail.app.toml_text import inline, patch_toml
from dovetail.core.errors import DovetailError, OutputError, reason
from dovetail.core.toml_file import toml_table
from dovetail.report import drawing
from dovetail.studies.registry import find_test
from dovetail.testing import CellFile
from dovetail.testing.paths import format_path, steps
from dovetail.testing.test import Test
from dovetail.testing.test_file import dump, parse, with_absolute_names
from dovetail.testing.test_table import change, read_user_parts

MAX_UNDO = 500  # undo steps


class Document:
    """Test file that is being edited.

    Attributes
    ----------
    name
        Name given when opening: test of a study, or path.
    path
        File of the test; relative paths in the test start from its folder.
    original, text
        Text when opened, and current text.
    fault
        Error message for the text, as on the command line; empty if the text is valid.
    table, test
        Table and test of the last valid text.
    """

    def __init__(self, name: str, path: Path, original: str):
        self.name, self.path, self.original = name, path, original
        self.text, self.fault = original, ""
        self.table: dict[str, Any] = {}
        self.test: Any = None
        self._undo_texts: list[str] = []
        self._redo_texts: list[str] = []
        self._set_text(original)

    @classmethod
    def open(cls, name: str) -> Document:
        """Open the test of a study, or a test file.

        Raises
        ------
        DovetailError
            If no test has this name, or its file cannot be read.
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
        """Title of the test, or the name of its file."""
        return str(self.table.get("title", self.path.stem))

    @property
    def outdated(self) -> bool:
        """Whether the file has changed since it was opened, or was deleted."""
        try:
            return self.path.read_text("utf-8") != self.original
        except (OSError, UnicodeDecodeError):
            return True

    @property
    def resolved_table(self) -> dict[str, Any]:
        """Table with absolute file paths, for another process."""
        folder, name = self.path.parent, self.path.name
        return with_absolute_names(
            read_user_parts(self.table, folder, name, with_command_line=True), folder, name
        )

    # changes

    def set(self, path: str, typed: str) -> str:
        """Set the value at a path; return an error message if the value was rejected."""
        return self._change(lambda: parse_settings([f"{path}={typed}"]))

    def change(self, changes: dict[str, Any]) -> str:
        """Set several values at once; return an error message if they were rejected."""
        return self._change(lambda: changes)

    def exchange(self, path: str, kind: str) -> str:
        """Replace a part by another kind of its family; return an error message if that fails.

        Common values are preserved, required values are filled in.
        """
        faults = []
        for from_studies in (True, False):  # values of a study test may have another number of axes
            fault = self._change(lambda: fill_new_part(self.test, self.table, path, kind, from_studies))  # noqa: B023
            if not fault:
                return ""
            faults.append(fault)
        return faults[0]

    def add_element(self, path: str, kind: str) -> str:
        """Append an element of a kind to the series at a path; return an error message if that fails."""
        return self._change(lambda: with_element(self.table, path, kind))

    def remove(self, path: str) -> str:
        """Remove an element of a list or a key of a table; return an error message if that fails."""

        def without(table: dict[str, Any]) -> dict[str, Any]:
            *keys, last = steps(path)
            node: Any
            result = node = copy.deepcopy(table)
            for key in keys:
                node = node[key]
            del node[last]
            return result

        return self._apply(without)

    def set_tunable(self, path: str, tunable: bool) -> str:
        """Make a parameter tunable in the range of its slider, or not tunable; return an error message."""
        key = format_path(("tunable", path))
        if not tunable:
            return self.remove(key)
        (about,) = slider_ranges(self.test, [path])
        return self.change({key: {"min": about.low, "max": about.high}})

    def write(self, text: str) -> str:
        """Store text typed by the user; return its error message."""
        if text != self.text:
            self._undo_texts = [*self._undo_texts[-MAX_UNDO:], self.text]
            self._redo_texts.clear()
            self._set_text(text)
        return self.fault

    def undo(self) -> bool:
        """Undo the last change; return whether there was one."""
        return self._step(self._undo_texts, self._redo_texts)

    def redo(self) -> bool:
        """Redo the last undone change; return whether there was one."""
        return self._step(self._redo_texts, self._undo_texts)

    # content

    def blocks(self) -> list[BlockView]:
        """Return the parts of the test with their values."""
        return [] if self.test is None else blocks(self.test, self.table)

    def choices(self, path: str) -> list[PartOption]:
        """Return the kinds that can replace the part at a path."""
        return [] if self.test is None else choices(self.test, path)

    @property
    def _has_rig(self) -> bool:
        return isinstance(self.test, Test | CellFile) and self.test.rig is not None

    def drawing(self) -> str:
        """Return the loop of the test as SVG, each part a group with its `data-path`; empty without a loop."""
        return drawing.loop(dump(self.test)) if self._has_rig else ""

    def difference(self) -> str:
        """Return the changes since opening as a unified diff."""
        lines = difflib.unified_diff(
            self.original.splitlines(),
            self.text.splitlines(),
            f"{self.name} (opened)",
            "current",
            lineterm="",
        )
        return "\n".join(lines)

    def settings(self) -> list[str] | None:
        """Return the changes as values for `--set`; None if `--set` cannot express them.

        Also None if the file has changed since it was opened.
        """
        try:
            if self.fault or self.outdated:
                return None
            before, now = tomllib.loads(self.original), tomllib.loads(self.text)
            settings = [f"{path}={typed_text(value)}" for path, value in changed_values(before, now)]
            same = change(before, parse_settings(settings)) == now
        except (ValueError, DovetailError):
            return None
        return settings if same else None

    def save(self, path: str | Path, over: bool = False) -> str:
        """Write the text to a test file; return an error message if that fails.

        In another folder, file paths in the test become absolute. An existing file is overwritten only if `over`.
        """
        if self.fault:
            return self.fault
        path = Path(path)
        if path.suffix != ".toml":
            return f"{path}: the name of a test file must end in .toml; change the name"
        if path.exists() and not over:
            return f"{path}: already exists; allow overwriting, or choose another name"
        try:
            replace_text(path, self.text_for(path.resolve().parent))
        except OSError as error:
            return f"{path}: cannot be written ({reason(error)}); choose another folder"
        if path.resolve() == self.path:  # the saved text is the new original
            self.original = self.text
        return ""

    def text_for(self, folder: Path) -> str:
        """Return the text for a file in a folder, with file paths that are valid there."""
        if folder == self.path.parent:
            return self.text
        table = tomllib.loads(self.text)
        return patch_toml(self.text, with_absolute_names(table, self.path.parent, self.path.name))

    # internal

    def _change(self, ask: Callable[[], dict[str, Any]]) -> str:
        return self._apply(lambda table: change(table, ask(), self.path.name))

    def _apply(self, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
        try:
            table = changed(toml_table(self.text, self.path.name))
            self._parse(table)
        except DovetailError as error:
            return str(error)
        self.write(patch_toml(self.text, table))
        return ""

    def _set_text(self, text: str) -> None:
        self.text = text
        try:
            table = toml_table(text, self.path.name)
            test = self._parse(table)
        except DovetailError as error:
            self.fault = str(error)
        else:
            self.fault, self.table, self.test = "", table, test

    def _parse(self, table: dict[str, Any]) -> Any:
        """Return the validated test of a table; raise an error that lists all faults."""
        folder, name = self.path.parent, self.path.name
        return parse(
            with_absolute_names(read_user_parts(table, folder, name, with_command_line=True), folder, name),
            name,
        )

    def _step(self, source: list[str], target: list[str]) -> bool:
        if not source:
            return False
        target.append(self.text)
        self._set_text(source.pop())
        return True


def replace_text(path: Path, text: str, mode: int | None = None) -> None:
    """Write a file atomically: readers see the old or the new text, even if this process is killed."""
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


def changed_values(old: Any, new: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str, Any]]:
    """Return paths and values that differ in a new table from the old one; the kind of a part comes first."""
    changes: list[tuple[str, Any]] = []
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
            changes += changed_values(before, value, (*path, key))
        elif type(before) is not type(value) or before != value:
            changes.append((format_path((*path, key)), value))
    return changes


def _entries(node: list[Any]) -> bool:
    return all(isinstance(entry, dict) for entry in node)


def typed_text(value: Any) -> str:
    """Return a value as a user types it, text without quotes if it is unambiguous."""
    if isinstance(value, str):
        try:
            tomllib.loads(f"x = {value}")
        except tomllib.TOMLDecodeError:
            return value if value == value.strip() and value else inline(value)
    return inline(value)
