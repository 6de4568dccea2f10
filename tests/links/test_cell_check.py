"""The checker: a driver that keeps the rules passes, one that breaks a rule is told which."""

import dataclasses

import numpy as np
import pytest

from dovetail.links import RemoteCell, check_cell


def broken(findings):
    return [finding.rule for finding in findings if not finding.passed]


def test_a_conforming_cell_passes(make_bench):
    assert broken(check_cell(make_bench(axes=6), allow_motion=True)) == []


def test_one_behind_a_port_passes_too(make_bench, serve_cell):
    served = serve_cell(make_bench(axes=6))
    with RemoteCell(served.url, 6) as cell:
        findings = check_cell(cell, allow_motion=False)
    assert broken(findings) == []
    assert served.bench.made == []


def test_without_allow_motion_the_cell_does_not_move(make_bench):
    bench = make_bench()
    check_cell(bench)
    assert bench.made == []


@pytest.mark.parametrize(
    ("flaw", "rule"),
    [
        ("repeats", "a repeated request is answered without a move"),
        ("forgets", "a known run gets its last reply"),
        ("anywhere", "the cell reaches the target and settles"),
        ("any order", "a move with a wrong number is refused"),
        ("nan", "a target that is not finite is refused"),
        ("creeps", "reading does not move the cell"),
        ("axes", "the cell can be read at rest"),
        ("raises", "the cell reaches the target and settles"),
    ],
)
def test_a_protocol_violation_is_reported(make_bench, flaw, rule):
    class Flawed(make_bench):
        def move(self, move):
            if (
                flaw == "raises"
                and len(self.made) == 0
                and np.all(np.isfinite(move.target))
                and move.number == 1
            ):
                raise RuntimeError("out of order")
            if flaw == "any order":
                move = dataclasses.replace(move, number=len(self.made) + 1)
            if flaw == "nan":
                move = dataclasses.replace(move, target=np.nan_to_num(move.target))
            if flaw == "repeats" and self.last and move.number == self.last.number:
                return dataclasses.replace(self.last, clock=self.last.clock + 1)
            if flaw == "anywhere":
                reply = super().move(move)
                return dataclasses.replace(reply, position=reply.position + 1e-3)
            return super().move(move)

        def begin(self, run):
            found = super().begin(run)
            return None if flaw == "forgets" else found

        def read(self):
            if flaw == "creeps":
                self.where = self.where + 1e-4
            found = super().read()
            return dataclasses.replace(found, force=np.zeros(2)) if flaw == "axes" else found

    assert rule in broken(check_cell(Flawed(), allow_motion=True))


def test_a_finding_is_a_line():
    from dovetail.links import ProtocolCheck

    assert str(ProtocolCheck("it rests", True)) == "passed  it rests"
    assert str(ProtocolCheck("it rests", False, "it does not")) == "FAILED  it rests: it does not"
