"""A blade of beam elements: published frequencies of rotating beams, the rigid limit, shapes between nodes."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from dovetail.air.rotor import BeamBlade, HingedBlade
from dovetail.core.errors import ParameterError
from dovetail.mechanics.beam import BeamMesh


def mesh(start=0.0, radius=1.0, count=24, **section):
    """Even blade of a kilogram a metre, E I = 1 in flap and 25 in lag, unless told."""
    x = np.linspace(start, radius, count + 1)
    nodes = np.stack([x, 0 * x, 0 * x], 1)
    pairs = [[i, i + 1] for i in range(1, count + 1)]
    return BeamMesh(nodes=nodes, elements=pairs, **dict(E=1e6, I=25e-6, I_z=1e-6, A=1e-3, rho=1e3) | section)


def ritz(speed):
    """Dimensionless flap frequencies of a clamped even beam in rotation: polynomials, integrated without error."""
    basis = [np.polynomial.Polynomial.basis(k) for k in range(2, 14)]
    tension = np.polynomial.Polynomial([0.5, 0.0, -0.5]) * speed**2

    def matrix(order, weight=1.0):
        slopes = [f.deriv(order) if order else f for f in basis]
        return np.array([[(a * b * weight).integ()(1.0) for b in slopes] for a in slopes])

    return np.sqrt(scipy.linalg.eigh(matrix(2) + matrix(1, tension), matrix(0), eigvals_only=True))


@pytest.mark.parametrize("speed", [0, 1, 6, 12])
def test_a_clamped_blade_has_the_frequencies_of_the_beam_at_every_speed(speed):
    """Elements of even tension are second order: 30 of them leave some 1e-4. In the plane it is flap less the speed."""
    found = {}
    for name, freedom, section in (("flap", 2, {}), ("lag", 1, {"I": 1e-6, "I_z": 25e-6})):
        blade = BeamBlade(mesh(count=30, E=1e6, **section), speed, mode_count=12, root="clamped")
        of_kind = np.abs(blade.mode_data["u"][-1][freedom]) > 0.9
        found[name] = np.sqrt(np.asarray(blade.squared_frequencies(speed))[of_kind][:2])
    np.testing.assert_allclose(found["flap"], ritz(speed)[:2], rtol=4e-4)
    np.testing.assert_allclose(found["lag"] ** 2, found["flap"] ** 2 - speed**2, rtol=1e-9)


def test_a_stiff_beam_on_hinges_is_the_hinged_blade():
    radius, e, speed = 5.0, 0.04, 40.0
    beam = mesh(e * radius, radius, 10, E=1e15, rho=4e3)
    inertia = 4.0 * (radius * (1 - e)) ** 3 / 3
    blade = BeamBlade(beam, speed, mode_count=2, flap_spring=1e4, lag_spring=2e4)
    rigid = HingedBlade(radius, inertia, e, 1e4, 2e4)
    order = [int(blade.flap_mode()), 1 - int(blade.flap_mode())]
    of_beam, of_rigid = (eqx.filter_jit(one.squared_frequencies) for one in (blade, rigid))
    for turning in (speed, 0.5 * speed):
        np.testing.assert_allclose(
            of_beam(jnp.asarray(turning))[np.array(order)], of_rigid(jnp.asarray(turning)), rtol=1e-5
        )
    r = np.linspace(0.0, radius, 23)
    scale = 1 - e  # a radius at the tip, where the hinged blade has a radian
    beam_at, rigid_at = (eqx.filter_jit(one.shapes_at)(r) for one in (blade, rigid))
    for name in ("flap", "lag", "flap_slope", "lag_slope"):
        got, expected = np.asarray(getattr(beam_at, name)), np.asarray(getattr(rigid_at, name))
        mode = order[0] if "flap" in name else order[1]
        got = got[mode] * np.sign(got[mode][-1])
        np.testing.assert_allclose(got * scale, expected[0 if "flap" in name else 1], atol=2e-5)


def test_shapes_are_orthogonal_and_slopes_are_derivatives_between_the_nodes():
    blade = BeamBlade(mesh(0.1, 2.0, 12), 8.0, mode_count=5)
    r = np.linspace(0.1, 2.0, 4001)
    r = (r[1:] + r[:-1]) / 2
    shapes, slopes = jax.jit(lambda r: jax.jvp(blade.shapes_at, (r,), (jnp.ones_like(r),)))(r)
    flap, lag, twist = map(np.asarray, (shapes.flap, shapes.lag, shapes.twist))
    inner = (
        2.0**2 * 1.9 / 4000 * (flap @ flap.T + lag @ lag.T + 26e-3 * twist @ twist.T)
    )  # a kilogram a metre, and 26 g m of polar inertia
    inertia = np.asarray(blade.inertias)
    np.testing.assert_allclose(inner, np.diag(inertia), atol=1e-3 * inertia.max())
    np.testing.assert_allclose(slopes.flap, shapes.flap_slope, atol=1e-9)


def test_a_wide_section_turns_back_into_the_plane():
    """Torsion of a rod: omega^2 = omega_0^2 + Omega^2 (I_v - I_w)/(I_v + I_w), and what the tension adds."""
    thin = mesh(count=30, E=1e9, A=1.0)  # so wide that tension over the area does nothing
    blade = BeamBlade(thin, 0.0, mode_count=40, root="clamped")
    tip = np.abs(blade.mode_data["u"][-1])
    twist = int(np.flatnonzero(tip[3] > 0.99)[0])
    speed = 3.0
    own = np.sqrt(1e9 / 2.6 * 26e-6 / (1e3 * 26e-6)) * np.pi / 2
    assert float(blade.squared_frequencies(0.0)[twist]) == pytest.approx(own**2, rel=1e-3)
    rise = float(blade.squared_frequencies(speed)[twist] - blade.squared_frequencies(0.0)[twist])
    assert rise > 0.9 * speed**2 * 24 / 26


def test_its_numbers_pass_through_compiled_code():
    blade = BeamBlade(mesh(), 6.0, mode_count=3)
    got = eqx.filter_jit(
        lambda b, w: (b.squared_frequencies(w), b.flap_mode(), b.shapes_at(jnp.array([0.5])).flap)
    )(blade, 6.0)
    np.testing.assert_allclose(got[0], blade.squared_frequencies(6.0))
    assert int(got[1]) == int(blade.flap_mode())
    other = dataclasses.replace(blade, design_speed=9.0)
    assert float(other.squared_frequencies(9.0)[0]) <= float(blade.squared_frequencies(9.0)[0]) * (
        1 + 1e-9
    )  # Rayleigh's is an upper bound


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            dict(mesh=BeamMesh([[0.0, 0.0], [1.0, 0.0]], [[1, 2]], 1e6, 1e-6, 1e-3, 1e3)),
            "must lie along x from root",
        ),
        (dict(mode_count=200), "mode_count: got 200; expected at most 120"),
    ],
)
def test_a_mesh_that_is_not_a_blade_is_rejected(change, message):
    with pytest.raises(ParameterError, match=message):
        BeamBlade(**dict(mesh=mesh(), design_speed=1.0) | change)
