"""`dovetail run --mode pseudodynamic`; with a served cell it is tested in tests/end_to_end."""

import json

import pytest

FILE = """
rate = 1000
duration = "20 ms"
numerical = { kind = "oscillator", m = 2.2, c = 15.0, k = 2250.0 }
excitation = { kind = "sine", amplitude = "5 mm", frequency = "3 Hz" }
[rig]
actuator = { kind = "delay", delay = "20 ms" }
specimen = { kind = "spring", k = 2250.0 }
[limits]
force = LIMIT
[pseudodynamic]
move_time = "40 ms"
settling_time = "80 ms"
"""


@pytest.fixture
def file(tmp_path):
    def write(limit="inf"):
        path = tmp_path / "small.toml"
        path.write_text(FILE.replace("LIMIT", limit).replace('duration = "20 ms"', 'duration = "30 ms"'))
        return str(path)

    return write


def call(*words):
    from dovetail.cli.main import app

    return app(list(words), standalone_mode=False) or 0


def test_a_pseudodynamic_test_runs_saves_and_prints_its_outcome(file, tmp_path, capsys):
    out = tmp_path / "out"
    assert call("run", file(), "--mode", "pseudodynamic", "--out", str(out)) == 0
    told = capsys.readouterr().out
    assert "estimate  30 moves of 0.12 s" in told
    assert "30, 0 from the journal" in told
    assert {"journal.jsonl", "result.nc", "outcome.json", "test.toml", "report.html"} <= {
        p.name for p in out.iterdir()
    }


def test_a_finished_run_resumed_makes_no_move(file, tmp_path, capsys):
    out = tmp_path / "out"
    name = file()
    call("run", name, "--mode", "pseudodynamic", "--out", str(out), "--no-report")
    before = (out / "journal.jsonl").read_bytes()
    assert call("run", name, "--mode", "pseudodynamic", "--resume", str(out), "--no-report") == 0
    assert "30, 30 from the journal" in capsys.readouterr().out
    assert (out / "journal.jsonl").read_bytes() == before


def test_a_limit_is_an_exit_code_and_a_hint(file, tmp_path, capsys):
    out = tmp_path / "out"
    assert call("run", file("0.5"), "--mode", "pseudodynamic", "--out", str(out), "--no-report") == 3
    told = capsys.readouterr().out
    assert f"continue  dovetail run {tmp_path}/small.toml --mode pseudodynamic --resume {out}" in told
    assert json.loads((out / "outcome.json").read_text())["outcome"] == "FORCE"


def test_without_a_cell_no_folder_is_written(file, tmp_path):
    from dovetail.core.errors import LinkError

    out = tmp_path / "out"
    for _ in range(2):
        with pytest.raises(LinkError, match="no cell answers"):
            call(
                "run", file(), "--mode", "pseudodynamic", "--address", "tcp://127.0.0.1:9", "--out", str(out)
            )


def test_a_path_that_is_not_a_run_folder_cannot_be_resumed(file, tmp_path):
    from dovetail.core.errors import OutputError, ParameterError

    with pytest.raises(OutputError, match="is not a directory"):
        call("run", file(), "--mode", "pseudodynamic", "--resume", str(tmp_path / "nothing"))
    with pytest.raises(ParameterError, match="requires --mode pseudodynamic"):
        call("run", file(), "--resume", str(tmp_path))


def test_a_cell_is_served_and_not_run():
    from dovetail.core.errors import ParameterError

    with pytest.raises(ParameterError, match="dovetail rig serve refuelling/cell"):
        call("run", "refuelling/cell")
