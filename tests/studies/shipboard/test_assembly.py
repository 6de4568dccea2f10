import numpy as np
import pytest

from dovetail.studies.shipboard.assembly import aircraft, at_rest, loaded, with_offset


def test_a_test_is_loaded_with_values_changed():
    test = loaded("case-1", (("system.start", (0.0, 0.9, 0.0)), ("duration", 2.0)))
    np.testing.assert_allclose(test.system.start, [0.0, 0.9, 0.0])
    assert test.duration == 2.0


def test_an_offset_moves_everything_on_the_airframe_the_other_way():
    craft = aircraft("case-1", with_offset(0.1, "consistent"))
    np.testing.assert_allclose(craft.model.nodes[0], [-0.45, -0.44])


@pytest.mark.slow  # quick targets of the study prove it by their numbers
def test_at_rest_the_feet_carry_the_weight():
    rest = at_rest("case-1", (("system.start", (0.0, 0.55, 0.0)),))
    assert abs(rest["loads"][:, 1].sum() - rest["airframe"] - rest["gear"]) < 1e-6
