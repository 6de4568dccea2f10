"""The journal: what was written is read back to the bit, and damage is noticed."""

import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.testing.pseudodynamic import MoveReply, MoveRequest
from dovetail.testing.pseudodynamic import journal as journal_module
from dovetail.testing.pseudodynamic.journal import Journal, fingerprint
from dovetail.transfer.robot import TripCode


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def write(path, count=3):
    journal = Journal.create(path, "abc", "mark")
    for i in range(1, count + 1):
        target = np.array([0.1 * i, 1 / 3, np.pi])
        journal.write_request(MoveRequest(i, target, 1.0, 1.0))
        journal.write_reply(
            MoveReply(i, target + 1e-7, -target, 2.0 * i, extras={"penetration": np.array(i / 7)})
        )
    return journal


def test_it_is_read_back_to_the_bit(path):
    write(path)
    journal = Journal.open(path, "mark")
    assert journal.run == "abc"
    assert journal.pending is None
    target, reply = journal.replies[1]
    assert target.tolist() == [0.2, 1 / 3, np.pi]
    assert reply.position.tolist() == (target + 1e-7).tolist()
    assert (reply.number, reply.clock, reply.trip) == (2, 4.0, TripCode.NONE)
    assert reply.extras["penetration"] == 2 / 7


def test_a_move_without_answer_is_detected(path):
    write(path).write_request(MoveRequest(4, np.zeros(3), 1.0, 1.0))
    journal = Journal.open(path, "mark")
    assert journal.pending[0] == 4
    assert len(journal.replies) == 3


@pytest.mark.parametrize("bytes_left", [1, 20, 100])
def test_a_truncated_line_is_dropped_and_writing_continues(path, bytes_left):
    write(path)
    whole = path.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    path.write_bytes(whole[: last + bytes_left])
    journal = Journal.open(path, "mark")
    assert (len(journal.replies), journal.pending[0]) == (2, 3)
    journal.write_reply(MoveReply(3, np.zeros(3), np.zeros(3), 1.0))
    assert len(Journal.open(path, "mark").replies) == 3


def test_damage_in_the_middle_is_rejected(path):
    write(path)
    text = path.read_text().replace("0.2", "0.3", 1)
    path.write_text(text)
    with pytest.raises(OutputError, match="line 4 is damaged"):
        Journal.open(path, "mark")


def test_another_tests_journal_is_rejected(path):
    write(path)
    with pytest.raises(OutputError, match="belongs to another test"):
        Journal.open(path, "other")


def test_a_file_that_is_not_a_journal_is_rejected(path, tmp_path):
    path.write_text("hello\n")
    with pytest.raises(OutputError, match="damaged"):
        Journal.open(path, "mark")
    with pytest.raises(OutputError, match="cannot be read"):
        Journal.open(tmp_path / "nothing", "mark")


def test_a_fingerprint_is_that_of_the_values():
    assert fingerprint({"a": 1.0, "b": [2]}) == fingerprint({"b": [2], "a": 1.0})
    assert fingerprint({"a": 1.0}) != fingerprint({"a": 1.0 + 1e-15})


def test_a_journal_of_another_version_or_without_its_run_is_rejected(path, monkeypatch):
    with monkeypatch.context() as later:
        later.setattr(journal_module, "VERSION", journal_module.VERSION + 1)
        Journal.create(path, "abc", "mark")
    with pytest.raises(OutputError, match="is not a journal of a pseudo-dynamic test"):
        Journal.open(path, "mark")
    path.unlink()
    Journal.create(path, None, "mark")
    with pytest.raises(OutputError, match="is not a journal of a pseudo-dynamic test"):
        Journal.open(path, "mark")


def test_an_empty_file_is_not_a_journal(path):
    path.write_text("")
    with pytest.raises(OutputError, match="is not a journal of a pseudo-dynamic test"):
        Journal.open(path, "mark")


def test_an_answer_without_request_is_rejected(path):
    """Without one, or to another move: what the specimen went through is then not known."""
    for asked in ([], [2]):
        path.unlink(missing_ok=True)
        journal = Journal.create(path, "abc", "mark")
        for number in asked:
            journal.write_request(MoveRequest(number, np.zeros(3), 1.0, 1.0))
        journal.write_reply(MoveReply(1, np.zeros(3), np.zeros(3), 1.0))
        with pytest.raises(OutputError, match="not requested"):
            Journal.open(path, "mark")


def test_operator_changes_are_replayed_at_the_same_check(path):
    journal = write(path)
    journal.write_tunable(3, "numerical.c", 20.0)
    journal.write_tunable(3, "numerical.k", 7.0)
    journal.write_tunable(8, "numerical.c", 5.0)
    assert Journal.open(path, "mark").tunable_changes == {
        3: {"numerical.c": 20.0, "numerical.k": 7.0},
        8: {"numerical.c": 5.0},
    }


def test_a_trip_is_restored_with_value_and_limit(path):
    journal = Journal.create(path, "abc", "mark")
    journal.write_request(MoveRequest(1, np.zeros(3), 1.0, 1.0))
    journal.write_reply(MoveReply(1, np.zeros(3), np.ones(3), 1.0, TripCode.FORCE, 51.0, 50.0))
    _, reply = Journal.open(path, "mark").replies[0]
    assert (reply.trip, reply.value, reply.limit, reply.ok) == (TripCode.FORCE, 51.0, 50.0, False)
