"""The whole blade: exact rates, the printed terms against virtual work, agreement with the modal blade."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Attachment, BladeModes, ModalBlade, RotatingBlade, TabulatedBlade
from dovetail.core.errors import ParameterError

ARM = (0.25, -0.22, 0.12)
RADIUS = 9.3
W, V = np.array([0.02, 1.04, 2.6, 0.1]) / RADIUS, np.array([1.04, 0.01, 0.02, 3.0]) / RADIUS
LISTED = TabulatedBlade(
    radius=RADIUS,
    per_revolution=[0.28, 1.03, 2.6, 3.9],
    inertia=[25.0, 40.0, 160.0, 147.0],
    flap_slope=W,
    lag_slope=V,
    flap_deflection=ARM[0] * W,
    lag_deflection=ARM[0] * V,
)
MODES = BladeModes(rotor_speed=22.0, structure=LISTED, damping=0.01)
BLADE = RotatingBlade(
    modes=MODES,
    attachment=Attachment(hub_point=[0.1, -0.25, 0.1], hinge=[0.4, 0.0, 0.0], arm=ARM),
    coning=0.05,
    collective=0.15,
    lateral_cyclic=0.02,
    longitudinal_cyclic=0.05,
    pitch_coupling=0.3,
)
PHI, RATE = jnp.array([0.05, -0.04, 0.01, 0.02]), jnp.array([1.0, 0.8, -0.5, 0.3])
FREE = {"excitation": 0.0, "excitation_rate": 0.0, "force": 100.0}


@pytest.fixture(scope="module")
def shown():
    return eqx.filter_jit(BLADE.output)


def test_velocity_and_acceleration_are_rates_of_the_displacement(shown):
    """Central differences along the motion; h^2 of the third derivative bounds their error."""
    t, h = 0.3, 1e-5
    x = {"phi": PHI, "rate": RATE}
    a = eqx.filter_jit(BLADE.derivative)(t, x, FREE)["rate"]

    def at(s):
        return shown(jnp.asarray(t + s), {"phi": PHI + s * RATE + s**2 / 2 * a, "rate": RATE + s * a}, FREE)

    now, before, after = at(0.0), at(-h), at(h)
    speed = (after["displacement"] - before["displacement"]) / (2 * h)
    assert float(now["velocity"]) == pytest.approx(float(speed), rel=1e-7)
    rate = (after["velocity"] - before["velocity"]) / (2 * h)
    assert float(now["acceleration"]) == pytest.approx(float(rate), rel=1e-6)


def test_pitch_follows_the_controls():
    psi = 22.0 * 0.1
    _, _, pitch = BLADE.angles(0.1, PHI)
    assert float(pitch) == pytest.approx(0.15 - 0.02 * np.cos(psi) - 0.05 * np.sin(psi), rel=1e-14)


def test_the_third_mode_takes_lag_from_the_fourth_with_pitch():
    third = jnp.array([0.0, 0.0, 1.0, 0.0])
    _, lag, _ = BLADE.angles(0.1, third)
    cyclic = -0.02 * np.cos(2.2) - 0.05 * np.sin(2.2)
    assert float(lag) == pytest.approx(RADIUS * (V[2] + 0.3 * (0.15 + cyclic) * V[3]), rel=1e-13)


def test_the_seven_terms_are_virtual_work_to_first_order_in_the_angles():
    """Halving all angles quarters the difference: what is left out is of second order.

    The damper lies along x, so that the inclination of its axis is a small angle like the others.
    """
    along = Attachment(hub_point=[0.1, ARM[1], ARM[2]], hinge=[0.4, 0.0, 0.0], arm=ARM)

    @eqx.filter_jit
    def difference(scale):
        angles = dict(
            coning=0.05 * scale, collective=0.15 * scale, lateral_cyclic=0.0, longitudinal_cyclic=0.0
        )
        small = dataclasses.replace(BLADE, attachment=along, **angles)
        exact = dataclasses.replace(small, force_projection="virtual-work")
        got, expected = (b.modal_force(0.0, scale * PHI, 1000.0) for b in (small, exact))
        return jnp.abs(got - expected).max() / jnp.abs(expected).max()

    whole, half = float(difference(0.1)), float(difference(0.05))
    assert whole < 1e-3
    assert whole / half == pytest.approx(4.0, rel=0.1)


def test_twist_takes_the_moment_of_the_force_about_the_blade_s_axis():
    """Terms 3, 5 and 7 are F . dD/dtheta; with the printed product in place of the plus they would not be."""
    listed = dataclasses.replace(LISTED, twist=[0.0, 0.0, 0.0, 1.0 / RADIUS])
    twisted = dataclasses.replace(BLADE, modes=dataclasses.replace(MODES, structure=listed))
    extra = twisted.modal_force(0.0, PHI, 1000.0) - BLADE.modal_force(0.0, PHI, 1000.0)
    angles = BLADE.angles(0.0, PHI)
    lever = jax.jacfwd(BLADE.attachment.outboard, argnums=2)(*angles)
    moment = 1000.0 * BLADE.attachment.axis(*angles) @ lever
    assert np.all(extra[:3] == 0.0)
    assert float(extra[3]) == pytest.approx(float(moment), rel=0.1)


def test_small_motion_is_that_of_the_modal_blade():
    still = dataclasses.replace(
        BLADE, lateral_cyclic=0.0, longitudinal_cyclic=0.0, force_projection="virtual-work"
    )
    modal = ModalBlade(MODES, still.participation())
    x = {"phi": 1e-6 * PHI, "rate": 1e-6 * RATE}
    u = {**FREE, "force": 1e-3}
    got, expected = (eqx.filter_jit(blade.output)(0.0, x, u) for blade in (still, modal))
    for name in ("displacement", "velocity", "acceleration"):
        assert float(got[name]) == pytest.approx(float(expected[name]), rel=1e-4), name


def test_a_coupling_of_unknown_modes_is_rejected():
    two = BladeModes(TabulatedBlade(RADIUS, [1.0, 2.0], 1.0), 22.0, 0.0)
    with pytest.raises(ParameterError, match="there are 2 modes"):
        dataclasses.replace(BLADE, modes=two)
