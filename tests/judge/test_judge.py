"""Assessments of a few random tests against the loop in C, and the judge itself against known answers."""

import shutil

import pytest

from .__main__ import AGREEMENT, disagreement, judge, too_large
from .specimens import FAMILIES
from .table import passes, table

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
LINEAR = FAMILIES.index("linear")


@pytest.mark.parametrize("number", range(2))
def test_the_loop_in_c_is_the_rehearsal(number):
    assert disagreement(1, number) < AGREEMENT


@pytest.mark.parametrize("numbers", [range(2), pytest.param(range(2, 22), marks=pytest.mark.slow)])
def test_a_sample_has_no_wrong_verdict(numbers):
    graded = [judge(3, number) for number in numbers]
    assert passes(graded), table(graded)


def test_margins_that_are_too_large_are_unsafe():
    graded = [judge(4, number, LINEAR) for number in range(3)]
    finite = [one for one in graded if 2e-3 < one.margin < one.truth.up_to]
    assert finite
    assert not any("unsafe" in one.grades for one in finite)
    assert all("unsafe" in one.grades for one in too_large(finite))
