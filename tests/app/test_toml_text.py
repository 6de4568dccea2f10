"""Edited TOML: only the changed values differ."""

import tomllib

import numpy as np
import pytest

from dovetail.app.toml_text import inline, patch_toml
from dovetail.studies.registry import all_tests
from dovetail.testing.test_table import change

CS1 = """\
title = "CS1"   # a title
rate = "1 kHz"

[rig.actuator]
kind = "delay"
delay = "3 ms"      # comfortable

# what is real
[rig.specimen]
kind = "spring"
k = "2250 N/m"
"""


def test_a_replaced_value_keeps_its_comment():
    wanted = change(tomllib.loads(CS1), {"rig.actuator.delay": "6.5 ms"})
    assert patch_toml(CS1, wanted) == CS1.replace('"3 ms"', '"6.5 ms"')


def test_new_values_and_tables_are_inserted_beside_related_ones():
    wanted = change(tomllib.loads(CS1), {"rig.actuator.gain": 2.0, "seed": 3, "limits.force": "90 N"})
    new = patch_toml(CS1, wanted)
    assert "# comfortable\ngain = 2.0\n\n# what is real" in new
    assert 'rate = "1 kHz"\nseed = 3\n' in new
    assert new.endswith('k = "2250 N/m"\n\n[limits]\nforce = "90 N"\n')
    assert tomllib.loads(new) == wanted


def test_a_comment_stays_before_the_header_that_it_describes():
    text = 'title = "x"\n\n# the rig\n[rig]\nk = 1\n\n# the mass\n[mass]\nm = 1\n'
    wanted = change(tomllib.loads(text), {"seed": 3, "rig.c": 2})
    assert patch_toml(text, wanted) == text.replace('"x"\n', '"x"\nseed = 3\n').replace(
        "k = 1\n", "k = 1\nc = 2\n"
    )


def test_removing_a_value_removes_exactly_its_lines():
    table = tomllib.loads(CS1)
    del table["rig"]["specimen"]
    new = patch_toml(CS1, table)
    assert tomllib.loads(new) == table
    assert "# what is real" in new
    assert "specimen" not in new


def test_tables_in_one_line_are_changed_inside():
    text = 'a = { kind = "x", b = [1, 2, { c = 3 }], d.e = 4 } # end\nz = 1\n'
    table = tomllib.loads(text)
    table["a"]["b"][2]["c"] = "5 mm"
    table["a"]["d"]["e"] = 5
    table["a"]["f"] = True
    edited = text.replace("c = 3", 'c = "5 mm"').replace("e = 4", "e = 5, f = true")
    assert patch_toml(text, table).replace(" ", "") == edited.replace(" ", "")
    del table["a"]["kind"]
    assert tomllib.loads(patch_toml(text, table)) == table
    assert "# end" in patch_toml(text, table)


def test_unsupported_notation_is_rewritten_correctly():
    text = "a.b = 1\na.c.d = 2\n"
    table = {"a": {"b": 1, "c": {"d": 2, "e": 3}}}
    assert tomllib.loads(patch_toml(text, table)) == table


ALL = sorted(all_tests())
FIRST = {name.partition("/")[0]: name for name in reversed(ALL)}  # of every study


@pytest.mark.parametrize(
    "name",
    [name if name in FIRST.values() else pytest.param(name, marks=pytest.mark.slow) for name in ALL],
)
def test_every_test_of_the_studies_can_be_changed_anywhere(name):
    """A seeded change to each of a few places; comments elsewhere stay, and the table is the wanted one."""
    text = all_tests()[name].path.read_text("utf-8")
    table = tomllib.loads(text)
    random = np.random.default_rng(list(name.encode()))
    places = list(changed_values(table))
    for i in random.choice(len(places), min(5, len(places)), replace=False):
        wanted = tomllib.loads(text)
        node = wanted
        for step in places[i][:-1]:
            node = node[step]
        if isinstance(node, dict) and random.random() < 0.3:
            del node[places[i][-1]]
        else:
            node[places[i][-1]] = random.choice(["7 ms", 'a "b" \\ c'])
        new = patch_toml(text, wanted)
        assert tomllib.loads(new) == wanted
        changed = len(set(text.splitlines()) ^ set(new.splitlines()))
        assert changed <= 2 or "\n" in inline_of(table, places[i], text), (
            f"{places[i]}: {changed} lines differ"
        )


def changed_values(node, way=()):
    if isinstance(node, dict):
        for key, value in node.items():
            yield from changed_values(value, (*way, key))
    elif isinstance(node, list) and node and all(isinstance(entry, dict) for entry in node):
        for i, value in enumerate(node):
            yield from changed_values(value, (*way, i))
    else:
        yield way


def inline_of(table, way, text):
    """A line break, if the value is a list that is written over several lines."""
    node = table
    for step in way:
        node = node[step]
    return "\n" if isinstance(node, list) and inline(node) not in text else ""
