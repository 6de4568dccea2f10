"""What a campaign says: ranges, failures by cause."""

from dovetail.campaign import answers, run


def test_ranges_and_causes_are_told(small, tmp_path):
    run(small(axis=[{"path": "mass", "values": [-1.0, 1.0, 4.0]}]), tmp_path / "out")
    told = "\n".join(answers(tmp_path / "out"))
    assert "frequency" in told
    assert "5 to 10" in told
    assert "1 points failed" in told
    assert "frequency is not finite (first: point 0)" in told
