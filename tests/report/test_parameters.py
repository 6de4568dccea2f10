import math

from dovetail.report import parameters
from dovetail.testing import Limits

TABLE = {
    "title": "A test",
    "numerical": {"kind": "oscillator", "m": 2.2, "c": 15.0, "k": 2250.0},
    "rig": {"actuator": {"kind": "delay", "delay": 0.0094}, "sensor": {"kind": "series", "parts": []}},
    "limits": {"force": math.inf},
    "parts": [{"kind": "delay", "delay": 0.001}, {"kind": "unheard-of", "a": True}],
    "long": list(range(20)),
}


def by_path(table, **options):
    return {row.path: row for row in parameters.rows(table, **options)}


def test_units_and_meanings_are_those_the_part_declared():
    row = by_path(TABLE)["numerical.m"]
    assert (row.value, row.unit) == ("2.2", "kg")
    assert "mass" in row.about


def test_values_are_shown_with_handy_units():
    assert by_path(TABLE)["rig.actuator.delay"].value == "9.4"
    assert by_path(TABLE)["rig.actuator.delay"].unit == "ms"


def test_a_part_is_listed_under_its_path():
    found = by_path(TABLE)
    assert found["numerical"].value == "oscillator"
    assert found["rig.sensor"].value == "none"  # a series of nothing


def test_lists_of_parts_are_numbered_and_long_lists_cut():
    found = by_path(TABLE)
    assert found["parts.0.delay"].value == "1"
    assert found["parts.1.a"].value == "True"
    assert found["long"].value == "[0, 1, 2, 3, 4, 5, 6, 7, … 20 entries]"


def test_an_infinite_limit_is_shown_as_none():
    assert by_path(TABLE)["limits.force"].value == "none"


def test_a_table_without_a_kind_can_be_given_its_class():
    table = {"limits": {"force": 200.0}}
    assert by_path(table)["limits.force"].unit == ""
    assert by_path(table, declared_by={"limits": Limits})["limits.force"].unit == "N"


def test_summaries_name_the_first_numbers():
    assert parameters.summary(TABLE["numerical"], count=2) == ("oscillator", ["m 2.2 kg", "c 15 N s/m"])


def test_differences_are_listed_by_path():
    other = {**TABLE, "rig": {"actuator": {"kind": "delay", "delay": 0.003}}}
    found = parameters.differences([TABLE, other])
    assert found["rig.actuator.delay"] == ["9.4 ms", "3 ms"]
    assert found["rig.sensor"] == ["none", ""]
    assert "numerical.m" not in found
    apart = parameters.differences([{"limits": {"force": f}} for f in (200.0, 300.0)], {"limits": Limits})
    assert apart == {"limits.force": ["200 N", "300 N"]}


def test_a_matrix_is_shown_by_its_size():
    row = parameters.rows({"forcing": [[1.0] * 17, [2.0] * 17]})[0]
    assert row.value == "2 rows of numbers"
