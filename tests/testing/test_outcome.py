"""Outcomes are sentences."""

from dovetail.testing import Outcome, Trip


def test_every_outcome_is_a_sentence_and_round_trips():
    for outcome in Outcome:
        assert outcome.value[0].isupper()
        assert outcome.value.endswith(".")
        assert Outcome.from_code(outcome.code) is outcome


def test_only_expected_outcomes_count_as_completed():
    done = [Outcome.FINISHED, Outcome.LATCHED, Outcome.DOCKED, Outcome.SEPARATED]
    assert [o for o in Outcome if o.completed] == done
    assert Outcome.FINISHED.code == 0


def test_a_trip_reads_as_a_line():
    trip = Trip("measured_force", 101.23, 100.0, 3.5, "N")
    assert str(trip) == "measured force 101.2 N (limit 100 N) at 3.5 s"
    assert (
        str(Trip("contact_energy_gain", 0.5, 0.01, 3.5, "1"))
        == "contact energy gain 0.5 (limit 0.01) at 3.5 s"
    )
