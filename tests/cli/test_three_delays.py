"""Figure of the demonstration."""

import dovetail as dv
from dovetail.cli.three_delays import draw


def test_the_figure_has_one_panel_per_case_and_marks_the_limit(tmp_path):
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
