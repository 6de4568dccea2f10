import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import HuntCrossley, KelvinVoigt
from dovetail.mechanics.friction import Regularised
from dovetail.specimens.funnel import BORE, FREE, LEAD_IN, RIBS, RIM, Funnel

FUNNEL = Funnel(initial_position=(0.0, 0.0, 0.0))
SPEED = Funnel(initial_position=(0.0, 0.0, 0.0), friction=Regularised(mu=0.1))
STATE = FUNNEL.init()


def at(x, y, z, v=(0.0, 0.0, 0.0)):
    return {"displacement": np.array([x, y, z, 0.0, 0, 0]), "velocity": np.array([*v, 0.0, 0, 0])}


shown = eqx.filter_jit(lambda funnel, state, u: funnel.output(0.0, state, u))
rates = eqx.filter_jit(lambda funnel, state, u: funnel.derivative(0.0, state, u))


def felt(place, v=(0.0, 0.0, 0.0), funnel=FUNNEL, state=STATE):
    return jax.tree.map(np.asarray, shown(funnel, state, at(*place, v)))


@pytest.mark.parametrize(
    ("place", "zone"),
    [
        ((-0.8, 0.0, 0.0), FREE),
        ((-0.5, 0.0, -0.1), FREE),
        ((-0.5, 0.0, -0.2), RIBS),
        ((-0.22, 0.03, 0.0), LEAD_IN),
        ((-0.15, 0.0, 0.007), BORE),
        ((-0.705, 0.0, 0.27), RIM),
    ],
)
def test_zones(place, zone):
    assert felt(place)["contact_zone"] == zone


def test_a_wall_pushes_the_drogue_outwards_and_forward_with_its_stiffness():
    force = felt((-0.5, 0.0, -0.2))["force"]
    slope = (0.27 - 0.065) / 0.44
    radius = 0.065 + slope * 0.24
    cosine = 1 / np.hypot(1, slope)
    size = 2.5e3 * (0.2 - radius) * cosine
    np.testing.assert_allclose(force[:3], [size * slope * cosine, 0.0, -size * cosine], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(force[3:], np.cross([-0.5, 0.0, -0.2], force[:3]), rtol=1e-12)


def test_the_wall_is_rotationally_symmetric():
    up, side = felt((-0.3, 0.0, -0.15))["force"], felt((-0.3, 0.15, 0.0))["force"]
    np.testing.assert_allclose([up[0], -up[2]], [side[0], side[1]], rtol=1e-12)


def test_speed_dependent_friction_moves_the_drogue_by_its_coefficient():
    still, sliding = (
        felt((-0.5, 0.0, -0.2), funnel=SPEED, state=SPEED.init()),
        felt((-0.5, 0.0, -0.2), (1.0, 0.0, 0.466), SPEED, SPEED.init()),
    )
    extra = sliding["force"][:3] - still["force"][:3]
    np.testing.assert_allclose(np.linalg.norm(extra), 0.1 * still["normal_force"], rtol=1e-3)
    assert extra[0] > 0


@pytest.mark.slow
def test_brush_friction_does_not_depend_on_the_rate():
    def dragged(speed, steps=200):
        """The nozzle slides 4 mm forward along the wall and half of it back."""
        path = np.concatenate([np.linspace(0, 4e-3, steps), np.linspace(4e-3, 2e-3, steps)])
        way = jnp.array([1.0, 0.0, 0.205 / 0.44]) / np.hypot(1, 0.205 / 0.44)
        dt = jnp.asarray(np.abs(np.diff(path)).mean() / speed)

        def step(x, pair):
            a, b = pair
            v = (b - a) / dt * way
            place = jnp.array([-0.5, 0.0, -0.2]) + 0.5 * (a + b) * way
            u = {"displacement": jnp.append(place, jnp.zeros(3)), "velocity": jnp.append(v, jnp.zeros(3))}
            x, _ = RK4().step(FUNNEL, 0.0, dt, x, u, ())
            return x, FUNNEL.output(0.0, x, u)["force"]

        pairs = (jnp.asarray(path[:-1]), jnp.asarray(path[1:]))
        return jax.lax.scan(step, STATE, pairs)[1]

    fast, slow = np.asarray(jax.jit(jax.vmap(dragged))(jnp.array([1.5, 1.5e-4])))
    np.testing.assert_allclose(fast, slow, rtol=1e-9, atol=1e-9)
    assert fast[199, 0] > fast[-1, 0] + 1.0  # friction has turned round: a loop, so energy is lost


def test_the_latch_holds_once_it_has_engaged():
    engaging = rates(FUNNEL, STATE, at(-0.12, 0.0, 0.0, (0.1, 0.0, 0.0)))
    assert engaging["latched"] > 0
    assert rates(FUNNEL, STATE, at(-0.15, 0.0, 0.0))["latched"] == 0
    held = {**STATE, "latched": jnp.ones(())}
    assert felt((-0.13, 0.0, 0.0), state=held)["force"][0] == pytest.approx(-500.0)  # pulls back aft
    assert felt((-0.13, 0.0, 0.0))["force"][0] == 0.0
    assert felt((-0.11, 0.0, 0.0))["force"][0] == pytest.approx(500.0)


def test_a_nozzle_outside_has_no_wall_contact():
    assert rates(FUNNEL, STATE, at(-0.72, 0.0, -0.3, (0.1, 0.0, 0.0)))["outside"] > 0
    assert rates(FUNNEL, STATE, at(-0.72, 0.0, -0.2))["outside"] == 0
    beyond = {**STATE, "outside": jnp.ones(())}
    np.testing.assert_allclose(felt((-0.5, 0.0, -0.3), state=beyond)["force"], 0.0, atol=1e-12)


def test_each_section_has_its_own_parameters():
    """Three stiffnesses: those of bore, lead-in and ribs; one number is that of all."""
    law = HuntCrossley(stiffness=(1e6, 2e6, 3e6), restitution=0.5)
    funnel = Funnel(initial_position=(0.0, 0.0, 0.0), law=law)
    state = {**funnel.init(), "impact_speed": jnp.asarray(0.5)}
    for place, k in (((-0.15, 0.0, 0.008), 1e6), ((-0.22, 0.03, 0.0), 2e6), ((-0.5, 0.0, -0.2), 3e6)):
        got = felt(place, funnel=funnel, state=state)
        assert float(got["normal_force"]) == pytest.approx(k * float(got["penetration"]) ** 1.5)


def test_rim_and_wall_use_the_damping_of_their_law():
    damped = Funnel(
        initial_position=(0.0, 0.0, 0.0), law=KelvinVoigt((5e4, 5e4, 2.5e3), damping=40.0, tension="clamped")
    )
    for place, normal in (((-0.705, 0.0, 0.27), (1.0, 0.0, 0.0)), ((-0.15, 0.0, 0.007), (0.0, 0.0, 1.0))):
        fast, still = (
            felt(place, tuple(0.3 * s * n for n in normal), damped, damped.init())["normal_force"]
            for s in (1.0, 0.0)
        )
        assert float(fast - still) == pytest.approx(40.0 * 0.3, rel=1e-6)


def test_a_law_needs_one_or_three_values_per_parameter():
    with pytest.raises(ParameterError, match="Funnel.law: expected one or three values"):
        Funnel(law=KelvinVoigt((1e4, 2e4)))
