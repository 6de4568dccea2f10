"""Row of a job."""

from dovetail.app.jobs import STATES as ENDS
from dovetail.studio.jobs import STATES


def test_every_state_of_a_job_has_a_label():
    assert {*ENDS.values(), "runs", "failed"} <= set(STATES)
