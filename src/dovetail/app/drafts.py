"""Drafts: what was typed lies on disk at once, so that a server that is killed loses nothing.

One file for each test that is edited, in the user's state folder, closed to others; it holds the text as typed, with
its faults, and the file as it was opened. A draft that says nothing else than its test is none.
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
    """The drafts in a folder, by the name of their test."""

    def __init__(self, folder: str | Path | None = None):
        self.folder = Path(folder) if folder is not None else state() / "drafts"

    def keep(self, document: Document) -> None:
        """Write what is typed now; of a text that is as it was opened nothing stays.

        Raises
        ------
        OutputError
            If it cannot be written, so that whoever types is told.
        """
        if document.text == document.original:
            return self.forget(document)
        about = {"name": document.name, "path": str(document.path), "original": document.original}
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_text(self._file(document.name), json.dumps({**about, "text": document.text}), mode=0o600)
        except OSError as error:
            raise OutputError(
                f"{self.folder}: a draft cannot be kept there ({reason(error)}); save the test to a file"
            ) from error

    def opened(self, name: str) -> Document:
        """The test of that name as it was left; as its file is, where there is no draft of it."""
        draft = self._read(self._file(name))
        if draft is None:
            return Document.open(name)
        document = Document(name, Path(draft["path"]), draft["original"])
        document.write(draft["text"])
        return document

    def forget(self, document: Document) -> None:
        """Leave no draft of a test."""
        with contextlib.suppress(OSError):
            self._file(document.name).unlink(missing_ok=True)

    def names(self) -> list[str]:
        """Tests of which there are drafts, the newest first."""
        with contextlib.suppress(OSError):
            files = sorted(self.folder.glob(f"*{SUFFIX}"), key=lambda file: -file.stat().st_mtime_ns)
            return [draft["name"] for draft in map(self._read, files) if draft is not None]
        return []

    def _file(self, name: str) -> Path:
        key = str(Path(name).resolve()) if name.endswith(".toml") else name
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}{SUFFIX}"

    def _read(self, file: Path) -> dict[str, str] | None:
        """What a draft holds; None where there is none, or what is there is none."""
        try:
            found = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        words = ("name", "path", "original", "text")
        fits = isinstance(found, dict) and all(isinstance(found.get(word), str) for word in words)
        return found if fits else None


def state() -> Path:
    """Dovetail's place among what this user's programs remember."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "dovetail"
