"""A target is met only by what was computed, within its tolerance, and says so when it was not."""

import math

import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.studies.targets import (
    _PLACE,
    KINDS,
    Result,
    Target,
    Tolerance,
    compute_target,
    load_targets,
    reproduce,
)
from dovetail.studies.targets import _target as read_target


@pytest.mark.parametrize(
    ("tolerance", "expected", "inside", "outside"),
    [
        ({"relative": 0.01}, 200.0, 202.0, 202.1),
        ({"relative": 0.01}, -200.0, -198.0, 198.0),
        ({"absolute": 0.5}, 0.0, -0.5, 0.51),
        ({"factor": 2.0}, 10.0, 5.0, 4.9),
        ({"factor": 2.0}, 10.0, 20.0, -10.0),
        ("at most", 3.0, -5.0, 3.1),
        ("at least", 3.0, 3.0, 2.9),
        ("exact", 3, 3, 4),
        ("exact", "stable", "stable", "unstable"),
        ("exact", True, True, False),
        ("exact", math.inf, math.inf, 1e300),
        ({"relative": 0.01}, [1.0, "grows"], [1.005, "grows"], [1.005, "decays"]),
        ({"relative": [0.01, 0.1]}, [1.0, 1.0], [1.009, 1.09], [1.09, 1.009]),
        ({"relative": 0.5}, [1.0, 1.0], [1.0, 1.0], [1.0, 1.0, 1.0]),
        ({"relative": 0.5}, 1.0, 1.0, math.nan),
        ({"relative": 0.5}, 1.0, 1.0, True),
        ({"relative": 0.5}, 1.0, 1.0, "1.0"),
        ("exact", True, True, 1),
    ],
)
def test_a_tolerance_accepts_values_inside_only(tolerance, expected, inside, outside):
    tolerance = Tolerance.read(tolerance)
    assert tolerance.accepts(expected, inside)
    assert not tolerance.accepts(expected, outside)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"relative": 1e-3}, "±0.1 %"),
        ({"absolute": 0.05}, "±0.05"),
        ({"factor": 1.5}, "within a factor 1.5"),
        ({"relative": [0.05, 0.07]}, "±5 %, ±7 %"),
        ("at most", "at most"),
    ],
)
def test_a_tolerance_is_formatted_in_words(entry, text):
    assert str(Tolerance.read(entry)) == text


@pytest.mark.parametrize("entry", ["roughly", {"relative": 1, "absolute": 1}, {"about": 3}, 0.1])
def test_an_invalid_tolerance_is_rejected(entry):
    with pytest.raises(ValueError, match="exact, at most, at least"):
        Tolerance.read(entry)


def _target(compute, kind="independent", expected=1.0, tolerance="exact"):
    class Computed(Target):
        def function(self):
            return compute

    return Computed(
        "swings",
        "R01",
        "a number",
        "printed",
        kind,
        expected,
        Tolerance.read(tolerance),
        "sec. 1",
        "s",
        "x:y",
    )


def test_a_met_target_has_the_keys_of_the_json_listing():
    assert compute_target(_target(lambda: 1.0)).record() == {
        "study": "swings",
        "id": "R01",
        "origin": "printed",
        "kind": "independent",
        "description": "a number [s]",
        "expected": 1.0,
        "value": 1.0,
        "tolerance": "exact",
        "status": "met",
        "source": "sec. 1",
        "note": "",
        "programs": 0,
        "compile_reason": "",
    }


def test_arrays_are_compared_as_lists():
    result = compute_target(_target(lambda: np.array([1.0, 2.0]), expected=[1.0, 2.0]))
    assert (result.status, result.value) == ("met", [1.0, 2.0])
    assert compute_target(_target(lambda: np.float64(1.0))).status == "met"


def test_a_function_that_raises_is_a_failure_with_its_reason():
    def broken():
        raise ZeroDivisionError("no mass")

    result = compute_target(_target(broken))
    assert (result.status, result.value) == ("failed", "ZeroDivisionError: no mass")


def test_a_complex_number_is_not_compared():
    assert compute_target(_target(lambda: 1.0 + 0.0j)).status == "failed"


def test_a_measurement_is_listed_and_not_computed():
    result = compute_target(_target(lambda: 1 / 0, kind="data"))
    assert (result.status, result.value) == ("data", None)


def test_targets_of_a_study_are_read_from_its_folder_and_computed(tmp_path, monkeypatch):
    (tmp_path / "swings").mkdir()
    (tmp_path / "swings" / "study.toml").write_text('title = "a"\nsource = "b"\nabout = "c"\n')
    (tmp_path / "swings" / "targets.toml").write_text(
        '[[target]]\nid = "R01"\ndescription = "a"\norigin = "printed"\nkind = "shape"\nexpected = "left"\n'
        'source = "p. 3"\ncompute = "x:y"\n'
    )
    monkeypatch.setattr(Target, "function", lambda self: lambda: "right")
    assert [result.status for result in reproduce("swings", tmp_path)] == ["missed"]
    monkeypatch.setattr(Target, "function", lambda self: lambda: "left")
    assert [result.status for result in reproduce(folder=tmp_path)] == ["met"]
    second = (tmp_path / "swings" / "targets.toml").read_text().replace("R01", "R02")
    (tmp_path / "swings" / "targets_more.toml").write_text(second)
    assert [t.id for t in load_targets("swings", tmp_path)] == ["R01", "R02"]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (
            {"kind": "lucky", "compute": "x:y"},
            "lucky.*independent, fitted, shape, regression, construction, data",
        ),
        ({"kind": "data", "compute": "x:y"}, "data.*value"),
        ({"kind": "fitted"}, "no run and no compute.*missed: "),
        ({"origin": "guessed", "kind": "fitted"}, "guessed.*printed, derived, own"),
        ({"origin": "own", "kind": "independent", "compute": "x:y"}, "regression.*own"),
        ({"kind": "regression", "compute": "x:y"}, "regression.*printed"),
        ({"kind": "shape", "compute": "x:y", "source": "Li 2021"}, "names no section, page, table, figure"),
        ({"origin": "derived", "kind": "shape", "compute": "x:y"}, "derived.*note"),
        ({"kind": "construction", "compute": "x:y"}, "construction.*note"),
        ({"kind": "fitted", "compute": "x:y", "got": 3.0}, "unexpected keyword argument 'got'"),
        ({"kind": "fitted", "compute": "x:y", "tolerance": "roughly"}, "roughly.*exact"),
    ],
)
def test_a_faulty_row_is_reported_with_the_expected_form(tmp_path, row, text):
    whole = {"id": "R07", "description": "a", "origin": "printed", "expected": 1.0, "source": "app. B"} | row
    with pytest.raises(ParameterError, match=text) as error:
        read_target("swings", tmp_path / "targets.toml", whole)
    assert "targets.toml of swings, R07" in str(error.value)


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("Bolien, ch. 5, fig. 11a", True),
        ("Wallace, app. B against eqs 6.9-6.16", True),
        ("Bondoky, figs A.10 and 5.5", True),
        ("Schock 2020, secs 6.3 and 6.4", True),
        ("Caradonna and Tung, p. 12", True),
        ("Li et al. 2021: 53354/54290", False),
        ("Silva et al. 2020", False),
        ("a figure of merit of 5", False),
    ],
)
def test_a_source_must_state_section_page_table_or_figure(source, place):
    assert bool(_PLACE.search(source)) is place


def test_a_target_without_function_is_missed():
    target = Target(
        "swings", "R02", "a", "printed", "shape", 1.0, Tolerance("exact"), "p. 3", note="missed: no model"
    )
    assert (compute_target(target).status, compute_target(target).value) == ("missed", None)


def test_every_target_is_computed_or_states_the_reason():
    every = load_targets()
    assert len({(t.study, t.id) for t in every}) == len(every), "two targets share a number"
    for target in every:
        assert target.kind in KINDS
        assert callable(target.function()) if target.is_computed else target.kind == "data" or target.note, (
            target.id
        )


def test_a_result_has_the_status_of_its_evaluation():
    assert isinstance(compute_target(_target(lambda: 2.0)), Result)
