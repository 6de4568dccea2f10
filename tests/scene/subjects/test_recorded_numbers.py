"""Every subject is drawn as recorded: shapes, places, colours, numbers of labels, camera."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.scene import build_scene
from dovetail.studies.registry import find_test
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.outcome import Outcome
from dovetail.testing.run import Run, recording_of
from recorded_numbers import TOLERANCE, scene_columns

TESTS = [
    "capture/tow",
    "capture/sling-load",
    "capture/glider-tow",
    "capture/tip-force",
    "refuelling/latched",
    "refuelling/scaled",
    "refuelling/reel-in-duct",
    "refuelling/full-scale",
    "refuelling/drop",
    "refuelling/validation",
    "docking/six-dof",
    "docking/six-dof-hexapod",
    "docking/impact-4",
    "docking/hil-1dof",
    "docking/testbed",
    "shipboard/case-2",
    "shipboard/case-7",
    "shipboard/spatial-deck",
    "shipboard/hybrid-drop",
    "substructuring/cs1",
    "substructuring/cs2",
    "substructuring/lag-damper",
    "substructuring/rths-benchmark",
]
AT_INTERFACE = {  # size of the signals that a rig adds to the records of the simulation
    "displacement": 0.03,
    "measured_displacement": 0.03,
    "velocity": 0.1,
    "measured_force": 50.0,
    "feedback_force": 50.0,
}


def drawn_run(name: str) -> Run:
    """Return four samples of a test that were not computed: its first output grows; signals of the rig are random."""
    test = dv.load(find_test(name))
    system, mode, force = test.numerical, "simulate", None
    if test.rig is not None:
        system, mode, force = Driven(test.numerical, test.excitation), "rehearse", jnp.zeros(test.shape)
    first = jax.jit(lambda: system.output(0.0, system.init(), force))()
    records = {each: np.multiply.outer([1.0, 1.01, 1.02, 1.03], value) for each, value in first.items()}
    if test.rig is not None:
        random = np.random.default_rng(1)
        records |= {
            each: size * random.standard_normal((4, *test.shape)) for each, size in AT_INTERFACE.items()
        }
    data = recording_of(test, np.arange(4) / test.rate, records, {"mode": mode, "title": test.title})
    return Run(test, mode, data, Outcome.FINISHED)


@pytest.mark.parametrize("name", TESTS)
def test_a_scene_has_the_recorded_numbers(name, num_regression):
    num_regression.check(scene_columns(build_scene(drawn_run(name))), default_tolerance=TOLERANCE)
