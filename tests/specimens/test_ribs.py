import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.specimens.ribs import RibBasket

BASKET = RibBasket(home=(0.0, 0.0, 0.0))


@jax.jit
def felt(p):
    zero = jnp.zeros(3)
    u = {"displacement": jnp.concatenate([p, zero]), "velocity": jnp.zeros(6)}
    return BASKET.output(0.0, (), u) | {"ribs": BASKET.pressed(p, zero)}


@pytest.fixture(scope="module")
def struck():
    return felt(jnp.array([-0.45, 0.0, -0.2]))


def test_nothing_is_felt_inside_or_behind():
    for place in ([-0.45, 0.0, -0.05], [-0.75, 0.0, -0.3]):
        out = felt(jnp.array(place))
        np.testing.assert_allclose(out["force"], 0.0, atol=1e-12)
        np.testing.assert_allclose(out["strain"], 0.0, atol=1e-18)


def test_the_drogue_is_pushed_outward_and_forward(struck):
    force = struck["force"]
    assert force[0] > 0
    assert force[2] < 0
    np.testing.assert_allclose(force[3:], np.cross([-0.45, 0.0, -0.2], force[:3]), atol=1e-9)


def test_ribs_are_in_balance_with_hinges_ties_and_contact(struck):
    """The complementarity is solved: what presses equals what gives, and no rib is pulled."""
    _, turn, press, arm = struck["ribs"]
    stiffness = BASKET._stiffness_spectrum()
    moment = np.fft.irfft(np.fft.rfft(turn) * stiffness, 32)
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
    out = felt(jnp.array([-0.45, 0.2 * np.sin(a), -0.2 * np.cos(a)]))
    here = felt(jnp.array([-0.45, 0.0, -0.2]))
    np.testing.assert_allclose(np.roll(here["strain"], 5, axis=1), out["strain"], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(out["force"][:3]), np.linalg.norm(here["force"][:3]), rtol=1e-9)


def test_a_fast_strike_is_felt_harder_only_where_there_is_damping():
    fast = RibBasket(home=(0.0, 0.0, 0.0), rate=200.0)
    p, v = jnp.array([-0.45, 0.0, -0.2]), jnp.array([1.0, 0.0, -1.0])
    pressed = eqx.filter_jit(lambda basket, p, v: basket.pressed(p, v)[2])
    assert jnp.sum(pressed(fast, p, v)) > jnp.sum(pressed(fast, p, 0 * v))
    np.testing.assert_array_equal(pressed(BASKET, p, v), pressed(BASKET, p, 0 * v))
