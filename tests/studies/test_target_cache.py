"""Rows are kept to the last digit, for the files and libraries they were computed with and for no others."""

import math

import numpy as np
import pytest

from dovetail.studies.target_cache import TargetCache, fingerprint
from dovetail.studies.targets import Result, Target, Tolerance

random = np.random.default_rng(2611)


def target(number, study="swings"):
    tolerance = Tolerance.read("exact")
    return Target(study, f"R{number}", "a", "printed", "independent", 1.0, tolerance, "p. 1", compute="x:y")


def test_cached_results_are_restored_to_the_last_digit(tmp_path):
    values = [*random.standard_normal(20).tolist(), math.inf, -0.0, True, "left", [1.0, [2, "b"]], 2**60, 1.0]
    first = TargetCache(tmp_path, "swings", "a")
    for i, value in enumerate(values):
        first.add(Result(target(i), value, "met" if value == 1.0 else "missed", i))
    second = TargetCache(tmp_path, "swings", "a")
    for i, value in enumerate(values):
        result = second.result(target(i))
        assert (repr(result.value), result.programs) == (repr(value), i)
        assert result.status == ("met" if type(value) is float and value == 1.0 else "missed")
    assert second.count([*map(target, range(40))]) == len(values)
    assert second.result(target(0, "another")) is None


def test_a_row_that_was_being_written_when_the_process_ended_is_computed_again(tmp_path):
    first = TargetCache(tmp_path, None, "a")
    for i in range(3):
        first.add(Result(target(i), float(i), "missed"))
    whole = first.file.read_bytes()
    last = whole.rindex(b"{")
    for cut in random.integers(last + 1, len(whole) - 1, 4):
        first.file.write_bytes(whole[:cut])
        second = TargetCache(tmp_path, None, "a")
        assert [second.result(target(i)) is None for i in range(3)] == [False, False, True]
        second.add(Result(target(2), 2.0, "missed"))
        assert TargetCache(tmp_path, None, "a").count(map(target, range(3))) == 3


def test_rows_of_other_files_or_tables_are_not_found(tmp_path):
    TargetCache(tmp_path, "swings", "a").add(Result(target(0), 1.0, "met"))
    assert TargetCache(tmp_path, "swings", "a").result(target(0)) is not None
    assert TargetCache(tmp_path, "swings", "b").result(target(0)) is None
    assert TargetCache(tmp_path, "swings/case", "a").result(target(0)) is None
    assert TargetCache(tmp_path, None, "a").result(target(0)) is None


@pytest.mark.parametrize("status", ["failed", "data"])
def test_only_computed_results_are_cached(tmp_path, status):
    table = TargetCache(tmp_path, None, "a")
    table.add(Result(target(0), "OSError: no disk", status))
    assert not table.file.exists()


def test_a_complete_table_leaves_no_cache(tmp_path):
    table = TargetCache(tmp_path, None, "a")
    table.add(Result(target(0), 1.0, "met"))
    table.delete()
    assert list(tmp_path.iterdir()) == []
    assert table.result(target(0)) is None


def test_the_fingerprint_depends_on_the_files_only(tmp_path):
    for name in ("a.py", "b/targets.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    before = fingerprint(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("0")
    assert fingerprint(tmp_path) == before
    (tmp_path / "b" / "targets.toml").write_text("x = 2\n")
    changed = fingerprint(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    assert len({before, changed, fingerprint(tmp_path)}) == 3
