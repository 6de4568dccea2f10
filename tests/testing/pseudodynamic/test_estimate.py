"""How long a creep test takes: at most, and by a dry run."""

import pytest

from dovetail.testing.pseudodynamic import PlaneGate
from dovetail.testing.pseudodynamic.estimate import Estimate, estimate_duration, format_duration


def test_at_most_there_is_a_move_for_every_step(make_creep):
    found = estimate_duration(make_creep(move_time=2.0, settling_time=1.0))
    assert (found.moves, found.seconds, found.counted) == (30, pytest.approx(90.0), False)
    assert "30 moves of 3 s: 1.5 min" in str(found)


def test_a_dry_run_counts_the_moves_of_the_test(make_creep):
    test = make_creep(delay=0.0, gate=PlaneGate(level=2e-4, side="above"), move_time=0.04, settling_time=0.08)
    found = estimate_duration(test, dry_run=True)
    run = test.run_pseudodynamic()
    assert found.counted
    assert found.moves == run.data.attrs["moves"]
    assert found.seconds == pytest.approx(run.data.attrs["cell_seconds"])


def test_a_dry_run_keeps_the_classical_scheme_and_needs_no_linear_profile_of_a_continuous_one(make_creep):
    """The classical scheme measures also at its start: one move more than there are steps."""
    classical, continuous = (make_creep(delay=0.0, scheme=scheme) for scheme in ("classical", "continuous"))
    assert estimate_duration(classical, dry_run=True).moves == 31
    assert estimate_duration(continuous, dry_run=True).moves == 30


def test_three_seconds_a_step_and_1800_steps_are_an_hour_and_a_half():
    # [Bolien 2018, sec. 4.1]: about 90 minutes
    assert Estimate(1800, 3.0, True).seconds == 90 * 60
    assert format_duration(5400.0) == "1.5 h"
    assert format_duration(4.0) == "4.0 s"
