import dovetail as dv
from dovetail.compensation import BlendedForce
from dovetail.mechanics import Oscillator
from dovetail.specimens import Spring, StandardLinearSolid
from dovetail.testing.step_checks import step_faults

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
