import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError
from dovetail.report.page_subject import Reported
from dovetail.testing import dump


def test_a_run_is_reported_with_test_mode_and_outcome():
    test = dv.load("substructuring/cs1").with_values(duration=0.01)
    run = test.rehearse()
    known = Reported.from_run(run)
    assert (known.recording, known.title, known.mode, known.outcome) == (
        run.recording,
        run.title,
        "rehearse",
        run.outcome,
    )
    assert known.table() == dump(test)
    assert Reported.from_run(known) is known


def test_a_recording_without_metadata_has_no_test(late):
    known = Reported.from_run(late.recording)
    assert known.recording is late.recording
    assert (known.title, known.outcome, dict(known.table())) == ("", None, {})


def test_other_objects_are_rejected():
    with pytest.raises(ParameterError, match="got str; expected an xarray.Dataset"):
        Reported.from_run("runs/cs1")
