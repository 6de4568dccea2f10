from dataclasses import replace

import numpy as np
import pytest

from dovetail.core.recording import Recording
from dovetail.report.judged import Judged, RunView, limit_uses
from dovetail.report.page_subject import Reported


def test_a_run_is_compared_with_its_reference(late, reference, make):
    found = Judged(RunView(late, reference, make.stability(3e-3)))
    assert found.comparison.delay == pytest.approx(3e-3, abs=1e-5)
    assert found.verdict.sentence.startswith("Stable")
    assert found.notes == []


def test_a_run_that_is_not_finite_is_shown_up_to_that_time(late, reference):
    data = late.data.copy(deep=True)
    data["displacement"][2000:] = np.nan
    found = Judged(RunView(replace(late, recording=Recording.from_dataset(data)), reference))
    assert found.data.sizes["time"] == 2000
    assert found.comparison is not None
    assert "From t = 2 s a signal is NaN or infinite" in found.notes[0]


def test_a_run_that_cannot_be_compared_states_it(late, make):
    reference = make.reference(duration=0.5)
    shifted = Reported(reference.data.assign_coords(time=reference.data.time + 0.4e-3))
    found = Judged(RunView(late, shifted))
    assert found.comparison is None
    assert "No comparison with the reference" in found.notes[0]


def test_limits_are_compared_with_recorded_signals(late):
    uses = {use.name: use for use in limit_uses(Judged(RunView(late)))}
    assert uses["displacement"].reached == pytest.approx(float(abs(late.data.displacement).max()))
    assert uses["displacement"].limit == 0.05
    assert uses["tracking error"].reached == pytest.approx(
        float(abs(late.data.displacement - late.data.measured_displacement).max())
    )
    assert uses["force"].unit == "N"


def test_a_bare_dataset_will_do(late):
    found = Judged(RunView(late.data))
    assert found.title == "Hybrid test"
    assert found.test == {}


def test_axes_have_names(late, two_axes):
    assert Judged(RunView(late)).axis_names() == [""]
    assert Judged(RunView(two_axes)).axis_names() == ["1", "2"]
