import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.contact import KelvinVoigt, NormalLaw
from dovetail.mechanics.friction import Coulomb
from dovetail.specimens.rib_basket import RibBasket

BASKET = RibBasket(initial_position=(0.0, 0.0, 0.0))
# of the basket's waves k = 0, 1, ... 16, by its hinges and ties [N m/rad]
STIFFNESS = np.array([40.0 + 400.0, *(40.0 + 25.0 / k**2 + 60.0 * (k**2 - 1) ** 2 for k in range(1, 17))])


@jax.jit
def felt(p):
    zero = jnp.zeros(3)
    u = {"displacement": jnp.concatenate([p, zero]), "velocity": jnp.zeros(6)}
    return BASKET.output(0.0, BASKET.init(), u) | {"ribs": BASKET.rib_contacts(BASKET.init(), u)}


@pytest.fixture(scope="module")
def struck():
    return felt(jnp.array([-0.45, 0.0, 0.2]))


def test_there_is_no_force_inside_or_behind_the_ribs():
    for place in ([-0.45, 0.0, 0.05], [-0.75, 0.0, 0.3]):
        out = felt(jnp.array(place))
        np.testing.assert_allclose(out["force"], 0.0, atol=1e-12)
        np.testing.assert_allclose(out["strain"], 0.0, atol=1e-18)


def test_the_drogue_is_pushed_outward_and_forward(struck):
    force = struck["force"]
    assert force[0] > 0
    assert force[2] > 0
    np.testing.assert_allclose(force[3:], np.cross([-0.45, 0.0, 0.2], force[:3]), atol=1e-9)


def test_ribs_are_in_balance_with_hinges_ties_and_contact(struck):
    """The complementarity is solved: what presses equals what gives, and no rib is pulled."""
    met, turn, arm = struck["ribs"]
    press = met.normal_force
    moment = np.fft.irfft(np.fft.rfft(turn) * STIFFNESS, 32)
    np.testing.assert_allclose(moment, press * arm, atol=1e-9 * float(np.max(press)))
    assert np.all(press >= 0)
    # the pressed rib's own contact law
    slope = 0.205 / 0.44
    cosine = 1 / np.hypot(1, slope)
    gap = (0.2 - 0.105 - slope * 0.19) * cosine + 0.04
    np.testing.assert_allclose(press[0], 2e4 * (gap - arm * turn[0]), rtol=1e-6)


def test_radial_strain_peaks_at_the_struck_rib_and_lateral_strain_across(struck):
    radial, lateral = np.abs(struck["strain"])
    assert np.argmax(radial) == 0
    assert min(np.argmax(lateral), 32 - np.argmax(lateral)) == pytest.approx(8, abs=1)
    np.testing.assert_allclose(lateral[1:], lateral[1:][::-1], atol=1e-12)


def test_turning_the_strike_by_a_rib_turns_everything():
    a = 2 * np.pi * 5 / 32
    out = felt(jnp.array([-0.45, -0.2 * np.sin(a), 0.2 * np.cos(a)]))
    here = felt(jnp.array([-0.45, 0.0, 0.2]))
    np.testing.assert_allclose(np.roll(here["strain"], 5, axis=1), out["strain"], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(out["force"][:3]), np.linalg.norm(here["force"][:3]), rtol=1e-9)


def moving(p, v):
    return {"displacement": jnp.array([*p, 0, 0, 0]), "velocity": jnp.array([*v, 0.0, 0, 0])}


P, V, STILL = (-0.45, 0.0, 0.2), (1.0, 0.0, 1.0), (0.0, 0.0, 0.0)


def test_the_force_depends_on_speed_only_with_damping():
    damped = RibBasket(
        initial_position=(0.0, 0.0, 0.0), law=KelvinVoigt(2e4, damping=200.0, tension="clamped")
    )
    pressed = eqx.filter_jit(lambda basket, u: basket.rib_contacts(basket.init(), u)[0].normal_force)
    assert jnp.sum(pressed(damped, moving(P, V))) > jnp.sum(pressed(damped, moving(P, STILL)))
    np.testing.assert_array_equal(pressed(BASKET, moving(P, V)), pressed(BASKET, moving(P, STILL)))


@pytest.mark.parametrize(
    "name",
    [
        n if n in ("flores", "hertz") else pytest.param(n, marks=pytest.mark.slow)
        for n in sorted(parts_by_kind(NormalLaw))
    ],
)
def test_the_force_is_the_law_of_the_remaining_penetration(name):
    law = parts_by_kind(NormalLaw)[name](stiffness=4e4)
    basket = RibBasket(initial_position=(0.0, 0.0, 0.0), law=law)
    state = {**basket.init(), "impact_speed": jnp.full(32, 1.5)}
    met, turn, arm = eqx.filter_jit(basket.rib_contacts)(state, moving(P, (0.2, 0.0, 1.0)))
    left = np.asarray(met.depth - arm * turn)
    expected = np.maximum(law.push(left, np.asarray(met.speed), 1.5), 0.0)
    np.testing.assert_allclose(met.normal_force[0], expected[0], rtol=1e-6)


def test_friction_drags_the_basket_along_with_the_nozzle():
    rough = RibBasket(initial_position=(0.0, 0.0, 0.0), friction=Coulomb(mu=0.2))
    along = (0.44 / 0.485, 0.0, -0.205 / 0.485)  # forward and inward along the rib
    shown = jax.jit(lambda basket: basket.output(0.0, basket.init(), moving(P, along)))
    dragged, smooth = shown(rough), shown(BASKET)
    extra = np.asarray(dragged["force"][:3]) - np.asarray(smooth["force"][:3])
    assert extra[0] > 0
    normal = float(smooth["normal_force"])
    assert np.linalg.norm(extra) == pytest.approx(0.2 * normal, rel=0.02)  # ribs beside slip a little askew


def test_a_law_with_a_list_of_numbers_is_rejected():
    with pytest.raises(ParameterError, match="RibBasket.law: expected scalar parameters"):
        RibBasket(law=KelvinVoigt((1e4, 2e4, 3e4)))


@jax.jit
def stored(p):
    """Energy [J] of the contacts and of the turned ribs, with the nozzle at a place (3,)."""
    met, turn, arm = felt(p)["ribs"]
    azimuth = 2 * jnp.pi * jnp.arange(32) / 32
    beside = (p[1] * jnp.cos(azimuth) + p[2] * jnp.sin(azimuth)) / 0.035
    overlap = jnp.maximum(met.depth - arm * turn, 0.0)
    contact = jnp.maximum(1 - beside**2, 0.0) * 2e4 * overlap**2 / 2 * (met.normal_force > 0)
    return jnp.sum(contact) + turn @ jnp.fft.irfft(jnp.fft.rfft(turn) * STIFFNESS, 32) / 2


@pytest.mark.parametrize("place", [(-0.45, 0.0, 0.2), (-0.45, -0.012, 0.2), (-0.5, 0.15, 0.16)])
def test_the_force_is_the_gradient_of_the_stored_energy(place):
    p, h = jnp.array(place), 1e-6
    slopes = [float(stored(p + h * e) - stored(p - h * e)) / (2 * h) for e in np.eye(3)]
    force = np.asarray(felt(p)["force"][:3])
    np.testing.assert_allclose(force, slopes, atol=1e-5 * np.abs(force).max())


def test_lateral_strain_of_a_wave_is_the_turn_over_its_number_a_quarter_wave_on():
    azimuth = 2 * np.pi * np.arange(32) / 32
    for k in (1, 3, 5):
        strain = BASKET.strain(jnp.cos(k * azimuth), jnp.zeros(32))
        np.testing.assert_allclose(strain[0], 6e-6 * 40.0 * np.cos(k * azimuth), atol=1e-15)
        np.testing.assert_allclose(strain[1], 6e-6 * 25.0 * np.sin(k * azimuth) / k, atol=1e-15)
