import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.testing.contact_energy_gain import ContactGainState


def after(forces, velocities, depths, dt=0.1):
    x = ContactGainState.apart_at(jnp.asarray(velocities[0]))
    for force, velocity, depth in zip(forces, velocities[1:], depths, strict=True):
        x = x.step(dt, jnp.asarray(force), jnp.asarray(velocity), jnp.asarray(depth))
    return x


def test_work_of_a_held_force_equals_the_change_of_kinetic_energy():
    force = np.array([0.0, -3.0, -9.0, -5.0, 0.0])
    velocity = np.concatenate([[1.0], 1.0 + np.cumsum(0.1 * force / 0.5)])  # 0.5 kg
    x = after(force, velocity, [0.0, 0.1, 0.1, -0.1, -0.2])
    lost = 0.25 * (velocity[-1] ** 2 - 1.0)
    assert float(x.work) == pytest.approx(lost, rel=1e-12)
    assert float(x.received) == pytest.approx(0.25, rel=1e-12)  # it came to rest within a tick
    assert float(x.gain) == pytest.approx(lost / 0.25)


def test_only_finished_contacts_with_more_returned_than_received_energy_have_a_gain():
    x = after([0.0, -4.0, -4.0, 0.0], [1.0, 1.0, 0.2, -0.6, -0.6], [0.0, 0.1, -0.1, -0.2])
    assert float(x.gain) == 0.0
    touching = dataclasses.replace(x, work=jnp.array(1.0), apart=jnp.array(False))
    assert float(touching.gain) == 0.0


def test_a_light_contact_is_relative_to_the_largest_before_it():
    x = dataclasses.replace(ContactGainState.apart_at(jnp.array(0.1)), received=jnp.array(5.0))
    for force, depth in ((0.0, 0.0), (-0.1, -0.1)):
        x = x.step(0.1, jnp.array(force), jnp.array(-0.1), jnp.array(depth))
    assert 0 < float(x.gain) < 1e-3


def test_sensor_noise_and_offset_do_not_count_as_contact():
    """Before the first contact, and after the force of one has gone; a force that lags on is still its own."""
    push = [0.5, 0.7, -0.2, 0.4, 0.6]
    before = after(push, np.full(6, 0.3), np.full(5, -1.0))
    assert float(before.work) == 0.0
    x = after(
        [-9.0, -9.0, -4.0, -0.002, -3.0], [1.0, -0.5, -0.6, -0.7, -0.7, -0.7], [0.1, -0.1, -0.2, -0.3, -0.4]
    )
    lagging = 0.1 * (9 * (0.5 + 0.6) / 2 + 4 * (0.6 + 0.7) / 2 + 0.002 * 0.7)
    assert float(x.work) == pytest.approx(lagging - 0.1 * 9 * (1.0 - 0.5) / 2, rel=1e-12)
