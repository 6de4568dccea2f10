import numpy as np

from dovetail.campaign.subject_base import Values, groups, pad_column, with_failures


def test_points_with_the_same_text_form_one_group_in_order():
    columns = {"law": np.array(["b", "a", "b"]), "m": np.array([1.0, 2.0, 3.0])}
    formed = groups(columns, ["law"])
    assert [key for key, _ in formed] == [("b",), ("a",)]
    assert [list(indices) for _, indices in formed] == [[0, 2], [1]]
    assert [list(indices) for _, indices in groups(columns, [])] == [[0, 1, 2]]


def test_a_column_is_padded_with_its_last_value():
    np.testing.assert_array_equal(pad_column(np.array([1.0, 2.0]), 4), [1.0, 2.0, 2.0, 2.0])


def test_a_point_fails_by_its_first_measure_that_is_not_finite():
    values = {"a": Values((), np.array([1.0, np.nan])), "b": Values((), np.array([np.inf, np.nan]))}
    assert with_failures(values).reasons == {0: "b is not finite", 1: "a is not finite"}
