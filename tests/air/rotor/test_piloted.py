import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from dovetail.air import Blade, PilotedRotor, Rotor, RotorSchedule
from dovetail.mechanics.bodies import BodyMotion
from dovetail.mechanics.spatial.rotation import about_x


@pytest.fixture(scope="module")
def pilot():
    blade = Blade(radius=3.0, chord=0.15, lift_slope=0.1, elements=20)
    return PilotedRotor(
        rotor=Rotor(blade, sectors=8, forces="thrust"),
        schedule=RotorSchedule(speed=135.0, collective=0.12),
        times=[0.0, 10.0, 20.0],
        reference=[[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]],
        authority=[1.0, 1.0, 0.0],
    )


def at(port=0.0, up=1.0, roll=0.0, v=(0.0, 0.0, 0.0), spin=0.0):
    return BodyMotion(
        about_x(roll), jnp.array([0.0, port, up]), jnp.array(v), jnp.array([spin, 0.0, 0.0]), jnp.zeros(3)
    )


def test_a_pilot_at_the_reference_state_does_not_change_the_schedule(pilot):
    set_ = pilot.commands(1.0, at())
    assert float(set_.collective) == pytest.approx(0.12)
    assert float(set_.cyclic) == pytest.approx(0.0)


def test_too_far_to_port_he_rolls_port_side_up_and_too_low_he_pulls(pilot):
    commands = jax.jit(lambda at: pilot.commands(1.0, at))
    assert float(commands(at(port=0.5)).cyclic) > 0
    assert float(commands(at(up=0.5)).collective) > 0.12
    moment = jax.jit(lambda at: pilot.act(1.0, at))(at(port=0.5))[1][0]
    assert moment > 1.0


def test_he_stops_a_roll(pilot):
    assert float(pilot.commands(1.0, at(roll=0.1)).cyclic) < 0
    assert float(pilot.commands(1.0, at(spin=0.5)).cyclic) < 0


def test_on_deck_his_hands_are_off(pilot):
    assert float(pilot.commands(20.0, at(port=1.0, up=0.0)).cyclic) == 0.0


@pytest.mark.parametrize("roll", [-0.3, 0.2])
def test_the_cyclic_counters_the_roll_angle_in_proportion(pilot, roll):
    """At the reference position: the roll gain times the angle, within the largest cyclic."""
    wide = eqx.tree_at(lambda p: p.max_cyclic, pilot, jnp.asarray(1.0))
    found = jax.jit(lambda: wide.commands(1.0, at(roll=roll)).cyclic)()
    assert float(found) == pytest.approx(-float(pilot.roll_gain) * roll, rel=1e-12)
