"""Modal equations: the source's form, the mask, the removal of the code's own damper."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Blade, BladeAerodynamics, BladeModes, RigidBlade, Rotor, TabulatedBlade
from dovetail.core.errors import ParameterError

OMEGA = 22.0  # rad/s
LIST = dict(radius=5.0, per_revolution=[0.3, 1.03, 2.6], inertia=[2.0, 3.0, 5.0])
DATA = dict(rotor_speed=OMEGA, structure=TabulatedBlade(**LIST), damping=[0.01, 0.02, 0.03])
AIR = BladeAerodynamics(Rotor(Blade(radius=5.0, chord=0.3)))
FORCING = np.arange(3 * 17, dtype=float).reshape(3, 17)


def test_acceleration_is_the_source_s_code_form():
    """phi'' = Omega^2 (RHS/I' - lambda^2 phi - 2 nu lambda phi'/Omega), with RHS/I' = (M + Q)/(I Omega^2)."""
    modes = BladeModes(**DATA, forcing=FORCING)
    x = {"phi": jnp.array([0.1, -0.2, 0.3]), "rate": jnp.array([1.0, 2.0, -3.0])}
    share = np.array([7.0, -8.0, 9.0])
    lam, nu, inertia = (np.array((LIST | DATA)[k]) for k in ("per_revolution", "damping", "inertia"))
    rhs = (np.asarray(modes.external(0.4)) + share) / OMEGA**2
    expected = OMEGA**2 * (rhs / inertia - lam**2 * x["phi"] - 2 * nu * lam * x["rate"] / OMEGA)
    np.testing.assert_allclose(modes.acceleration(0.4, x, share), expected, rtol=1e-13)


def test_the_damper_of_the_source_code_is_removed():
    both = BladeModes(**DATA, forcing=FORCING, code_damper_forcing=FORCING)
    np.testing.assert_allclose(both.external(0.3), 0.0, atol=1e-12)


def test_forcing_is_periodic_in_the_revolution_and_scaled_by_the_load():
    modes = BladeModes(**DATA, forcing=FORCING, forcing_factor=0.5)
    revolution = 2 * np.pi / OMEGA
    np.testing.assert_allclose(modes.external(0.1), modes.external(0.1 + revolution), rtol=1e-10)
    np.testing.assert_allclose(modes.external(0.1), BladeModes(**DATA, forcing=0.5 * FORCING).external(0.1))


def test_a_masked_mode_feels_neither_forcing_nor_damper():
    modes = BladeModes(**DATA, forcing=FORCING, active_modes=[1.0, 0.0, 1.0])
    x = {"phi": jnp.zeros(3), "rate": jnp.zeros(3)}
    a = modes.acceleration(0.2, x, jnp.ones(3))
    assert a[1] == 0.0
    assert np.all(a[jnp.array([0, 2])] != 0.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            dict(structure=RigidBlade()),
            "no modes to move a damper. Use a tabulated-blade",
        ),
        (
            dict(aerodynamics=AIR),
            "tabulated-blade .* at the damper only. Use a hinged-blade",
        ),
        (dict(damping=[0.1, 0.1]), r"damping: got shape \(2,\) for 3 modes"),
        (dict(forcing=np.zeros((3, 16))), r"forcing: got shape \(3, 16\); expected 3 rows of 1 \+ 2 H"),
        (dict(forcing=np.zeros((2, 17))), r"forcing: got shape \(2, 17\); expected 3 rows"),
    ],
)
def test_data_of_wrong_sizes_are_rejected(change, message):
    with pytest.raises(ParameterError, match=message):
        BladeModes(**DATA | change)
