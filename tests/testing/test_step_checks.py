import math

import numpy as np
import pytest

import dovetail as dv
from dovetail.compensation import BlendedForce
from dovetail.core.errors import StepSizeError
from dovetail.mechanics import Oscillator
from dovetail.mechanics.contact import FreePair, Hertz
from dovetail.specimens import ImpactPair, Spring, StandardLinearSolid
from dovetail.testing import ReferenceSettings
from dovetail.testing.step_checks import min_contact_steps, step_faults

FAST = StandardLinearSolid(k=10.0, tau=1e-4)  # 10 krad/s
NONE = dv.transfer.Series(())


def made(**more):
    parts = {"numerical": Oscillator(m=1.0, c=1.0, k=100.0), "rig": dv.Rig(NONE, Spring(k=10.0))}
    return dv.Test(**{**parts, **more})


def test_each_part_is_checked_with_its_own_method_and_step():
    assert step_faults(made()) == []
    found = {
        "rate": made(numerical=Oscillator(m=1.0, c=1.0, k=1e9)),
        "rig.specimen": made(rig=dv.Rig(NONE, FAST)),
        "feedback.model": made(feedback=BlendedForce(model=FAST)),
    }
    for where, test in found.items():
        (fault,) = step_faults(test)
        assert fault.path == where
        assert "RK4: a step of 0.001 s is unstable for the eigenvalue" in fault.text
    assert step_faults(made(rig=dv.Rig(NONE, FAST, substeps=4))) == []


def test_the_shortest_complete_contact_decides():
    time = np.array([0.0, 0.0, 0.5, 1.5, 1.5, 1.5, 1.9, 1.9, 2.2, 3.2])
    assert min_contact_steps(time, 0.1) == pytest.approx(4.0)  # the last is cut short by the end
    assert min_contact_steps(np.zeros(5), 0.1) == math.inf


def test_steps_of_the_shortest_contact_by_a_plain_count():
    rng = np.random.default_rng(4)
    for _ in range(50):
        gains = np.where(rng.uniform(size=30) < 0.4, rng.uniform(0.1, 1.0, 30), 0.0)
        runs, length = [], 0.0
        for gain in gains:
            if gain == 0 and length > 0:
                runs, length = [*runs, length], 0.0
            length += gain
        shortest = min(runs, default=math.inf)
        assert float(min_contact_steps(np.concatenate([[0.0], np.cumsum(gains)]), 1.0)) == pytest.approx(
            shortest
        )


def test_given_steps_that_do_not_resolve_a_contact_are_rejected():
    bodies = FreePair(m1=50.0, m2=50.0, speed=0.05)
    rig = dv.Rig(NONE, ImpactPair(Hertz(stiffness=1e11), gap=1e-3))
    test = dv.Test(bodies, rig, rate=1000.0, duration=0.05)
    with pytest.raises(StepSizeError, match=r"the shortest contact lasts .* steps .* 16 .*to resolve it"):
        test.reference(ReferenceSettings(substeps=1))
