import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.geometry import Polygon
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion
from dovetail.mechanics.securing import CompliantDrive, Platform
from dovetail.mechanics.securing.drive import accelerations, drive_faults, driven_frames, riders

BOX = Polygon(vertices=[[-1.0, 0.0], [1.0, 0.0], [1.0, -0.5], [-1.0, -0.5]])
SHIP = HarmonicMotion(mean_pose=[0.0, 0.0, 0.0], amplitude=[[0.3, 0.5, 0.2]], omega=[0.9], phase=[0.4])


def chain(ship=SHIP):
    return (
        Platform(body=BOX, motion=ship, name="ship"),
        Platform(body=BOX, motion=FixedFrame(mean_pose=[0.2, 0.1, 0.0]), name="device", parent="ship"),
        Platform(body=BOX, motion=FixedFrame(mean_pose=[0.4, 0.0, 0.0]), name="clamp", parent="device"),
    )


DRIVE = CompliantDrive(
    platform="device", direction=[1.0, 0.0], mass=20.0, stiffness=4e3, damping=50.0, power_loss_time=5.0
)


def test_bodies_on_a_driven_platform_move_with_it():
    x = jnp.array([[0.1, 0.3]])
    found, still = (driven_frames(chain(), (DRIVE,), 1.0, a) for a in (x, 0 * x))
    R = still.rotation[0]
    for i in (1, 2):
        np.testing.assert_allclose(found.position[i] - still.position[i], 0.1 * R[:, 0])
        turning = float(still.spin[0, 0]) * 0.1 * R[:, 1]  # it is further out on a ship that rolls
        np.testing.assert_allclose(found.velocity[i] - still.velocity[i], 0.3 * R[:, 0] + turning)
    np.testing.assert_allclose(found.position[0], still.position[0])
    assert riders(chain(), "device") == [1, 2]


def test_on_a_ship_at_rest_it_is_an_oscillator_and_without_power_only_brakes():
    at_rest = chain(FixedFrame(mean_pose=[0.0, 0.0, 0.0]))
    force = jnp.array([[0.0, 0.0], [30.0, 5.0], [10.0, 0.0]])
    x = jnp.array([[0.01, 0.2]])
    powered = accelerations(at_rest, (DRIVE,), 1.0, x, force, 9.81)
    np.testing.assert_allclose(powered, (40.0 - 4e3 * 0.01 - 50.0 * 0.2) / 20.0)
    failed = accelerations(at_rest, (DRIVE,), 6.0, x, force, 9.81)
    np.testing.assert_allclose(failed, (40.0 - 50.0 * 0.2) / 20.0)


def test_on_a_moving_ship_it_obeys_newton_in_the_world():
    t, x = 1.3, jnp.array([[0.05, 0.2]])

    @jax.jit
    def begun():
        rate = accelerations(chain(), (DRIVE,), t, x, jnp.zeros((3, 2)), 9.81)
        return rate, driven_frames(chain(), (DRIVE,), t, x).rotation[0][:, 0]

    rate, e = begun()

    def place(s):  # along the way with this acceleration
        way = x[0, 0] + x[0, 1] * (s - t) + rate[0] * (s - t) ** 2 / 2
        return driven_frames(chain(), (DRIVE,), s, jnp.array([[1.0, 0.0]]) * way).position[1]

    acceleration = jax.jit(jax.jacfwd(jax.jacfwd(place)))(t)
    force = 20.0 * (np.asarray(acceleration) - np.array([0.0, -9.81])) @ np.asarray(e)
    np.testing.assert_allclose(force, -4e3 * 0.05 - 50.0 * 0.2, rtol=1e-9)


def test_a_drive_without_platform_is_reported():
    wrong = CompliantDrive(platform="crane", direction=[0.0, 0.0], mass=1.0, stiffness=1.0)
    texts = [f.text for f in drive_faults(chain(), (wrong,), 2)]
    assert "known: ship, device, clamp" in texts[0]
    assert "not all zero" in texts[1]
