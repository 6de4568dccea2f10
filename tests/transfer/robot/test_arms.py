"""Two arms and a track: the pose that was asked for, late, within limits, and repeatable so far."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.random import assign_keys
from dovetail.transfer import Delay, FirstOrderLag, RateLimit, Series
from dovetail.transfer.robot import Arm, JointSegment, MotionProfile, RobotArms, SafetyLimits, TripCode
from dovetail.transfer.robot.arms import to_pose, to_vector

DT = 4e-3
LARGE = Arm(a1=0.32, a2=-0.2, c1=0.78, c2=1.075, c3=1.1425, c4=0.2)
HOME = jnp.array([-0.85, 0.0, 0.0, 0.0, 0.0, 0.0])


@jax.jit
def mounted(base, joints):
    """The specimen's x axis points away from the tool: the mount turns the flange's frame into it."""
    turned = to_pose(base) @ LARGE.forward(joints)
    return to_vector(turned.inverse() @ to_pose(jnp.array([0.6, 0.0, 1.4, 0.0, 0.0, 0.0])))


def cell(**changes):
    """The drogue faces aft at chest height, the probe comes from there; a track of five metres."""
    parts = {
        "tool_arm": LARGE,
        "specimen_arm": LARGE,
        "tool_base": [-2.6, 0.0, 0.0, 0.0, 0.0, 0.0],
        "specimen_base": [2.2, 0.0, 0.0, 0.0, 0.0, np.pi],
        "specimen_joints": [0.0, 0.3, 1.2, 0.0, 0.4, 0.0],
        "tool_joints": [0.0, 0.3, 1.2, 0.0, 0.4, 0.0],
        "tool_mount": [0.0, 0.0, 0.3, 0.0, -np.pi / 2, 0.0],
        "track_range": [-5.0, 1.0],
        "target_reach": 1.7,
        "reach_tolerance": 0.2,
    }
    arms = RobotArms(**{**parts, **changes})
    mount = mounted(arms.specimen_base, arms.specimen_joints)
    arms = eqx.tree_at(lambda a: a.specimen_mount, arms, mount)
    return assign_keys(arms.with_sample_time(DT, (6,)).with_home_pose(HOME), jax.random.key(0))


started = eqx.filter_jit(lambda arms: arms.init())
step = eqx.filter_jit(lambda arms, x, u: arms.step(0.0, DT, x, u))


def follow(arms, poses, x=None):
    x = started(arms) if x is None else x
    shown = []
    for pose in poses:
        x, y = step(arms, x, jnp.asarray(pose))
        shown.append(np.asarray(y))
    return x, np.array(shown)


@pytest.fixture(scope="module")
def ideal():
    return cell()


def test_thirteen_joints_reach_the_demanded_tool_pose(ideal):
    wanted = jnp.array([-0.5, 0.03, -0.2, 0.02, -0.1, 0.05])
    x, shown = follow(ideal, [HOME, wanted])
    assert x["references"].shape == (13,)
    assert shown[-1] == pytest.approx(np.asarray(wanted), abs=1e-9)
    assert TripCode(int(x["trip"][0])) is TripCode.NONE


def test_the_cell_starts_at_its_home_pose(ideal):
    _, shown = follow(ideal, [HOME])
    assert shown[0] == pytest.approx(np.asarray(HOME), abs=1e-9)


def test_the_track_moves_only_when_the_arm_would_stretch(ideal):
    near = [HOME - jnp.array([s, 0, 0, 0, 0, 0]) for s in (0.0, 0.05)]
    far = [HOME - jnp.array([s, 0, 0, 0, 0, 0]) for s in np.linspace(0.0, 1.5, 4)]
    start = started(ideal)["references"][0]
    x, _ = follow(ideal, near)
    assert float(x["references"][0]) == float(start)
    x, shown = follow(ideal, far)
    assert float(x["references"][0]) < float(start) - 1.0
    assert shown[-1] == pytest.approx(np.asarray(far[-1]), abs=1e-9)


def test_drive_delay_shifts_the_motion_to_the_same_target():
    drives = Series((Delay(0.02), FirstOrderLag(tau=0.015)))
    late = cell(drive=drives)
    target = HOME + jnp.array([0.002, 0, 0, 0, 0.001, 0])
    _, shown = follow(late, [target] * 60)
    way = shown[:, 0] - float(HOME[0])
    assert np.all(np.abs(way[:5]) < 1e-9)  # 20 ms: five ticks
    # a lag of 15 ms after a step: one time constant and then some ticks
    assert way[9] == pytest.approx(0.002 * (1 - np.exp(-0.020 / 0.015)), rel=0.15)
    assert shown[-1] == pytest.approx(np.asarray(target), abs=1e-8)


@pytest.mark.parametrize(
    ("changes", "wanted", "code"),
    [
        ({}, [-30.0, 0.0, 0.0, 0.0, 0.0, 0.0], TripCode.UNREACHABLE),
        ({}, [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0], TripCode.NOT_FINITE),
        (
            {
                "tool_arm": Arm(
                    **{
                        **{n: getattr(LARGE, n) for n in ("a1", "a2", "c1", "c2", "c3", "c4")},
                        "max_speed": [0.1] * 6,
                    }
                )
            },
            [-0.85, 0.05, 0.0, 0.0, 0.0, 0.0],
            TripCode.JOINT_VELOCITY,
        ),
        (
            {
                "tool_arm": Arm(
                    **{
                        **{n: getattr(LARGE, n) for n in ("a1", "a2", "c1", "c2", "c3", "c4")},
                        "max_angle": [0.05] + [np.pi] * 5,
                        "min_angle": [-0.05] + [-np.pi] * 5,
                    }
                )
            },
            [-0.85, 0.6, 0.0, 0.0, 0.0, 0.0],
            TripCode.JOINT_POSITION,
        ),
        (
            {"safety": SafetyLimits(workspace_max=[0.0, 9.0, 9.0])},
            [-0.4, 0.0, 0.0, 0.0, 0.0, 0.0],
            TripCode.WORKSPACE,
        ),
        (
            {"safety": SafetyLimits(min_manipulability=0.9)},
            [-0.8, 0.0, 0.0, 0.0, 0.0, 0.0],
            TripCode.SINGULARITY,
        ),
    ],
    ids=lambda v: v.name if isinstance(v, TripCode) else "",
)
def test_every_limit_trips_and_freezes_the_references(changes, wanted, code):
    arms = cell(**changes)
    before = started(arms)["references"]
    x, _ = follow(arms, [wanted])
    assert TripCode(int(x["trip"][0])) is code
    x, _ = follow(arms, [HOME], x)  # the first trip stays
    assert TripCode(int(x["trip"][0])) is code
    assert np.array_equal(x["references"], before)


def test_moves_end_within_the_repeatability():
    arms = cell(repeatability=5e-5, angular_repeatability=2.6e-4)
    x, errors = started(arms), []
    for i in range(30):
        target = HOME + jnp.array([1e-3 * (1 + i % 2), 0, 0, 0, 0, 0])
        x, shown = follow(arms, [target, target, target], x)
        assert np.array_equal(shown[1], shown[2])  # at rest it stands still
        errors.append(shown[-1] - np.asarray(target))
    errors = np.array(errors)
    # 30 draws of three tell a size to a tenth; the size in space is that of the repeatability
    assert np.sqrt(np.mean(np.sum(errors[:, :3] ** 2, axis=1))) == pytest.approx(5e-5, rel=0.25)
    assert np.sqrt(np.mean(np.sum(errors[:, 3:] ** 2, axis=1))) == pytest.approx(2.6e-4, rel=0.25)


def test_a_move_in_joint_space_is_not_straight_in_space(ideal):
    @eqx.filter_jit
    def moved(arms, now):
        target = now.at[2].add(0.3).at[1].add(0.2)
        segment = JointSegment(arms, now, target, jnp.array(1.0), MotionProfile(profile="linear"))
        return jax.vmap(segment.at)(jnp.array([0.0, 0.5, 1.0])), segment.target

    (first, middle, last), target = (np.asarray(a) for a in moved(ideal, started(ideal)["references"]))
    assert first == pytest.approx(np.asarray(HOME), abs=1e-9)
    assert last == pytest.approx(target, abs=1e-12)
    assert np.linalg.norm((middle - (first + last) / 2)[:3]) > 1e-3


@pytest.mark.parametrize(("period", "delay"), [(4e-3, 20e-3), (12e-3, 120e-3)])
def test_both_published_interfaces_have_their_rate_delay_lag_and_speed_limit(period, delay):
    """One joint's drive at the period of its controller: ABB's 4 ms and 20 ms, KUKA's 12 ms and 120 ms."""
    tau, fastest, step = 15e-3, 0.5, 0.05  # [s, rad/s, rad]
    drive = Series(
        (Delay(delay, max_delay=0.2), FirstOrderLag(tau=tau), RateLimit(fastest))
    ).with_sample_time(period, (1,))

    def answer(drive):
        def one(x, k):
            x, y = drive.step(k * period, period, x, jnp.array([step]))
            return x, y[0]

        return jax.lax.scan(one, drive.init(), jnp.arange(60))[1]

    free = Series((Delay(delay, max_delay=0.2), FirstOrderLag(tau=tau))).with_sample_time(period, (1,))
    shown, slow = map(
        np.asarray, eqx.filter_jit(lambda parts: [answer(part) for part in parts])((drive, free))
    )
    silent = round(delay / period)
    assert np.all(shown[:silent] == 0.0)  # nothing before the delay is over, to the tick
    speeds = np.diff([0.0, *shown]) / period
    assert speeds.max() <= fastest * (1 + 1e-9)
    assert speeds.max() == pytest.approx(fastest, rel=1e-6)  # the limit is met on the way
    assert shown[-1] == pytest.approx(step, rel=1e-4)
    left = np.log(1 - slow[silent + 1 : silent + 4] / step)
    np.testing.assert_allclose(np.diff(left), -period / tau, rtol=1e-6)  # a lag of its time constant
