"""What a test says it accepts."""

import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import read_table

CS1 = find_test("substructuring/cs1")


def test_acceptance_criteria_are_saved_with_the_test():
    test = testing.load(CS1, {"accept": {"response_error": 0.05, "margin": "1 ms"}})
    assert (test.accept.response_error, test.accept.margin, test.accept.added_energy_fraction) == (
        0.05,
        1e-3,
        None,
    )
    again = testing.parse(testing.dump(test))
    assert again.accept == test.accept


def test_a_test_without_criteria_has_none_by_default():
    table = read_table(CS1)
    test = testing.parse({name: value for name, value in table.items() if name != "accept"})
    assert test.accept is None
    assert "accept" not in testing.dump(test)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"response_error": -0.1}, "accept.response_error"),
        ({"respons_error": 0.1}, "accept.respons_error   unknown key; did you mean"),
        ({"margin": "3 kg"}, "accept.margin"),
    ],
)
def test_an_invalid_criterion_is_rejected_with_its_path(asked, found):
    table = {**read_table(CS1), "accept": asked}
    with pytest.raises(TestFileError, match=found):
        testing.parse(table)
