"""Golden runs: what is recorded equals itself, and a changed, missing or renamed signal is found and named."""

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
TEST = "substructuring/cs1"


def imported(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


golden = imported("golden")


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A short recording of one hybrid test and one simulation."""
    folder, api = tmp_path_factory.mktemp("golden"), imported("golden_interface")
    golden.record_test(folder, TEST, api, 20, 5)
    golden.record_test(folder, "capture/swing", api, 5, 5)
    return folder


@pytest.fixture
def copy(recording, tmp_path):
    return Path(shutil.copytree(recording, tmp_path / "copy"))


def rewrite(file, change):
    """Change the signals of a recorded run."""
    signals = dict(np.load(file))
    change(signals)
    np.savez(file, **signals)


def found(old, new, label, tolerance=0.0):
    """Text and acceptance of one test and mode."""
    (entry,) = [line[1:] for line in golden.compare(old, new, tolerance=tolerance) if line[0] == label]
    return entry


def test_a_recording_equals_itself_in_every_mode(recording, copy):
    lines = golden.compare(recording, copy)
    assert all(accepted for *_, accepted in lines)
    bits = {label.split()[1] for label, text, _ in lines if text == "equal to the bit"}
    assert {"rehearse", "replay", "simulate", golden.STABILITY} <= bits
    assert bits & {"emulate", "reference"}
    assert bits & {"creep", "pseudodynamic"}
    assert golden.main(["compare", str(recording), str(copy)]) == 0


def test_recording_again_gives_the_same_bits(recording, tmp_path):
    golden.record_test(tmp_path, TEST, imported("golden_interface"), 20, 5)
    lines = golden.compare(recording, tmp_path, only=TEST)
    assert {text for _, text, _ in lines} == {"equal to the bit", "refused in both"}


def test_recording_one_test_keeps_the_others_of_its_study(recording, copy, monkeypatch):
    old = copy / TEST / "of-an-earlier-time.json"
    golden.save(copy / "substructuring/other/rehearse", {"time": np.zeros(2)}, {})
    golden.save(old.with_suffix(""), {"time": np.zeros(2)}, {})
    silent = type("", (), {"runs": lambda *_: [("run", "no rig")], "stability": lambda _: "no rig"})
    golden.record_test(copy, TEST, silent)
    assert (copy / "substructuring/other/rehearse.npz").exists()
    assert sorted(file.name for file in (copy / TEST).iterdir()) == ["run.json", "stability.json"]


def test_a_long_recording_is_thinned_and_keeps_its_ends():
    values = np.arange(2 * golden.SAMPLES + 2)
    kept = golden.thinned(values)
    assert kept[0] == 0
    assert kept[-1] == values[-1]
    assert len(kept) <= golden.SAMPLES + 1
    assert len(golden.thinned(values[: golden.SAMPLES])) == golden.SAMPLES


def test_a_recorded_run_has_its_outcome_and_the_requested_number_of_samples(recording):
    about = json.loads((recording / TEST / "rehearse.json").read_text())
    signals = np.load(recording / TEST / "rehearse.npz")
    assert about["outcome"] == "FINISHED"
    assert about["units"]["displacement"] == "m"
    assert len(signals["time"]) == len(signals["displacement"]) == 21
    assert np.abs(signals["displacement"]).max() > 0


def test_a_changed_value_is_reported_and_compared_with_the_tolerance(recording, copy, capsys):
    rewrite(copy / TEST / "rehearse.npz", lambda signals: signals["displacement"].__imul__(1 + 1e-9))
    text, accepted = found(recording, copy, f"{TEST} rehearse")
    assert "displacement" in text
    assert "1e-09" in text
    assert not accepted
    assert found(recording, copy, f"{TEST} rehearse", tolerance=1e-8)[1]
    assert golden.main(["compare", str(recording), str(copy)]) == 1
    assert f"DIFFERS {TEST} rehearse" in capsys.readouterr().out


def test_a_missing_signal_and_a_missing_mode_are_found(recording, copy):
    rewrite(copy / TEST / "rehearse.npz", lambda signals: signals.pop("velocity"))
    (copy / TEST / "replay.json").unlink()
    assert found(recording, copy, f"{TEST} rehearse", 1.0) == ("velocity is missing", False)
    assert found(recording, copy, f"{TEST} replay", 1.0) == ("MISSING", False)


def test_runs_with_another_length_or_outcome_differ(recording, copy):
    rewrite(copy / TEST / "rehearse.npz", lambda signals: signals.update(velocity=signals["velocity"][:-1]))
    assert not found(recording, copy, f"{TEST} rehearse", 1.0)[1]
    file = copy / TEST / "replay.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "outcome": "VELOCITY"}))
    assert found(recording, copy, f"{TEST} replay", 1.0) == ("outcome FINISHED -> VELOCITY", False)
    file.write_text(json.dumps({"error": "ValueError"}))
    assert not found(recording, copy, f"{TEST} replay", 1.0)[1]


def test_new_names_are_matched_with_the_old_ones(tmp_path):
    t = np.linspace(0, 1, 5)
    trip = {"signal": "contact_gain", "value": 2.0, "limit": 1.0, "time": 0.5, "unit": "1"}
    was = {"depth": t, "penetration": t**2, "force": t**3, "time": t}
    golden.save(tmp_path / "old/study/test/emulate", was, {"outcome": "CONTACT", "trip": trip})
    assessed = {"frequency": 3.0, "delay": 0.1}
    golden.save(tmp_path / "old/study/test/stability", assessed, {})
    now = {"penetration": t, "foot_penetration": t**2, "feedback_force": t**3, "time": t}
    about = {"outcome": "CONTACT_ENERGY", "trip": {**trip, "signal": "contact_energy_gain"}}
    golden.save(tmp_path / "new/study/test/reference", now, about)
    assessed = {"critical_frequency": 3.0, "rig_delay": 0.1}
    golden.save(tmp_path / "new/study/test/stability", assessed, {})
    expected = [
        ("study/test reference", "equal to the bit", True),
        ("study/test stability", "equal to the bit", True),
    ]
    assert golden.compare(tmp_path / "old", tmp_path / "new") == expected
    assert golden.compare(tmp_path / "old", tmp_path / "old")[0][1:] == ("equal to the bit", True)
    swapped = now | {"penetration": t**2, "foot_penetration": t}
    golden.save(tmp_path / "new/study/test/reference", swapped, about)
    assert not golden.compare(tmp_path / "old", tmp_path / "new")[0][2]


def test_renames_are_one_to_one():
    """A script that renames everywhere would spoil the table."""
    for names in golden.RENAMED.values():
        assert all(old != new for old, new in names.items())
        assert len(set(names.values())) == len(names)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, -2.0], [1.0, -2.5], 0.25),
        ([0.0, 0.0], [0.0, 1e-30], np.inf),
        ([1.0, np.nan], [1.0, np.nan], 0.0),
        ([1.0, np.inf], [1.0, -np.inf], np.inf),
        ([1.0, 2.0], [1.0, np.nan], np.inf),
        ([3 + 4j], [3 + 4.5j], 0.1),
    ],
)
def test_the_difference_is_a_fraction_of_the_signals_size(old, new, expected):
    assert golden.difference(np.array(old), np.array(new)) == pytest.approx(expected)


def test_the_tests_of_this_tree_are_found_without_maps_and_cells():
    names = golden.test_names(golden.TREE, "*")
    assert {TEST, "shipboard/case-8", "capture/swing"} <= set(names)
    assert not {"docking/map", "refuelling/cell"} & set(names)
    assert golden.test_names(golden.TREE, "shipboard/case-8") == ["shipboard/case-8"]
