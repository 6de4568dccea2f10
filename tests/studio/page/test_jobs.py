"""A job in the list."""

from dovetail.studio.doing import STATES as ENDS
from dovetail.studio.page.jobs import STATES


def test_every_state_of_a_job_has_its_words():
    assert {*ENDS.values(), "runs", "failed"} <= set(STATES)
