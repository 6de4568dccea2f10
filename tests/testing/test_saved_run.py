"""What a run's folder holds is read back, or every file that is missing or damaged is named."""

import json

import pytest

from dovetail.core.errors import OutputError
from dovetail.testing import run_folder
from dovetail.testing.saved_run import outcome, readings


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    import dovetail as dv

    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        duration=0.05,
        title="short",
    )
    saved = test.rehearse().save(tmp_path_factory.mktemp("runs") / "run")
    return {path.name: path.read_bytes() for path in saved.iterdir()}


@pytest.fixture
def place(whole, tmp_path):
    for name, data in whole.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_a_complete_folder_is_read(place):
    run = run_folder.read_run(place)
    assert run.mode == "rehearse"
    assert run.test.title == "short"


@pytest.mark.parametrize("name", ["test.toml", "result.nc", "outcome.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "garbage", "a bit", "a folder"])
def test_each_damaged_file_is_reported_with_the_remaining_uses(place, name, damage):
    path, data = place / name, (place / name).read_bytes()
    path.unlink()
    if damage == "a folder":
        path.mkdir()
    elif damage != "missing":
        turned = bytearray(data)
        turned[len(data) // 2] ^= 0x80
        path.write_bytes(
            {"empty": b"", "cut": data[: len(data) // 2], "garbage": b"\x89" * 50}.get(damage, turned)
        )
    with pytest.raises(OutputError) as caught:
        run_folder.read_run(place)
    text = str(caught.value)
    assert f"  {name}: " in text
    assert ("is missing" in text) == (damage == "missing")
    if name != "result.nc":
        assert "result.nc is valid: open it with xarray, or replay it" in text
        assert readings(place).sizes["time"] == 51
    if name != "test.toml":
        assert "test.toml is valid: run it again with" in text


def test_all_damaged_files_are_reported_at_once(place):
    (place / "outcome.json").write_text("{")
    (place / "test.toml").unlink()
    with pytest.raises(OutputError, match=r"(?s)outcome.json: is damaged.*test.toml: is missing"):
        run_folder.read_run(place)


def test_a_flipped_bit_in_the_data_is_detected(place):
    data = bytearray((place / "result.nc").read_bytes())
    data[-20] ^= 1
    (place / "result.nc").write_bytes(data)
    with pytest.raises(OutputError, match=r"result.nc: its checksum differs"):
        run_folder.read_run(place)
    with pytest.raises(OutputError, match="checksum"):
        readings(place)


def test_a_folder_of_before_there_were_checksums_is_read(place):
    table = json.loads((place / "outcome.json").read_text())
    del table["sha256"]
    (place / "outcome.json").write_text(json.dumps(table))
    assert run_folder.read_run(place).outcome.completed


@pytest.mark.parametrize(
    "table",
    [
        {"outcome": "SOMETHING", "trip": None},
        {"outcome": ["FINISHED"], "trip": None},
        {"outcome": "FINISHED", "trip": {"signal": "x"}},
        {
            "outcome": "FINISHED",
            "trip": {"signal": "x", "value": 10**400, "limit": 1, "time": 1, "unit": "N"},
        },
        {"outcome": "FINISHED", "trip": None, "sha256": [1]},
        [],
        None,
    ],
)
def test_an_invalid_outcome_counts_as_damage(tmp_path, table):
    (tmp_path / "outcome.json").write_text(json.dumps(table))
    with pytest.raises(OutputError, match="outcome.json: is damaged"):
        outcome(tmp_path / "outcome.json")


def test_existing_reports_and_journals_are_mentioned(place):
    (place / "result.nc").unlink()
    (place / "report.html").touch()
    (place / "journal.jsonl").touch()
    with pytest.raises(OutputError, match=r"(?s)--mode pseudodynamic --resume.*report.html"):
        run_folder.read_run(place)
