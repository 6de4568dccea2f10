"""The same chain in other people's programs: MuJoCo, Pinocchio, DART and MoorDyn, where they are installed.

The problem: a chain of 10 m and 1 kg/m, fixed at the origin, released at rest straight down at 45 degrees from
the vertical; x to the side, z up. Each function returns the tip position (3,) at the end and seconds of processor time.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

LENGTH, MASS, G = 10.0, 10.0, 9.81  # [m, kg, m/s^2]
SPIN = 1e-6  # [kg m^2] of a rod about itself: thin, and never excited


def mujoco_chain(n, *, duration=1.0, dt=1e-3, integrator="RK4"):
    """Thin rods on ball joints in MuJoCo."""
    import mujoco

    l, m = LENGTH / n, MASS / n
    inertia = m * l * l / 12
    body = (
        '<body pos="{p} 0 0"><joint type="ball"/>'
        f'<inertial pos="{l / 2} 0 0" mass="{m}" diaginertia="{SPIN} {inertia} {inertia}"/>'
    )
    inner = "".join(body.format(p=0 if k == 0 else l) for k in range(n)) + f'<site name="tip" pos="{l} 0 0"/>'
    # the first axis points along the chain: down at 45 degrees, so a turn by +45 degrees about y
    xml = (
        f'<mujoco><option timestep="{dt}" integrator="{integrator}" gravity="0 0 {-G}">'
        '<flag contact="disable"/></option><compiler angle="degree"/><worldbody>'
        f'<body euler="0 45 0">{inner}{"</body>" * n}</body></worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    steps = round(duration / dt)
    begin = time.process_time()
    mujoco.mj_step(model, data, steps)
    wall = time.process_time() - begin
    mujoco.mj_forward(model, data)
    return data.site("tip").xpos.copy(), wall


def pinocchio_chain(n, *, duration=1.0, dt=1e-3):
    """Thin rods on spherical joints in Pinocchio, with RK4 around its articulated-body algorithm."""
    import pinocchio as pin

    l, m = LENGTH / n, MASS / n
    inertia = pin.Inertia(m, np.array([l / 2, 0, 0]), np.diag([SPIN, m * l * l / 12, m * l * l / 12]))
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -G])
    turned = pin.SE3(pin.rpy.rpyToMatrix(0, np.pi / 4, 0), np.zeros(3))
    parent = 0
    for k in range(n):
        place = turned if k == 0 else pin.SE3(np.eye(3), np.array([l, 0, 0]))
        parent = model.addJoint(parent, pin.JointModelSpherical(), place, f"joint{k}")
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    data = model.createData()
    q, v, none = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    move = pin.integrate

    def accelerate(q, v):
        return pin.aba(model, data, q, v, none).copy()

    begin = time.process_time()
    for _ in range(round(duration / dt)):
        a1 = accelerate(q, v)
        v2 = v + dt / 2 * a1
        a2 = accelerate(move(model, q, dt / 2 * v), v2)
        v3 = v + dt / 2 * a2
        a3 = accelerate(move(model, q, dt / 2 * v2), v3)
        v4 = v + dt * a3
        a4 = accelerate(move(model, q, dt * v3), v4)
        q = move(model, q, dt / 6 * (v + 2 * v2 + 2 * v3 + v4))
        v = v + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    wall = time.process_time() - begin
    pin.forwardKinematics(model, data, q)
    tip = data.oMi[parent]
    return tip.translation + tip.rotation @ np.array([l, 0, 0]), wall


def dart_chain(n, *, duration=1.0, dt=1e-3):
    """Thin rods on ball joints in DART, with its semi-implicit Euler steps.

    It is no requirement of ours, as its wheel puts a package named `tests` beside everything else.
    """
    import dartpy as dart

    l, m = LENGTH / n, MASS / n
    inertia = dart.dynamics.Inertia(
        m, np.array([l / 2, 0, 0]), np.diag([SPIN, m * l * l / 12, m * l * l / 12])
    )
    c = np.sqrt(0.5)
    skeleton, parent = dart.dynamics.Skeleton(), None
    for k in range(n):
        joint, body = skeleton.createBallJointAndBodyNodePair(*([] if parent is None else [parent]))
        place = dart.math.Isometry3()
        if k == 0:
            place.set_rotation(np.array([[c, 0, c], [0, 1, 0], [-c, 0, c]]))
        else:
            place.set_translation([l, 0, 0])
        joint.setTransformFromParentBodyNode(place)
        body.setInertia(inertia)
        parent = body
    world = dart.simulation.World()
    world.addSkeleton(skeleton)
    world.setTimeStep(dt)
    world.setGravity([0, 0, -G])
    begin = time.process_time()
    for _ in range(round(duration / dt)):
        world.step()
    wall = time.process_time() - begin
    return np.asarray(parent.getWorldTransform().multiply([l, 0, 0])).ravel(), wall


MOORDYN = """MoorDyn v2 input
---------------------- LINE TYPES -----------------------------------
Name Diam Mass EA BA EI Cd Ca CdAx CaAx
(name) (m) (kg/m) (N) (N-s) (N-m^2) (-) (-) (-) (-)
rope 0.001 1.0 {ea} {ba} 0 0 0 0 0
---------------------- POINTS ---------------------------------------
ID Attachment X Y Z Mass Volume CdA CA
(#) (word) (m) (m) (m) (kg) (m^3) (m^2) (-)
1 Fixed 0 0 0 0 0 0 0
2 Free {x} 0 {z} {tip} 0 0 0
---------------------- LINES ----------------------------------------
ID LineType AttachA AttachB UnstrLen NumSegs Outputs
(#) (name) (#) (#) (m) (-) (-)
1 rope 1 2 {length} {n} -
---------------------- OPTIONS --------------------------------------
0 writeLog
{dt} dtM
{scheme} tScheme
9.81 g
1e-9 WtrDnsty
100 WtrDpth
0 TmaxIC
0 ICgenDynamic
----------------------- need this line ------------------------------
"""


def moordyn_chain(n, *, duration=1.0, dt=1e-3, ea=1e6, ba=0.0, scheme="RK4", every=1e-2, reach=1.0):
    """An extensible line in MoorDyn; its nodes at the start, (n + 1, 3), too, as it chooses them itself."""
    import moordyn

    x = reach * LENGTH / np.sqrt(2)
    text = MOORDYN.format(ea=ea, ba=ba, x=x, z=-x, tip=0, length=LENGTH, n=n, dt=dt, scheme=scheme)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lines.txt"
        file.write_text(text)
        system = moordyn.Create(str(file))
        moordyn.Init(system, [], [])
        line = moordyn.GetLine(system, 1)
        start = np.array([moordyn.GetLineNodePos(line, k) for k in range(n + 1)])
        begin = time.process_time()
        t = 0.0
        for _ in range(round(duration / every)):
            moordyn.Step(system, [], [], t, every)
            t += every
        wall = time.process_time() - begin
        tip = np.array(moordyn.GetLineNodePos(line, n))
        moordyn.Close(system)
    return tip, wall, start
