"""Robot cell of a pseudo-dynamic test: both arms, track, specimen and tool at each move.

A run records poses of the tool in the frame of the specimen; the cell file describes the arms. The inverse kinematics
of the cell gives the joint angles; of several postures, the nearest to the last one is used.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.spatial.transform import Rotation

from dovetail.core.recording import Recording
from dovetail.mechanics.spatial.rotation import about_y, about_z
from dovetail.scene.force_ratios import limit_ratio
from dovetail.scene.scene import Arrow, Points, Pose, Scene, Solid, Tube, aim_camera, visibly_different
from dovetail.scene.shapes import box, ellipsoid, lathe, rod, rotate, translate
from dovetail.scene.signal_plots import by_axis, choices, curves
from dovetail.scene.subjects.hose_and_drogue import drogue_of
from dovetail.studies.registry import all_tests
from dovetail.testing import CellFile, load
from dovetail.testing.pseudodynamic.cell_motion import arms_of
from dovetail.testing.pseudodynamic.pose_conversion import PoseConversion
from dovetail.transfer.robot import Arm, RobotArms
from dovetail.transfer.robot.arms import to_pose

TOOL, SPECIMEN, INK, FORCE, RAIL = "#0072b2", "#d55e00", "#333333", "#b5179e", "#8d969e"
LIFT = np.array([0.0, 0.0, 0.3])  # [m] height of a label over an elbow
NEAR = 1.5  # [m] size of the close-up view around the tool
WIDE, DEEP = 0.35, 0.2  # [m] half width and height of the bases of the arms


def cell_of(run: Any) -> CellFile | None:
    """Return the cell of a pseudo-dynamic run if it belongs to a study and has robot arms, else None."""
    name = str(run.recording.attrs.get("cell", ""))
    if not name or "measured_displacement" not in run.recording:
        return None
    for entry in all_tests().values():
        if entry.title == name:
            cell = load(entry.path)
            arms = isinstance(cell, CellFile) and arms_of(cell.rig) is not None
            return cell if arms else None
    return None


def cell_scene(title: str, run: Any, data: Recording, cell: CellFile) -> Scene:
    """Return the scene of the arms at every measurement of a run."""
    rig = cell.rig.as_model()
    arms = arms_of(rig)
    assert arms is not None
    placed = _start(run, cell)
    moves, of_move = _poses(data, placed)
    joints = np.asarray(_follow(arms, jnp.asarray(moves)))
    tool = np.asarray(jax.vmap(lambda q: _tool_points(arms, q))(jnp.asarray(joints)))
    held = np.asarray(_specimen_points(arms))
    place = arms.specimen_pose
    R, p = np.asarray(place.R), np.asarray(place.p)
    parts = drogue_of(rig.specimen)
    rail = np.asarray(arms.tool_base[:3]) + np.asarray(arms.track_range)[:, None] * np.asarray(
        arms.track_axis
    )

    def tool_at(first: int, last: int) -> Points:
        return lambda k: tool[of_move[k], first:last]

    limbs, bodies = _arm("tool arm", arms.tool_arm, arms.tool_base, tool_at(0, 6), TOOL)
    others, more = _arm("specimen arm", arms.specimen_arm, arms.specimen_base, lambda k: held[:6], SPECIMEN)
    tubes = [
        *limbs,
        Tube("tool", tool_at(5, 7), 0.05, FORCE),
        *others,
        Tube("mount", lambda k: held[5:], 0.05, SPECIMEN),
    ]
    solids = [
        *_ground(rail, held[0]),
        *bodies,
        *more,
        Solid("drogue/coupling", parts["coupling"], lambda k: (R, p), "#6b747c"),
        Solid("drogue/ribs", parts["ribs"], lambda k: (R, p), INK),
        *_demanded_probe_end(data, placed, R, p),
    ]

    def tip(k: int) -> np.ndarray:
        return tool[of_move[k], -1]

    def notes(k: int) -> str:
        where = ", ".join(f"{1e3 * v:.1f}" for v in moves[of_move[k]][:3])
        return f"measurement {of_move[k]}; tool at {where} mm in the specimen frame"

    scene = Scene(
        title,
        data.time.values,
        (),
        _force(run, data, R, tip),
        curves(run.recording),
        notes=notes,
        choices=choices(run.recording),
        solids=solids,
        tubes=tubes,
        marks=[("holds the probe", tuple(tool[0, 2] + LIFT)), ("holds the drogue", tuple(held[2] + LIFT))],
        focus=tip,
        nearby=NEAR,
    )
    return aim_camera(scene)


def _force(run: Any, data: Recording, R: np.ndarray, tip: Points) -> list[Arrow]:
    """Return the measured force on the tool; its components are in the frame of the specimen."""
    if "measured_force" not in data:
        return []
    measured = by_axis(data["measured_force"])[:, :3]
    force = measured @ R.T
    scale = 0.5 / max(float(np.abs(force).max()), 1e-12)
    return [Arrow("force", tip, lambda k: force[k], scale, FORCE, limit_ratio(run.test, measured), tip)]


def _arm(name: str, arm: Arm, base: Any, at: Points, colour: str) -> tuple[list[Tube], list[Solid]]:
    """Return tapered limbs, turret and joints of an arm; `at` gives the points of `arm_points`."""
    size = float(arm.c2 + arm.c3)
    R = np.asarray(to_pose(base).R)
    tall = float(arm.c1)
    foot, neck = 0.13 * size, 0.09 * size
    turret = lathe([(0.0, foot), (0.25 * tall, foot), (0.3 * tall, neck), (tall, neck), (1.05 * tall, 0.0)])
    upright = rotate(turret, np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))

    def piece(first: int, last: int) -> Points:
        return lambda k: at(k)[first:last]

    def there(i: int) -> Pose:
        return lambda k: (R, at(k)[i])

    thick = {"upper": (1, 3, 0.06), "fore": (2, 5, 0.045), "wrist": (4, 6, 0.035)}
    tubes = [Tube(f"{name}/{limb}", piece(i, j), r * size, colour) for limb, (i, j, r) in thick.items()]
    solids = [Solid(f"{name}/turret", upright, there(0), colour)]
    for i, r in ((1, 0.085), (2, 0.07), (4, 0.05)):
        solids.append(Solid(f"{name}/joint {i}", ellipsoid((r * size,) * 3), there(i), INK))
    return tubes, solids


def _ground(rail: np.ndarray, foot: np.ndarray) -> list[Solid]:
    """Return the track of one arm, the plinth of the other, and the floor."""
    along = (rail[1] - rail[0]) / np.linalg.norm(rail[1] - rail[0])
    floor = min(float(rail[:, 2].min()), float(foot[2])) - DEEP
    long = float(np.linalg.norm(rail[1] - rail[0])) + 2 * WIDE
    low, high = (bound(np.vstack([rail, foot]), axis=0) for bound in (np.min, np.max))
    middle, spread = (low + high) / 2, high - low + 8 * WIDE
    bed = rotate(box((long, 2 * WIDE, DEEP)), along, np.array([0.0, 0.0, 1.0]))
    tall = float(foot[2]) - floor
    return [
        Solid("track", translate(bed, rail.mean(axis=0) - [0, 0, DEEP / 2]), colour=RAIL),
        Solid("plinth", translate(box((2 * WIDE, 2 * WIDE, tall)), foot - [0, 0, tall / 2]), colour=RAIL),
        Solid(
            "floor",
            translate(box((spread[0], spread[1], 0.04)), (middle[0], middle[1], floor - 0.02)),
            colour="#d9dde1",
            scenery=True,
        ),
    ]


def _start(run: Any, cell: CellFile) -> PoseConversion:
    """Return the pose of zero displacement in the frame of the specimen."""
    home = None if run.test.pseudodynamic is None else run.test.pseudodynamic.home_pose
    return PoseConversion(np.array(cell.home_pose if home is None else home))


def _demanded_probe_end(data: Recording, placed: PoseConversion, R: np.ndarray, p: np.ndarray) -> list[Solid]:
    """Return the end of the probe at its demanded pose, which the arms do not follow far from the drogue."""
    wished, there = (by_axis(data[name]) for name in ("displacement", "measured_displacement"))
    if not visibly_different(data, wished[:, :3], there[:, :3], NEAR):
        return []

    def pose(k: int) -> tuple[np.ndarray, np.ndarray]:
        own = placed.from_start(wished[k])
        return R @ Rotation.from_rotvec(own[3:]).as_matrix(), p + R @ own[:3]

    end = translate(rod(0.045, 0.25), (-0.25, 0.0, 0.0))
    return [Solid("demand", end, pose, TOOL, 0.35)]


def _poses(data: Recording, placed: PoseConversion) -> tuple[np.ndarray, np.ndarray]:
    """Return the measured poses (move, 6) in the frame of the specimen, and the index of the move at each sample."""
    measured = data["measured_displacement"].values
    changed = np.concatenate([[True], np.any(np.diff(measured, axis=0) != 0, axis=1)])
    poses = np.stack([placed.from_start(row) for row in measured[changed]])
    return poses, np.cumsum(changed) - 1


@jax.jit
def _follow(arms: RobotArms, poses: jax.Array) -> jax.Array:
    """Return joint positions (move, 13), each posture the nearest to the last."""
    guess = jnp.concatenate([jnp.ravel(arms.track_position), arms.tool_joints, arms.specimen_joints])

    def step(near, pose):
        joints, _, _ = arms.joint_targets(pose, near)
        return joints, joints

    return jax.lax.scan(step, guess, poses)[1]


def arm_points(arm: Arm, joints: jax.Array) -> jax.Array:
    """Return base, shoulder, elbow, knee of the forearm, wrist and flange (6, 3) in the frame of the base."""
    q = (joints - arm.offset) / arm.sign
    first, bent = about_z(q[0]), about_y(q[1] + q[2])
    shoulder = first @ jnp.stack([arm.a1, arm.b, arm.c1])
    elbow = shoulder + first @ about_y(q[1]) @ (arm.c2 * jnp.eye(3)[2])
    knee = elbow + first @ bent @ (arm.a2 * jnp.eye(3)[0])
    wrist = knee + first @ bent @ (arm.c3 * jnp.eye(3)[2])
    return jnp.stack([jnp.zeros(3), shoulder, elbow, knee, wrist, arm.forward(joints).p])


def _tool_points(arms: RobotArms, joints: jax.Array) -> jax.Array:
    base = to_pose(arms.tool_base)
    origin = base.p + joints[0] * arms.track_axis
    points = arm_points(arms.tool_arm, joints[1:7]) @ base.R.T + origin
    return jnp.concatenate([points, arms.tool_pose(joints[:7]).p[None]])


def _specimen_points(arms: RobotArms) -> jax.Array:
    base = to_pose(arms.specimen_base)
    points = arm_points(arms.specimen_arm, arms.specimen_joints) @ base.R.T + base.p
    return jnp.concatenate([points, arms.specimen_pose.p[None]])
