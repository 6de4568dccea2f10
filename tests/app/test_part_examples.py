"""Examples of parts: the shortest use in the studies, with the file that it is from."""

from dovetail.app.part_examples import shortest_uses
from dovetail.core.kinds import find
from dovetail.studies.registry import all_tests


def test_every_example_is_a_known_kind_in_a_known_test():
    uses = shortest_uses()
    assert len(uses) > 100
    for kind, (path, table, test) in uses.items():
        assert table["kind"] == kind
        assert find(kind)
        assert test in all_tests()
        assert path
