"""Drafts survive the server."""

import os
import stat

import pytest

from dovetail.app import Document, Drafts
from dovetail.core.errors import OutputError

CS1 = "substructuring/cs1"


def test_a_draft_with_faults_is_restored_unchanged(tmp_path):
    drafts = Drafts(tmp_path / "drafts")
    document = drafts.open(CS1)
    typed = document.text.replace('"3 ms"', '"3 m')
    assert document.write(typed)
    drafts.save(document)
    again = Drafts(tmp_path / "drafts").open(CS1)
    assert again.text == typed
    assert again.fault == document.fault
    assert again.original == document.original
    assert again.test is not None  # that of the file as it was opened
    assert again.undo()
    assert again.text == document.original
    assert drafts.names() == [CS1]


def test_a_draft_is_closed_to_others(tmp_path):
    drafts = Drafts(tmp_path / "drafts")
    document = Document.open(CS1)
    document.set("seed", "3")
    drafts.save(document)
    files = list(drafts.folder.iterdir())
    assert len(files) == 1
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert stat.S_IMODE(drafts.folder.stat().st_mode) == 0o700


def test_text_equal_to_the_file_deletes_the_draft(tmp_path):
    drafts = Drafts(tmp_path)
    document = Document.open(CS1)
    document.set("seed", "3")
    drafts.save(document)
    document.undo()
    drafts.save(document)
    assert drafts.names() == []


def test_a_damaged_draft_is_ignored(tmp_path):
    drafts = Drafts(tmp_path)
    document = Document.open(CS1)
    document.set("seed", "3")
    drafts.save(document)
    next(tmp_path.iterdir()).write_text("{", "utf-8")
    assert drafts.names() == []
    assert drafts.open(CS1).text == document.original


@pytest.mark.skipif(os.name != "posix", reason="needs a file in the place of a folder")
def test_a_draft_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "here").write_text("a file")
    document = Document.open(CS1)
    document.set("seed", "3")
    with pytest.raises(OutputError, match="a draft cannot be written .*save the test to a file"):
        Drafts(tmp_path / "here").save(document)


def test_drafts_are_in_the_state_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Drafts().folder == tmp_path / "dovetail" / "drafts"
