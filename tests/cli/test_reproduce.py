"""`dovetail reproduce`: the table is complete for any result, and continues after an interruption."""

import dataclasses
import errno
import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dovetail.core import programs
from dovetail.studies import target_cache, targets
from dovetail.studies.registry import studies
from dovetail.studies.targets import MANY, Target, Tolerance

random = np.random.default_rng(26)


class Table:
    """Targets of a made-up study that count how often they were computed."""

    def __init__(self, values):
        self.values, self.computed = values, []

    def load_targets(self, study=None, folder=None):
        table = self

        class Counted(Target):
            def function(self):
                def compute():
                    table.computed.append(self.id)
                    value = table.values[int(self.id[1:])]
                    if isinstance(value, BaseException):
                        raise value
                    return value

                return compute

        tolerance = Tolerance.read("exact")
        return [
            Counted(
                "swings", f"R{i}", "a number", "printed", "independent", 1.0, tolerance, "p. 1", compute="x:y"
            )
            for i in range(len(self.values))
        ]


@pytest.fixture
def table(monkeypatch):
    def of(*values):
        made = Table(list(values))
        monkeypatch.setattr(targets, "load_targets", made.load_targets)
        return made

    return of


def test_the_rows_as_json_have_the_agreed_keys(dovetail):
    code, out, err = dovetail("reproduce", "substructuring", "--target", "R01", "--target", "R02", "--json")
    rows = json.loads(out)
    assert code == 0
    assert [row["id"] for row in rows] == ["R01", "R02"]
    keys = (
        "study id origin kind description expected value tolerance status source note programs compile_reason"
    )
    assert all(set(row) == set(keys.split()) for row in rows)
    assert all(row["status"] == "met" for row in rows)
    assert err.splitlines() == ["1 of 2: substructuring R01 met", "2 of 2: substructuring R02 met"]


def test_the_table_counts_met_targets_by_origin_and_kind(dovetail):
    code, out, _ = dovetail("reproduce", "substructuring", "--target", "R01")
    assert code == 0
    assert re.search(r"^origin +independent +fitted", out, re.M)
    assert re.search(r"^printed +1 of 1$", out, re.M)


def test_the_reason_of_a_missed_target_is_printed_below_it(dovetail):
    _, out, _ = dovetail("reproduce", "docking", "--target", "RT-40")
    assert re.search(
        r"^docking RT-40 +met +printed construction .*\n.*\n +the combined modulus is symmetric", out, re.M
    )


def test_a_missed_target_is_an_exit_code(dovetail, table):
    table(1.0, 2.0)
    code, out, _ = dovetail("reproduce")
    assert code == 1
    assert re.search(r"^swings R1 +MISSED ", out, re.M)
    assert re.search(r"^printed +1 of 2$", out, re.M)


def test_a_row_that_fails_is_a_row_and_the_others_are_computed(dovetail, table):
    made = table(1.0, ZeroDivisionError("no mass"), 1.0)
    code, out, _ = dovetail("reproduce")
    assert code == 1
    assert made.computed == ["R0", "R1", "R2"]
    assert re.search(r"^swings R1 +FAILED .*\n +expected 1; computed ZeroDivisionError: no mass;", out, re.M)
    assert re.search(r"^printed +2 of 3$", out, re.M)
    code, out, _ = dovetail("reproduce", "--json")
    assert code == 1
    assert [row["status"] for row in json.loads(out)] == ["met", "failed", "met"]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_interrupted_table_shows_its_rows_and_continues_later(dovetail, table, options):
    values = [0.1 + 0.2, 1.0, float("inf"), -1e-300, [True, "left"], 7]
    whole = table(*(values[i] for i in random.permutation(6)))
    expected = dovetail("reproduce", *options)
    stopped = int(random.integers(1, 6))
    made = table(*whole.values[:stopped], KeyboardInterrupt(), *whole.values[stopped + 1 :])
    code, out, err = dovetail("reproduce", *options)
    assert code == 130
    assert f"interrupted after {stopped} of 6 targets; the same command" in err
    if options:
        assert json.loads(out) == json.loads(expected[1])[:stopped]
    else:
        assert out.startswith(expected[1].partition(f"swings R{stopped}")[0])
    made.values[stopped], made.computed = whole.values[stopped], []
    again = dovetail("reproduce", *options)
    assert again[:2] == expected[:2]  # not one character of the table differs
    assert f"{stopped} of 6 results are cached" in again[2]
    assert made.computed == [f"R{i}" for i in range(stopped, 6)]
    made.computed = []
    dovetail("reproduce", *options)
    assert len(made.computed) == 6, "a table that was whole is computed anew"


def test_rows_of_another_version_are_not_shown(dovetail, table, monkeypatch):
    made = table(1.0, 1.0, KeyboardInterrupt())
    dovetail("reproduce")
    monkeypatch.setattr(target_cache, "fingerprint", lambda: "another")
    made.computed = []
    _, _, err = dovetail("reproduce")
    assert made.computed == ["R0", "R1", "R2"]
    assert "are cached" not in err


def test_recompute_starts_a_new_table(dovetail, table):
    made = table(1.0, KeyboardInterrupt())
    dovetail("reproduce")
    made.values[1], made.computed = 1.0, []
    assert dovetail("reproduce", "--recompute")[0] == 0
    assert made.computed == ["R0", "R1"]


def test_a_failed_row_is_computed_again_when_the_table_continues(dovetail, table):
    made = table(OSError("no disk"), 1.0, KeyboardInterrupt())
    dovetail("reproduce")
    made.values, made.computed = [1.0, 1.0, 1.0], []
    assert dovetail("reproduce")[0] == 0
    assert made.computed == ["R0", "R2"]


def test_one_target_can_be_computed_without_changing_an_interrupted_table(dovetail, table):
    made = table(1.0, 1.0, KeyboardInterrupt())
    dovetail("reproduce")
    made.computed = []
    assert dovetail("reproduce", "--target", "R1")[0] == 0
    made.values[2] = 1.0
    assert dovetail("reproduce")[0] == 0
    assert made.computed == ["R1", "R2"]


def test_an_unknown_target_is_reported_with_the_known_ones(dovetail, table):
    table(1.0, 1.0)
    code, out, err = dovetail("reproduce", "--target", "R11")
    assert (code, out) == (2, "")
    assert 'no target "R11"; did you mean "R1"? known: R0, R1' in err


def test_an_unknown_study_is_reported(dovetail):
    code, _, err = dovetail("reproduce", "substructurin")
    assert code == 2
    assert 'did you mean "substructuring"?' in err


def test_without_a_writable_cache_the_table_is_printed_with_a_remark(dovetail, table, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    table(1.0, 1.0)
    code, out, err = dovetail("reproduce")
    assert code == 0
    assert "printed  2 of 2" in out
    assert "cannot be cached" in err


class Full(io.StringIO):
    """A file on a disk that is full: what is written is found missing when it is to leave the process."""

    def flush(self):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_table_that_cannot_be_written_does_not_end_as_if_it_were(dovetail, table, monkeypatch, options):
    table(1.0)
    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OSError, match="No space left"):
        dovetail("reproduce", *options)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_progress_goes_to_the_terminal_and_the_table_to_the_output(dovetail, table, monkeypatch):
    table(1.0, 1.0)
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        _, out, _ = dovetail("reproduce")
        told = ""
        while (
            "1 of 2 computed; swings R1: a number" not in told
        ):  # a terminal hands on what it got bit by bit
            told += os.read(ours, 4096).decode()
    os.close(ours)
    assert out.count("met     printed") == 2
    assert "computed; swings" not in out


def test_a_row_with_many_programs_states_the_reason(dovetail, table, monkeypatch):
    made = table(1.0)
    target = dataclasses.replace(
        made.load_targets()[0], compile_reason="a mesh of its own for each of four sizes"
    )
    monkeypatch.setattr(targets, "load_targets", lambda study: [target])
    for number in (10, 11):
        monkeypatch.setattr(targets, "compute_target", lambda t, n=number: targets.Result(t, 1.0, "met", n))
        _, out, _ = dovetail("reproduce")
        assert ("11 programs compiled: a mesh of its own for each of four sizes" in out) == (number == 11)


QUICK = {"substructuring": ["R12"]}
FEW = {  # rows that have no reason for many programs, and must never have one
    "docking": ["RT-02"],
    "capture": ["RT-02"],
    "refuelling": ["ISA", "RT-13"],
    "shipboard": ["RT-29v", "RT-41", "SEA-05"],
    "substructuring": ["R02", "R12", "R16", "R34", "R35", "B01"],
}
COMPUTED = {f"{t.study}-{t.id}": t for t in targets.load_targets() if t.is_computed}


def alone(target):
    """A row as if it were the first of its process: nothing is compiled yet and no result is kept from another."""
    target.function()  # its module compiles constants when it is imported
    parts = [
        p for name, m in list(sys.modules.items()) if name.startswith("dovetail.") for p in vars(m).values()
    ]
    for part in parts:
        native = str(getattr(part, "__module__", "")).startswith(
            "dovetail.links.native"
        )  # registered once for all
        if callable(clear := getattr(part, "cache_clear", None)) and not native:
            clear()
    programs.drop_programs()
    return targets.compute_target(target)


@pytest.mark.drops
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=[] if t.id in QUICK.get(t.study, ()) else [pytest.mark.slow])
        for row, t in COMPUTED.items()
    ],
)
def test_each_row_compiles_few_programs_or_states_the_reason(row):
    target = COMPUTED[row]
    result = alone(target)
    assert result.status in ("met", "missed"), result.value
    assert (result.programs > MANY) <= bool(target.compile_reason), (
        f"{result.programs} programs without a reason"
    )
    if target.id in FEW.get(target.study, ()):
        assert result.programs <= MANY
        maps = programs.resource_usage().maps
        programs.drop_programs()
        assert maps - programs.resource_usage().maps < 300


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell what a process holds")
@pytest.mark.parametrize("study", [*studies(), "all"])
def test_a_table_in_one_process_has_all_rows_in_bounded_memory(tmp_path, study):
    asked = [] if study == "all" else [study]
    command = [
        sys.executable,
        "-m",
        "dovetail",
        "reproduce",
        *asked,
        "--json",
    ]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    most, memory = 0, 0
    with (tmp_path / "out").open("w+") as out, subprocess.Popen(command, stdout=out, env=env) as process:
        while process.poll() is None:
            try:
                most = max(most, len(Path(f"/proc/{process.pid}/maps").read_bytes().splitlines()))
                status = Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                break
            memory = max(memory, *(1024 * int(n) for n in re.findall(r"^VmHWM:\s+(\d+)", status, re.M)), 0)
            time.sleep(0.5)
        process.wait()
        out.seek(0)
        rows = json.load(out)
    wanted = targets.load_targets(*asked)
    assert [(row["study"], row["id"]) for row in rows] == [(t.study, t.id) for t in wanted]
    assert process.returncode == int(any(row["status"] in ("missed", "failed") for row in rows))
    assert [row["id"] for row in rows if row["status"] == "failed"] == []
    silent = [
        (r["study"], r["id"], r["programs"]) for r in rows if r["programs"] > MANY and not r["compile_reason"]
    ]
    assert silent == []
    assert 0 < most < 20_000
    assert 0 < memory < 4e9
