"""Blades of the family: what each says of its modes, and what it cannot say."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import HingedBlade, RigidBlade, TabulatedBlade
from dovetail.core.errors import ParameterError

LISTED = dict(radius=9.3, per_revolution=[0.3, 1.03, 2.6], inertia=[2.0, 3.0, 5.0])


def test_a_hinged_blade_has_the_frequencies_of_its_offset_and_springs():
    """Against the integrals of a rod of even mass about its hinge, done by sums over slices."""
    radius, e, speed, mass, k = 5.0, 0.06, 40.0, 60.0, (3e4, 1e4)
    r = np.linspace(e * radius, radius, 20001)
    r = (r[1:] + r[:-1]) / 2
    slice_, arm = mass / r.size, r - e * radius
    inertia = np.sum(slice_ * arm**2)
    flap = (
        np.sum(slice_ * r * arm) * speed**2 + k[0]
    )  # tension at r has the arm of the blade's height over the hinge
    lag = flap - k[0] - inertia * speed**2 + k[1]  # less what the plane of rotation takes
    blade = HingedBlade(radius, inertia, e, *k)
    np.testing.assert_allclose(blade.squared_frequencies(speed), np.array([flap, lag]) / inertia, rtol=1e-7)


def test_a_hinged_blade_is_straight_outside_its_hinge_and_still_inside():
    shapes = HingedBlade(5.0, 300.0, 0.1).shapes_at(jnp.array([0.2, 0.5, 2.5, 5.0]))
    np.testing.assert_allclose(shapes.flap[0] * 5.0, [0.0, 0.0, 2.0, 4.5])
    np.testing.assert_allclose(shapes.lag[1] * 5.0, [0.0, 0.0, 2.0, 4.5])
    np.testing.assert_allclose(shapes.flap_slope[0] * 5.0, [0.0, 0.0, 1.0, 1.0])
    assert not np.any(shapes.flap[1])
    assert not np.any(shapes.twist)


def test_a_tabulated_blade_has_its_values_at_the_damper_and_zero_elsewhere():
    listed = TabulatedBlade(**LISTED, flap_slope=[0.1, 0.2, 0.3])
    np.testing.assert_allclose(listed.squared_frequencies(20.0), (20.0 * np.array([0.3, 1.03, 2.6])) ** 2)
    np.testing.assert_allclose(listed.shapes_at_damper(1.0).flap_slope, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(listed.shapes_at_damper(1.0).lag, 0.0)
    with pytest.raises(ParameterError, match="at the lag damper only. Use a hinged-blade"):
        listed.shapes_at(jnp.array([1.0]))


def test_a_rigid_blade_has_no_modes():
    assert RigidBlade().count == 0
    assert RigidBlade().shapes_at(jnp.ones((3, 2))).flap.shape == (0, 3, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(per_revolution=1.0), r"per_revolution: got shape \(\); expected a list"),
        (dict(inertia=[0.1, 0.1]), r"inertia: got shape \(2,\) for 3 modes"),
        (dict(twist=[0.1, 0.1]), r"twist: got shape \(2,\) for 3 modes; expected a scalar or one per mode"),
    ],
)
def test_lists_of_wrong_sizes_are_rejected(change, message):
    with pytest.raises(ParameterError, match=message):
        TabulatedBlade(**LISTED | change)
