"""How much faster than real time does an aircraft land on a deck, whole and reduced, in the plane and in space?

CPU seconds of one core after compiling, in a process that is kept to one (threads that wait for a small matrix would
count too), beside the distance of the trajectory to a reference with tolerances a hundred times tighter. The last row
is a drop-and-settle of the same mass on four feet in MuJoCo, rigid legs on springs.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from dovetail.studies.shipboard.assembly import loaded

CASES = {  # test, values changed, length of the run [s], how much faster than real time it should be
    "landing, plane, all freedoms": ("case-1", (("rate", 100.0),), 5.0, 5.0),
    "landing, plane, 4 shapes": ("case-1", (("rate", 100.0), ("system.gear.modes", 4)), 5.0, 20.0),
    "mission, plane, all freedoms": ("case-8", (), 47.0, 5.0),
    "mission, plane, 4 shapes": ("case-8", (("system.gear.modes", 4),), 47.0, 20.0),
    "landing, space, 24 nodes": ("spatial-drop", (), 2.0, 1.0),
    "landing, space, 12 shapes": ("spatial-drop-reduced", (), 2.0, 5.0),
}
TIGHT = (("method.rtol", 1e-6), ("method.atol", 1e-6), ("method.event", 1e-9))


ONE_CORE = {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def measured(case):
    """Seconds of one run, largest distance to the reference [m], steps, and steps taken again."""
    name, changes, _, _ = CASES[case]
    test = loaded(name, changes)
    test.simulate()
    spent = []
    for _ in range(3):
        start = time.process_time()
        data = test.simulate().data
        spent.append(time.process_time() - start)
    reference = loaded(name, changes + TIGHT).simulate().data
    apart = np.abs(data["displacement"].values - reference["displacement"].values).max()
    return [float(np.median(spent)), float(apart), *data["solver_count"].values[-1, :2].tolist()]


@pytest.mark.parametrize("case", CASES)
def test_landing_speed(case, figure):
    _, _, duration, target = CASES[case]
    said = subprocess.run(
        [sys.executable, __file__, case],
        env=os.environ | ONE_CORE,
        capture_output=True,
        text=True,
        check=True,
    )
    spent, apart, steps, again = json.loads(said.stdout.splitlines()[-1])
    each = 1e6 * spent / (steps + again)
    accuracy = (
        f"{1e3 * apart:.3f} mm from the tight reference; {steps:.0f} + {again:.0f} steps of {each:.0f} us"
    )
    figure(case, duration / spent, "x real", target=target, accuracy=accuracy)
    assert np.isfinite(apart)


def test_mujoco_drop_and_settle(figure):
    mujoco = pytest.importorskip("mujoco")
    feet = "".join(
        f'<body pos="0 {y} -0.44"><joint type="slide" axis="0 0 1" stiffness="12500" damping="250"/>'
        f'<geom type="sphere" size="0.01" mass="0.06"/></body>'
        for y in (-0.35, 0.35)
    )
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="5 5 1" pos="0 0 0.1"/>
        <body pos="0 0 0.8"><freejoint/><inertial pos="0 0 0" mass="50" diaginertia="6.25 6.25 6.25"/>{feet}</body>
        </worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    start = time.process_time()
    for _ in range(5000):
        mujoco.mj_step(model, data)
    spent = time.process_time() - start
    figure("MuJoCo, rigid legs, 1 ms", 5 / spent, "x real", accuracy="two feet on slides, no beams")
    assert np.isfinite(data.qpos).all()


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
