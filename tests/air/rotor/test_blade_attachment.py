"""Rotations and the damper's axis: the identities that the source's code rests on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Attachment
from dovetail.air.rotor.blade_attachment import about_flap, about_lag, about_pitch, piston_velocity

ATTACHMENT = Attachment(hub_point=[0.1, -0.25, 0.1], hinge=[0.4, 0.0, 0.0], arm=[0.25, -0.22, 0.12])
ANGLES = (0.12, -0.08, 0.2)  # rad, flap, lag, pitch


@pytest.mark.parametrize("rotation", [about_flap, about_lag, about_pitch])
def test_a_rotation_is_orthogonal_and_right_handed(rotation):
    T = np.asarray(rotation(0.7))
    np.testing.assert_allclose(T @ T.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(T) == pytest.approx(1.0, rel=1e-14)


def test_the_axis_points_from_hub_to_blade_with_the_sign_of_its_sideways_part():
    offset = np.asarray(ATTACHMENT.outboard(*ANGLES) - ATTACHMENT.hub_point)
    np.testing.assert_allclose(ATTACHMENT.axis(*ANGLES), offset / np.linalg.norm(offset), atol=1e-15)
    below = Attachment(hub_point=[0.1, 0.25, 0.1], hinge=[0.4, 0.0, 0.0], arm=[0.25, -0.22, 0.12])
    assert float(below.axis_angles(*ANGLES)[1]) < 0  # an arc cosine would call it positive


def test_piston_velocity_is_the_rate_of_the_damper_s_length():
    rates = (0.5, -1.5, 0.9)  # rad/s
    growth = jax.jvp(ATTACHMENT.length, ANGLES, rates)[1]
    delta, gamma = ATTACHMENT.axis_angles(*ANGLES)
    along = piston_velocity(ATTACHMENT.arm, ANGLES, rates, delta, gamma)
    assert float(along) == pytest.approx(float(growth), rel=1e-13)


def test_a_rotation_of_the_machine_preserves_lengths():
    still = Attachment(hub_point=jnp.zeros(3), hinge=jnp.zeros(3), arm=[0.25, -0.22, 0.12])
    assert float(still.length(*ANGLES)) == pytest.approx(float(still.length(0.0, 0.0, 0.0)), rel=1e-14)
