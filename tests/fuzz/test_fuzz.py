"""Every reader takes a few hundred damaged inputs, and every input that was ever a finding; and the judge can tell."""

import random
import signal
import time

import pytest

from dovetail.core.errors import LinkError, OutputError

from . import files, harness, mutation, protocols
from .harness import CORPUS, Finding, Reader

READERS = {reader.name: reader for reader in (*files.readers(quick=True), *protocols.readers())}
CASES = {
    "test file": 25,
    "simulation file": 12,
    "map file": 25,
    "cell file": 12,
    "campaign": 25,
    "run folder": 25,
    "recording": 4,
    "laboratory": 15,  # a third are MAT files, each tried in a process of its own
}
SEED = 20


@pytest.mark.parametrize("name", READERS)
def test_damaged_input_is_read_or_reported(name):
    reader, found = READERS[name], []
    for number in range(CASES.get(name, 150)):
        case = harness.drawn(reader, SEED, number)
        finding = harness.judge(reader, case)
        if finding is not None:
            found.append(f"case {number}: {finding}\n{finding.trace}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.json")), ids=lambda file: file.stem)
def test_former_findings_are_fixed(file):
    name, case = harness.load(file)
    finding = harness.judge(READERS[name], case)
    assert finding is None, f"{finding}\n{finding.trace}"


def judged(read):
    return harness.judge(Reader("reader", lambda rng: None, lambda case, at: read()), None, longest=0.05)


def test_the_check_accepts_read_input_and_dovetail_errors():
    def refuse():
        raise OutputError("result.nc: is missing")

    assert judged(lambda: 1) is None
    assert judged(refuse) is None


def test_the_check_finds_other_exceptions_hangs_and_unreadable_messages():
    def empty():
        raise LinkError("")

    def long():
        raise LinkError("x" * 10**6)

    assert judged(lambda: 1 / 0).what.startswith("ZeroDivisionError")
    assert judged(lambda: time.sleep(60)).what.startswith("Hung")
    assert judged(lambda: sum(1 for _ in iter(int, 1))).what.startswith("Hung")
    assert "0 characters" in judged(empty).what
    assert "1000000 characters" in judged(long).what


def test_a_case_does_not_change_the_time_limit_of_its_test():
    before, _ = signal.setitimer(signal.ITIMER_REAL, 100.0)
    try:
        judged(lambda: 1)
        assert 99 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, before)


def test_a_case_depends_on_its_seed_and_is_restored_from_its_file(tmp_path):
    for reader in READERS.values():
        case = harness.drawn(reader, 1, 1)
        assert harness.packed(case) == harness.packed(harness.drawn(reader, 1, 1))
        file = harness.keep(Finding(reader.name, "KeyError: 'x'", "here"), case, tmp_path)
        name, again = harness.load(file)
        assert name == reader.name
        assert harness.packed(again) == harness.packed(case)


def test_damage_changes_a_copy_of_the_table():
    table = {"a": {"b": [1.0, 2.0]}, "c": "x"}
    changed = [mutation.damaged(table, random.Random(i)) for i in range(200)]
    assert table == {"a": {"b": [1.0, 2.0]}, "c": "x"}
    assert sum(str(each) != str(table) for each in changed) > 180
