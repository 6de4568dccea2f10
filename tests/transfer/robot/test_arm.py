"""The arm: forward kinematics judged by Pinocchio, all eight postures by the forward kinematics."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import about_y, about_z
from dovetail.transfer.robot.arm import Arm

SMALL = Arm(a2=-0.07)
LARGE = Arm(a1=0.32, a2=-0.2, b=0.05, c1=0.78, c2=1.075, c3=1.1425, c4=0.2)
MAKERS = Arm(
    a1=0.075,
    a2=-0.09,
    c1=0.335,
    c2=0.27,
    c3=0.295,
    c4=0.08,
    sign=[-1, 1, 1, -1, 1, -1],
    offset=[0, -1.57, 0.3, 0, 0, 0.1],
)
ARMS = {"small": SMALL, "large": LARGE, "maker's": MAKERS}

forward = eqx.filter_jit(lambda arm, q: arm.forward(q))
inverse = eqx.filter_jit(lambda arm, pose, near: arm.inverse(pose, near))
nearest = eqx.filter_jit(lambda arm, pose, near: arm.nearest(pose, near))


def random_joints(seed, count=20):
    return np.random.default_rng(seed).uniform(-2.5, 2.5, (count, 6))


def same(a: Pose, b: Pose):
    return float(jnp.max(jnp.abs(a.p - b.p))) < 1e-9 and float(jnp.max(jnp.abs(a.R - b.R))) < 1e-9


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_an_independent_code_finds_the_flange_at_the_same_place(arm):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    a1, a2, b, c1, c2, c3, c4 = (float(getattr(arm, n)) for n in ("a1", "a2", "b", "c1", "c2", "c3", "c4"))
    steps = [[0, 0, 0], [a1, b, c1], [0, 0, c2], [a2, 0, c3], [0, 0, 0], [0, 0, 0]]
    parent = 0
    for i, (axis, step) in enumerate(zip("ZYYZYZ", steps, strict=True)):
        joint = getattr(pin, f"JointModelR{axis}")()
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), np.array(step, dtype=float)), f"q{i}")
    data = model.createData()
    for maker in random_joints(1):
        q = (maker - np.asarray(arm.offset)) / np.asarray(arm.sign)
        pin.forwardKinematics(model, data, q)
        theirs = data.oMi[6] * pin.SE3(np.eye(3), np.array([0.0, 0.0, c4]))
        ours = forward(arm, maker)
        assert np.asarray(ours.p) == pytest.approx(theirs.translation, abs=1e-12)
        assert np.asarray(ours.R) == pytest.approx(theirs.rotation, abs=1e-12)


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_every_posture_reaches_the_pose_including_the_original_one(arm):
    for q in random_joints(2):
        pose = forward(arm, q)
        found = inverse(arm, pose, jnp.asarray(q))
        # rounding of arccos near a stretched elbow: 1e-8 rad
        home = np.abs(np.asarray(found.joints) - q).max(axis=1)
        assert home.min() < 1e-6
        assert bool(found.reachable[np.argmin(home)])
        for joints, reachable in zip(found.joints, found.reachable, strict=True):
            if bool(reachable):
                assert same(forward(arm, joints), pose)


def test_a_pose_in_the_middle_has_eight_different_postures():
    pose = Pose(about_y(2.2) @ about_z(0.4), jnp.array([0.25, 0.1, 0.35]))
    found = inverse(SMALL, pose, jnp.zeros(6))
    assert bool(jnp.all(found.reachable))
    turns = np.exp(1j * np.asarray(found.joints))
    apart = [np.abs(turns[i] - turns[j]).max() for i in range(8) for j in range(i)]
    assert min(apart) > 0.05


def test_an_unreachable_pose_is_reported():
    pose = Pose(jnp.eye(3), jnp.array([2.0, 0.0, 0.3]))
    assert not bool(jnp.any(inverse(SMALL, pose, jnp.zeros(6)).reachable))
    _, allowed, reachable = nearest(SMALL, pose, jnp.zeros(6))
    assert not bool(allowed)
    assert not bool(reachable)


def test_limits_decide_between_postures():
    q = jnp.array([0.3, 0.4, 1.0, 0.5, 0.8, -0.2])
    pose = forward(SMALL, q)
    joints, allowed, _ = nearest(SMALL, pose, q)
    assert bool(allowed)
    assert np.asarray(joints) == pytest.approx(np.asarray(q), abs=1e-9)
    tight = Arm(a2=-0.07, max_angle=[jnp.pi] * 4 + [0.5, jnp.pi])  # the wrist cannot bend that way so far
    joints, allowed, _ = nearest(tight, pose, q)
    assert bool(allowed)
    assert float(joints[4]) < 0
    assert same(forward(tight, joints), pose)
    shut = Arm(a2=-0.07, min_angle=[-0.1] * 6, max_angle=[0.1] * 6)
    _, allowed, reachable = nearest(shut, pose, q)
    assert not bool(allowed)
    assert bool(reachable)


def test_a_path_through_a_full_turn_is_followed_without_a_jump():
    wide = Arm(a2=-0.07, min_angle=[-7.0] * 6, max_angle=[7.0] * 6)
    q = jnp.array([0.0, 0.4, 1.0, 0.5, 0.8, 2.9])
    for last in np.linspace(2.9, 5.0, 12):
        pose = forward(wide, q.at[5].set(last))
        q, allowed, _ = nearest(wide, pose, q)
        assert bool(allowed)
        assert float(q[5]) == pytest.approx(last, abs=1e-9)


def test_a_singular_wrist_keeps_the_fourth_joint():
    q = jnp.array([0.3, 0.4, 1.0, 0.7, 0.0, -0.2])
    pose = forward(SMALL, q)
    joints, allowed, _ = nearest(SMALL, pose, q)
    assert bool(allowed)
    assert np.asarray(joints) == pytest.approx(np.asarray(q), abs=1e-6)
    assert float(SMALL.manipulability(q)) == pytest.approx(0.0, abs=1e-12)


def test_singular_postures_have_zero_manipulability():
    assert float(SMALL.manipulability(jnp.array([0.0, 0.5, 1.0, 0.0, 0.8, 0.0]))) > 0.3
    stretched = -float(jnp.arctan2(SMALL.a2, SMALL.c3))
    assert float(SMALL.manipulability(jnp.array([0.0, 1.0, stretched, 0.0, 0.8, 0.0]))) == pytest.approx(
        0.0, abs=1e-12
    )
    above = jnp.array([0.0, -jnp.arcsin(0.302 / 0.27 * jnp.sin(0.0)), 0.0, 0.0, 0.8, 0.0])
    straight_up = Arm(a2=0.0)
    assert float(straight_up.manipulability(above)) == pytest.approx(0.0, abs=1e-12)


def test_near_a_singular_wrist_the_jacobian_loses_a_direction():
    """The clearance is no mere label: the smallest singular value falls with it."""

    def flat(q):
        pose = SMALL.forward(q)
        return jnp.concatenate([pose.p, pose.R.ravel()])

    jacobian = jax.jit(jax.jacfwd(flat))
    values = []
    for bend in (0.8, 0.08, 0.008):
        q = jnp.array([0.2, 0.5, 1.0, 0.3, bend, 0.1])
        values.append(
            float(jnp.linalg.svd(jacobian(q), compute_uv=False)[-1]) / float(SMALL.manipulability(q))
        )
    assert values[1] == pytest.approx(values[2], rel=0.05)


@pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
def test_clearance_is_the_smallest_of_wrist_elbow_and_shoulder(arm):
    """All three from the forward kinematics; each of them decides in some of the postures."""
    fore, bend_at_zero = np.hypot(arm.a2, arm.c3), np.arctan2(arm.a2, arm.c3)
    shoulder = np.array([arm.a1, arm.b, arm.c1])
    decides = set()
    joints = random_joints(6, 60)
    poses, clearances = jax.jit(jax.vmap(lambda q: (arm.forward(q), arm.manipulability(q))))(joints)
    for maker, p, R, clearance in zip(joints, poses.p, poses.R, clearances, strict=True):
        q = (maker - np.asarray(arm.offset)) / np.asarray(arm.sign)
        centre = np.asarray(p) - float(arm.c4) * np.asarray(R)[:, 2]
        reach = np.linalg.norm(np.asarray(about_z(q[0])).T @ centre - shoulder)
        cosine = (reach**2 - arm.c2**2 - fore**2) / (2 * arm.c2 * fore)  # of the elbow, by the cosine rule
        assert cosine == pytest.approx(np.cos(q[2] + bend_at_zero), abs=1e-9)
        along_fore = np.asarray(about_z(q[0]) @ about_y(q[1] + q[2]))[:, 2]  # axis of the fourth joint
        three = [
            np.linalg.norm(np.cross(along_fore, np.asarray(R)[:, 2])),
            np.sqrt(1 - cosine**2),
            np.hypot(centre[0], centre[1]) / float(arm.c2 + arm.c3),
        ]
        decides.add(int(np.argmin(three)))
        assert float(clearance) == pytest.approx(min(three), rel=1e-6)
    assert decides == {0, 1, 2}


def test_a_wrist_above_the_first_axis_is_singular_with_the_elbow_and_the_wrist_bent():
    q = jnp.array([0.0, -0.52255, 1.2, 0.0, 0.8, 0.0])
    assert float(SMALL.manipulability(q)) == pytest.approx(0.0, abs=1e-4)
    assert float(jnp.linalg.norm((SMALL.forward(q).p - 0.072 * SMALL.forward(q).R[:, 2])[:2])) < 1e-4  # [m]
