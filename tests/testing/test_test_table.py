"""Tables of test files: other values at paths, names of files made whole."""

import pytest

from dovetail.core import Part
from dovetail.core.errors import TestFileError
from dovetail.core.kinds import parts_by_kind
from dovetail.testing import Test
from dovetail.testing.test_table import change, parts_of, resolve_paths

TABLE = {"numerical": {"mass": [1, 2], "rows": [[1, 2], [3, 4]]}, "parts": [{"k": 1}], "excitation": "rest"}


def test_setting_a_value_changes_only_its_path():
    changed = change(
        TABLE, {"numerical.mass[1]": 5, "numerical.rows[0][1]": 9, "parts.0.k": 3, "a.b.c": 1, "rate": 2}
    )
    assert changed == {
        "numerical": {"mass": [1, 5], "rows": [[1, 9], [3, 4]]},
        "parts": [{"k": 3}],
        "excitation": "rest",
        "a": {"b": {"c": 1}},
        "rate": 2,
    }
    assert TABLE["numerical"]["mass"] == [1, 2]
    assert change({}, {'tunable."feedback.measured_fraction".max': 1}) == {
        "tunable": {"feedback.measured_fraction": {"max": 1}}
    }


def test_a_part_of_another_kind_keeps_common_parameters_only():
    law = {"kind": "kelvin-voigt", "stiffness": 1e6, "damping": 3.0, "tension": "clamped", "typo": 1}
    changed = change({"law": law}, {"law.restitution": 0.5, "law.kind": "hunt-crossley"})["law"]
    expected = {
        "kind": "hunt-crossley",
        "stiffness": 1e6,
        "tension": "clamped",
        "restitution": 0.5,
        "typo": 1,
    }
    assert changed == expected
    assert change({"law": law}, {"law.kind": "no-such-law"})["law"] == law | {"kind": "no-such-law"}
    # what is said of the new part is told if it has no place there
    assert change({"law": law}, {"law.damping": 4.0, "law.kind": "hertz"})["law"]["damping"] == 4.0


@pytest.mark.parametrize(
    ("path", "place", "text"),
    [
        ("numerical.mass[2]", "numerical.mass[2]", "does not exist; the list has 2 entries, counted from 0"),
        ("parts.one.k", "parts.one", "does not exist; the list has 1"),
        (
            "excitation.frequency",
            "excitation.frequency",
            '"excitation" is "rest", not a table; set excitation',
        ),
        ("numerical.mass[0].x", "numerical.mass[0].x", '"numerical.mass[0]" is 1, not a table'),
        ("rig.k[0]", "rig.k[0]", '"rig.k" is not a list in the file; set rig.k as a whole'),
        ("a..b", "a..b", "is not a path"),
    ],
)
def test_an_unknown_path_is_reported(path, place, text):
    with pytest.raises(TestFileError) as caught:
        change(TABLE, {path: 3})
    assert caught.value.faults[0].path == place
    assert text in caught.value.faults[0].text


def test_file_paths_are_resolved_at_any_depth(tmp_path):
    table = {
        "excitation": {
            "kind": "ground-motion",
            "excitation": {"kind": "ground-record", "file": "a/quake.csv"},
        },
        "numerical": {"kind": "oscillator", "file": "no field"},
        "rig": {
            "actuator": {"kind": "series", "parts": [{"kind": "none such", "file": "x"}, 3]},
            "specimen": 4,
        },
        "schedule": 3,
        "kind": "no such kind",
    }
    found = resolve_paths(table, Test, tmp_path)
    assert found["excitation"]["excitation"]["file"] == str(tmp_path / "a" / "quake.csv")
    assert resolve_paths(found, Test, tmp_path / "elsewhere") == found  # whole names stay
    assert found["numerical"] == table["numerical"]
    assert found["rig"] == table["rig"]
    assert table["excitation"]["excitation"]["file"] == "a/quake.csv"


def test_nested_parts_are_listed():
    assert all(isinstance(parts_of(cls), dict) for cls in parts_by_kind(Part).values())
    assert parts_of(Test)["tunable"][1]  # by name


def test_a_part_exchanged_for_one_without_parameters_loses_all_of_them():
    table = {"structure": {"kind": "hinged-blade", "radius": 3.0, "inertia": 20.0}}
    assert change(table, {"structure.kind": "rigid-blade"}) == {"structure": {"kind": "rigid-blade"}}
    misspelt = change(table, {"structure.kind": "stif-blade"})  # which the reader will say
    assert misspelt["structure"]["radius"] == 3.0
