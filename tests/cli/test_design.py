"""`dovetail design`: plan folder, decisions of the user, and invalid input."""

import json
from pathlib import Path

import pytest

from dovetail.cli.design import EXIT_NO_GO, _ask_user

LATE = ("substructuring/cs1", "--set", 'rig.actuator.delay="9.4 ms"', "--set", "duration=2")


def test_a_plan_is_written_and_every_decision_printed(dovetail):
    code, out, _ = dovetail("design", *LATE, "--compensator", "forward-prediction", "--model-order", "0")
    assert code == 0
    for word in ("IDENTIFY", "COMPENSATE", "ROBUSTIFY", "VERIFY", "GO: all checks passed."):
        assert word in out
    folder = Path("runs/cs1-design-001")
    assert json.loads((folder / "plan.json").read_text())["go"] is True
    assert "# Plan of the test: CS1" in (folder / "plan.md").read_text()
    code, out, _ = dovetail("run", folder / "test.toml", "--no-report", "--out", "run")
    assert code == 0
    assert "sampled loop stable" in out


def test_a_no_go_has_its_own_exit_code(dovetail):
    code, out, _ = dovetail(
        "design",
        *LATE,
        "--compensator",
        "none",
        "--robustness",
        "none",
        "--model-order",
        "0",
        "--out",
        "here",
    )
    assert code == EXIT_NO_GO
    assert "NO-GO: " in out
    assert "Do not run this test yet" in Path("here/plan.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--compensator", "magic"), 'no compensator "magic"; known: adaptive-forward-prediction'),
        (("--predictor-order", "2"), "order and window belong together"),
        (("--max-error", "-1"), "above 0"),
        pytest.param(
            ("--predictor-order", "2", "--predictor-window", "2500", "--compensator", "forward-prediction"),
            "longer than the recording",
            marks=pytest.mark.slow,
        ),
        (("--recording", "nowhere"), "contains no result.nc"),
    ],
)
def test_invalid_input_is_reported_in_one_line(dovetail, arguments, words):
    code, _, err = dovetail("design", *LATE, "--model-order", "0", *arguments)
    assert code == 2
    assert words in err


def test_a_decision_is_asked_again_until_it_is_valid(monkeypatch):
    answers = iter(["magic", "inverse"])
    monkeypatch.setattr("typer.prompt", lambda text, default: next(answers))
    said = []
    options = {"none": "none: nothing", "inverse": "inverse: the model"}
    assert _ask_user("compensator", "none", options, said.append) == "inverse"
    assert 'got "magic"; expected one of none, inverse' in said


DROP = ("refuelling/drop", "--set", "duration=0.3", "--set", 'pseudodynamic.free_step="0.2 ms"')


@pytest.mark.slow
def test_a_pseudodynamic_test_prints_the_rig_requirements(dovetail):
    """A plate on a tennis ball: 5 kN/m and more against 6.5 kg; no robot is quick enough for the hardened ball."""
    code, out, err = dovetail("design", *DROP)
    assert code == EXIT_NO_GO, err
    assert "6.5 kg" in out
    assert "industrial robot, opened controller" in out
    folder = Path("runs/drop-rig-requirements-001")
    found = json.loads((folder / "rig_requirements.json").read_text())
    assert found["stiffness"] > 5000
    assert found["able"]["industrial robot, vendor's interface"] is False
    assert "Rig requirements" in (folder / "rig_requirements.html").read_text()
    # the same from the run's folder, with another mass
    code, out, _ = dovetail("design", folder, "--contact-mass", "650")
    assert "650 kg" in out
    heavy = json.loads((folder / "rig_requirements.json").read_text())
    assert heavy["any_delay"] == pytest.approx(10 * found["any_delay"])  # as the root of the mass
