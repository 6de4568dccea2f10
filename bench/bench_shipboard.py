"""Speed of deck landings relative to real time: full and reduced models, planar and spatial.

Processor time on one core after compiling, in a process that is limited to one core, because waiting threads would
count too. Beside it stands the distance of the trajectory to one with tolerances a hundred times tighter. The last row
is a drop of the same mass on two feet in MuJoCo, rigid legs on springs.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from sizes import sized

from dovetail.studies.shipboard.assembly import loaded

CASES = {  # test, changed values, duration [s], target: simulated time over processor time
    "planar landing, full model": ("case-1", (("rate", 100.0),), 5.0, 5.0),
    "planar landing, 4 modes": ("case-1", (("rate", 100.0), ("numerical.gear.mode_count", 4)), 5.0, 20.0),
    "planar mission, full model": ("case-8", (), 47.0, 5.0),
    "planar mission, 4 modes": ("case-8", (("numerical.gear.mode_count", 4),), 47.0, 20.0),
    "spatial landing, 24 nodes": ("spatial-drop", (), 2.0, 1.0),
    "spatial landing, 12 modes": ("spatial-drop-reduced", (), 2.0, 5.0),
}
TIGHT = (("method.rtol", 1e-6), ("method.atol", 1e-6), ("method.event_tolerance", 1e-9))
SHORT = 0.4  # [s] at small size, long enough for a touchdown
ONE_CORE = {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def measured(case):
    """Return seconds of a run, largest distance to the accurate run [m], accepted and rejected steps."""
    name, changes, duration, _ = CASES[case]
    changes += (("duration", sized(duration, SHORT)),)
    test = loaded(name, changes)
    test.simulate()
    times = []
    for _ in range(sized(3, 1)):
        start = time.process_time()
        data = test.simulate().data
        times.append(time.process_time() - start)
    reference = loaded(name, changes + TIGHT).simulate().data
    difference = np.abs(data["displacement"].values - reference["displacement"].values).max()
    return [float(np.median(times)), float(difference), *data["solver_steps"].values[-1, :2].tolist()]


@pytest.mark.parametrize("case", CASES)
def test_landing_speed(case, figure):
    *_, duration, target = CASES[case]
    process = subprocess.run(
        [sys.executable, __file__, case],
        env=os.environ | ONE_CORE,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, difference, steps, rejected = json.loads(process.stdout.splitlines()[-1])
    each = 1e6 * seconds / (steps + rejected)
    accuracy = f"{1e3 * difference:.3f} mm from tight tolerances; {steps:.0f} + {rejected:.0f} steps of {each:.0f} us"
    figure(case, sized(duration, SHORT) / seconds, "x real", target=target, accuracy=accuracy)
    assert np.isfinite(difference)


def test_drop_in_mujoco(figure):
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
    for _ in range(sized(5000, 100)):
        mujoco.mj_step(model, data)
    seconds = time.process_time() - start
    figure("MuJoCo, rigid legs, 1 ms", data.time / seconds, "x real", accuracy="two feet on slides, no beams")
    assert np.isfinite(data.qpos).all()


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
