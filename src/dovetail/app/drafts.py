"""Drafts: unsaved edits on disk, so that they survive a killed server.

There is one file for each edited test in the user's state folder, readable by its owner only. It contains the text as
typed, including faults, and the text when the test was opened. A draft equal to its test is deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from dovetail.app.document import Document, replace_text
from dovetail.core.errors import OutputError, reason

SUFFIX = ".draft.json"


class Drafts:
    """Drafts in a folder, by test name."""

    def __init__(self, folder: str | Path | None = None):
        self.folder = Path(folder) if folder is not None else state_folder() / "drafts"

    def save(self, document: Document) -> None:
        """Write the current text; delete the draft if the text is unchanged.

        Raises
        ------
        OutputError
            If the draft cannot be written.
        """
        if document.text == document.original:
            return self.delete(document)
        about = {"name": document.name, "path": str(document.path), "original": document.original}
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_text(self._file(document.name), json.dumps({**about, "text": document.text}), mode=0o600)
        except OSError as error:
            raise OutputError(
                f"{self.folder}: a draft cannot be written ({reason(error)}); save the test to a file"
            ) from error

    def open(self, name: str) -> Document:
        """Open a test from its draft, or from its file if it has no draft."""
        draft = self._read(self._file(name))
        if draft is None:
            return Document.open(name)
        document = Document(name, Path(draft["path"]), draft["original"])
        document.write(draft["text"])
        return document

    def delete(self, document: Document) -> None:
        """Delete the draft of a test."""
        with contextlib.suppress(OSError):
            self._file(document.name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        """Return the names of tests with drafts, newest first."""
        with contextlib.suppress(OSError):
            files = sorted(self.folder.glob(f"*{SUFFIX}"), key=lambda file: -file.stat().st_mtime_ns)
            return [draft["name"] for draft in map(self._read, files) if draft is not None]
        return []

    def _file(self, name: str) -> Path:
        key = str(Path(name).resolve()) if name.endswith(".toml") else name
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}{SUFFIX}"

    def _read(self, file: Path) -> dict[str, str] | None:
        """Return the content of a draft; None if it is missing or invalid."""
        try:
            content = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        words = ("name", "path", "original", "text")
        fits = isinstance(content, dict) and all(isinstance(content.get(word), str) for word in words)
        return content if fits else None


def state_folder() -> Path:
    """Return Dovetail's folder in the user's state directory."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "dovetail"
