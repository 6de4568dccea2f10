import numpy as np
import pytest

from dovetail.studies.shipboard.assembly import aircraft, at_rest, loaded, with_offset


def test_a_test_is_loaded_with_values_changed():
    test = loaded("case-1", (("numerical.initial_pose", (0.0, 0.9, 0.0)), ("duration", 2.0)))
    np.testing.assert_allclose(test.numerical.initial_pose, [0.0, 0.9, 0.0])
    assert test.duration == 2.0


def test_an_offset_of_the_origin_moves_airframe_points_oppositely():
    craft = aircraft("case-1", with_offset(0.1, "consistent"))
    np.testing.assert_allclose(craft.model.nodes[0], [-0.45, -0.44])


@pytest.mark.slow  # quick targets of the study prove it by their numbers
def test_at_rest_the_feet_carry_the_weight():
    rest = at_rest("case-1", (("numerical.initial_pose", (0.0, 0.55, 0.0)),))
    assert abs(rest["loads"][:, 1].sum() - rest["airframe"] - rest["gear"]) < 1e-6


@pytest.mark.parametrize("offset", [-0.27, 0.06, 0.18])
def test_loads_by_centre_of_gravity_balance_force_and_moment(offset):
    rest = at_rest("case-1", with_offset(offset, "consistent"))
    loads, nodes = rest["loads"][:, 1], rest["nodes"]
    assert loads.sum() == pytest.approx(float(rest["airframe"] + rest["gear"]), abs=1e-6)
    # about the airframe's centre; the gear's own, 2.34 N, is between its legs
    arms = nodes[[0, -1], 0] - rest["position"][0]
    gear = float(rest["gear"]) * (nodes[:, 0].mean() - rest["position"][0])
    assert loads @ arms == pytest.approx(gear, abs=0.02)


def test_static_strut_deflection_is_inverse_to_stiffness():
    stiff = np.array([20e3, 25e3, 40e3, 80e3])
    heights = []
    for k in stiff:
        struts = tuple((f"numerical.struts.{i}.law.stiffness", float(k)) for i in (0, 1))
        heights.append(
            float(at_rest("case-1", (("numerical.initial_pose", (0.0, 0.55, 0.0)), *struts))["position"][1])
        )
    assert np.all(np.diff(heights) > 0)
    slope = np.diff(heights) / np.diff(1 / stiff)
    np.testing.assert_allclose(
        slope, slope.mean(), rtol=0.1
    )  # they carry the same load; levers change a little
