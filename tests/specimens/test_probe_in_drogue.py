"""The contact of a ball in a drogue: forces along the normal and against the slip, nothing else."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import Flores
from dovetail.mechanics.friction import Tustin
from dovetail.mechanics.geometry import Box, Drogue, Hollow, SolidCavity
from dovetail.mechanics.spatial import Pose, Twist
from dovetail.specimens.probe_in_drogue import BallInCavity, ProbeInDrogue

DROGUE = Drogue(32.5e-3, 50e-3, 195e-3, np.radians(27))
LAW, FRICTION = Flores(9.08e8, restitution=0.8), Tustin()
BALL = BallInCavity(DROGUE, LAW, FRICTION, 25e-3)
CENTRE = jnp.array([0.15, 0.03, 0.0512])  # touches the cone by 35 um
SPEED = Twist(jnp.array([-0.08, 0.03, 0.06]), jnp.array([0.4, -0.2, 0.1]))
contact = eqx.filter_jit(
    lambda pose, twist, speed: BALL.contact(
        pose, twist, {**BALL.surface_contact.init(3), "impact_speed": speed}
    )
)


def test_friction_lies_in_the_tangent_plane_against_the_slip_in_any_direction():
    now = contact(Pose(p=CENTRE), SPEED, 0.08)
    assert float(now.touch.depth) > 0
    along = now.wrench.f - now.met.normal_force * now.touch.normal
    assert abs(float(along @ now.touch.normal)) < 1e-9 * float(now.met.normal_force)
    point = SPEED.shift(now.touch.on_ball - CENTRE).v
    slip = point - (point @ now.touch.normal) * now.touch.normal
    cosine = float(along @ slip / (jnp.linalg.norm(along) * jnp.linalg.norm(slip)))
    assert cosine == pytest.approx(-1.0, abs=1e-12)
    assert float(jnp.cross(slip, now.touch.normal)[0]) != 0  # and it is not in the meridian plane alone


def test_a_turning_ball_without_speed_rubs_too():
    spinning = Twist(jnp.zeros(3), jnp.array([1.0, 0.0, 0.0]))
    now = contact(Pose(p=CENTRE), spinning, 0.08)
    assert float(now.met.friction_power) > 0


def test_contact_power_equals_stored_plus_dissipated_power():
    _, along = jax.jvp(lambda s: contact(Pose(p=CENTRE + s * SPEED.v), SPEED, 0.08).stored, (0.0,), (1.0,))
    here = contact(Pose(p=CENTRE), SPEED, 0.08)
    taken = -float(here.wrench.shift(CENTRE).power(SPEED))
    assert taken == pytest.approx(float(along + here.met.impact_power + here.met.friction_power), rel=1e-9)


def test_separated_bodies_have_no_contact_force():
    now = contact(Pose(p=jnp.array([0.15, 0.0, 0.02])), SPEED, 0.08)
    assert not np.any(now.wrench.f)
    assert float(now.met.friction_power) == 0.0


def specimen(**changes):
    values = {"radius": 25e-3, "initial_position": (0.245, 0.0, 0.075), "initial_angles": (0.0, 0.0, np.pi)}
    return ProbeInDrogue(**{"cavity": DROGUE, "law": LAW, "friction": FRICTION, **values, **changes})


def test_the_specimen_returns_the_wrench_about_the_tip():
    part = specimen()
    motion = jnp.concatenate([CENTRE - part.initial_position, jnp.zeros(3)])
    u = {"displacement": motion, "velocity": jnp.concatenate([SPEED.v, jnp.zeros(3)])}
    x = {**part.init(), "impact_speed": jnp.array(0.08)}
    shown = part.output(0.0, x, u)
    now = contact(Pose(p=CENTRE), Twist(SPEED.v, jnp.zeros(3)), 0.08)
    np.testing.assert_allclose(shown["force"][:3], now.wrench.f, rtol=1e-12)
    lever = jnp.cross(now.touch.on_ball - CENTRE, now.wrench.f)
    half_a_turn = jnp.array([-1.0, -1.0, 1.0])  # the tip's axes against the drogue's
    np.testing.assert_allclose(shown["force"][3:], half_a_turn * lever, atol=1e-9)
    rates = part.derivative(0.0, x, u)
    assert float(rates["impact_speed"]) == 0.0  # held in contact
    assert float(rates["friction_dissipation"]) > 0


def test_another_mechanism_can_replace_the_drogue():
    slot = SolidCavity(Hollow(Box((0.5, 0.05, 0.05))), 0.4)
    part = specimen(cavity=slot, initial_position=(0.3, 0.0, 0.0))
    u = {"displacement": jnp.array([0.0, 0.0, 0.0251, 0, 0, 0]), "velocity": jnp.zeros(6)}
    force = part.output(0.0, {**part.init(), "impact_speed": jnp.array(0.1)}, u)["force"]
    assert float(force[2]) == pytest.approx(-9.08e8 * 1e-4**1.5, rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"initial_position": (0.15, 0.0, 0.07)}, "penetrates the wall by .* mm initially"),
        ({"radius": 35e-3}, "35 mm does not fit into the cylinder of 32.5 mm"),
        ({"radius": -1.0}, "radius: got -1; must be above 0 m"),
    ],
)
def test_impossible_contacts_are_rejected(changes, message):
    with pytest.raises(ParameterError, match=message):
        specimen(**changes)


def test_a_run_ends_when_the_probe_is_docked_or_separated():
    probe = specimen()
    x = np.array([0.0, -0.1, -0.2, -0.2199, -0.2201, -0.23])  # [m] from home at 245 mm; the radius is 25 mm
    along = np.zeros((6, 6))
    along[:, 0] = x
    assert probe.end_event(along) == (4, "docked")
    along[:, 0] = [0.0, -0.01, -0.005, 0.0, 1e-4, 2e-4]
    assert probe.end_event(along) == (4, "separated")
    along[:, 0] = [0.0, -0.01, -0.02, -0.01, -0.02, -0.01]
    assert probe.end_event(along) is None
