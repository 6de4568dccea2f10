"""Targets are counted by origin and kind, and what proves nothing is not counted as met."""

from dovetail.studies.target_counts import as_markdown, as_text, count_targets
from dovetail.studies.targets import Target, Tolerance


def _judged(origin, kind, status):
    return Target("swings", "R", "a", origin, kind, 1.0, Tolerance("exact"), "p. 1", note="so"), status


COUNTED = count_targets(
    [
        _judged("printed", "independent", "met"),
        _judged("printed", "independent", "missed"),
        _judged("derived", "independent", "met"),
        _judged("printed", "shape", ""),
        _judged("own", "regression", "met"),
        _judged("printed", "construction", "met"),
        _judged("printed", "data", "data"),
    ]
)


def test_each_origin_and_kind_has_its_own_count():
    head, printed, derived, own, every = COUNTED
    assert head == ("origin", "independent", "fitted", "shape", "regression", "by construction", "data")
    assert printed == ("printed", "1 of 2", "", "0 of 1", "", "1", "1")
    assert derived == ("derived", "1 of 1", "", "", "", "", "")
    assert own == ("own", "", "", "", "1 of 1", "", "")
    assert every == ("all", "2 of 3", "", "0 of 1", "1 of 1", "1", "1")


def test_text_and_markdown_tables_have_equal_content():
    assert as_text(COUNTED).splitlines()[1].split("  ")[0] == "printed"
    assert as_markdown(COUNTED).splitlines()[1] == "|---" * 7 + "|"
    assert as_markdown(COUNTED).splitlines()[3].startswith("| derived | 1 of 1 |")
