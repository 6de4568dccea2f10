"""What a substructure says of its excitation reaches the recording."""

import dovetail as dv
from dovetail.mechanics import Frame, Oscillator, Substructure


def test_an_excitation_is_a_motion_by_default():
    assert Substructure.excitation_unit == Oscillator.excitation_unit == "m"
    assert Frame.excitation_unit == "m/s^2"


def test_the_recording_has_the_unit_of_the_substructure():
    frame = Frame(mass=[2.0], stiffness=[[2250.0]], damping_ratio=0.05)
    rig = dv.Rig(dv.transfer.Delay(1e-3), dv.specimens.Spring(k=100.0))
    for numerical, unit in ((frame, "m/s^2"), (Oscillator(m=2.0, c=1.0, k=2250.0), "m")):
        test = dv.Test(numerical, rig, excitation=dv.Pulse(amplitude=0.01, duration=0.005), duration=0.01)
        assert test.rehearse().data["excitation"].attrs["units"] == unit
