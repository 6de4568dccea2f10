"""Figure of the demonstration."""

import dovetail as dv
from dovetail.cli.three_delays import draw


def test_the_picture_has_a_panel_a_case_and_marks_where_a_limit_stopped_it(tmp_path):
    def run(delay):
        test = dv.Test(
            numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
            rig=dv.Rig(dv.transfer.Delay(delay), dv.specimens.Spring(k=2250.0)),
            excitation=dv.Sine(amplitude=0.012, frequency=3.0),
            duration=4.0,
            limits=dv.Limits(force=60.0),
        )
        return delay, test.rehearse(), test.reference()

    path = draw({"calm": run(1e-3), "wild": run(12e-3)}, tmp_path / "picture.svg")
    text = path.read_text()
    assert "calm: actuator delay 1.0 ms" in text
    assert "wild: actuator delay 12.0 ms" in text
    assert text.count("stopped by limit") == 1
