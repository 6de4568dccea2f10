"""What the air does to a blade's modes, against the rotor's own sums."""

import equinox as eqx
import jax
import numpy as np
import pytest

from dovetail.air.rotor import (
    Blade,
    BladeAerodynamics,
    BladeModes,
    Controls,
    HingedBlade,
    Rotor,
    fourier_series,
)
from dovetail.core.errors import ParameterError

BLADE = Blade(
    radius=5.0,
    chord=0.3,
    root_cutout=0.02,
    effective_radius=1.0,
    lift_slope=5.7,
    drag_offset=0.01,
    elements=30,
)
ROTOR = Rotor(BLADE, sectors=16, inflow="momentum")
HINGED = HingedBlade(radius=5.0, inertia=300.0)


def test_in_hover_flap_feels_the_thrust_s_moment_and_lag_the_torque():
    air = BladeAerodynamics(ROTOR, collective=0.15)
    got, loads = jax.jit(lambda: (air.coefficients(HINGED, 40.0), ROTOR.loads(Controls(40.0, 0.15))))()
    np.testing.assert_allclose(
        got[0, 0], np.mean(loads.disc.thrust @ BLADE.effective_elements().r), rtol=1e-12
    )
    torque = float(loads.torque) / ROTOR.blades
    np.testing.assert_allclose(got[1, 0], -torque, rtol=1e-12)  # against the path
    np.testing.assert_allclose(got[:, 1:], 0.0, atol=1e-9 * abs(float(got[0, 0])))


def test_the_forward_flight_series_has_period_one_revolution_and_equals_every_sector():
    air = BladeAerodynamics(ROTOR, collective=0.15, velocity=[20.0, 0.0, 0.0], harmonics=7)

    @jax.jit
    def found():
        disc = ROTOR.loads(Controls(40.0, 0.15), velocity=np.array([20.0, 0.0, 0.0])).disc
        coefficients = air.coefficients(HINGED, 40.0)
        return disc, coefficients, fourier_series(coefficients, ROTOR.azimuths[:, None])

    disc, coefficients, got = found()
    np.testing.assert_allclose(got[:, 0], disc.thrust @ BLADE.effective_elements().r, rtol=0.02)
    assert abs(float(coefficients[0, 2])) > 0.1 * float(coefficients[0, 0])  # starboard advances
    modes = BladeModes(rotor_speed=40.0, structure=HINGED, damping=0.1, aerodynamics=air)
    np.testing.assert_allclose(eqx.filter_jit(modes.external)(0.0), got[0], rtol=1e-12)


def test_more_harmonics_than_sectors_can_represent_are_rejected():
    with pytest.raises(ParameterError, match="at most 7 .* 16 sectors"):
        BladeAerodynamics(ROTOR, harmonics=8)
