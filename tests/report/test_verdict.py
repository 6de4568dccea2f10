import dataclasses
import math

import numpy as np
import pytest

from dovetail.fidelity import compare
from dovetail.report.verdict import Margins, of_ideal, tone, verdict, word
from dovetail.testing.outcome import Outcome

DONE = Outcome.FINISHED
STOPPED = Outcome.FORCE


def of(**said):
    return Margins.of(Margins(**said))


def test_what_was_not_said_is_nothing():
    assert Margins.of(None) == Margins()
    assert of(critical_delay=math.nan, delay=None).critical_delay is None


def test_a_margin_follows_from_the_two_delays_and_the_hold():
    assert of(critical_delay=6.77e-3, delay=3e-3).margin == pytest.approx(3.77e-3)
    assert of(critical_delay=6.77e-3, delay=3e-3, half_tick=0.5e-3).margin == pytest.approx(3.27e-3)


def test_force_sensor_and_held_command_count_and_are_named():
    late = of(critical_delay=6.77e-3, delay=1e-3, sensor_delay=2e-3, command_hold=5e-4, half_tick=5e-4)
    assert late.margin == pytest.approx(2.77e-3)
    words = (
        "delay of 1 ms, its force sensor's 2 ms, the 0.5 ms of holding the command and the 0.5 ms of holding"
    )
    assert words in verdict(late, DONE).sentence
    assert "leave 2.77 ms of the critical 6.77 ms" in verdict(late, DONE).sentence


def test_of_several_axes_the_worst_counts():
    found = of(critical_delay=6e-3, delay=np.array([3e-3, 5e-3]))
    assert found.delay == 5e-3
    assert found.margin == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("delay", "says", "how"),
    [(3e-3, "Stable", "good"), (6.2e-3, "Close to its limit", "caution"), (9.4e-3, "Unstable", "bad")],
)
def test_the_three_cases_of_the_demonstration(delay, says, how):
    margins = of(critical_delay=6.77e-3, delay=delay)
    assert (word(margins, DONE), tone(margins, DONE)) == (says, how)
    assert verdict(margins, DONE).sentence.startswith(f"{says}: the rig's delay of {1e3 * delay:.3g} ms")


def test_the_loop_as_it_runs_has_the_last_word():
    said = dict(critical_delay=6.77e-3, delay=9.4e-3, growth_rate=-1.0, pole_frequency=7.0)
    compensated = of(**said, compensated=True, margin=4e-3)
    assert compensated.stable
    assert "the compensator makes up for" in verdict(compensated, DONE).sentence
    for alone in (of(**said), of(**said, island=(8e-3, 12e-3), margin=2e-3)):
        assert "compensator" not in verdict(alone, DONE).sentence  # there is none
    assert "yet the loop as it runs decays at 1 1/s at 7 Hz" in verdict(of(**said), DONE).sentence
    island = verdict(of(**said, island=(8e-3, 12e-3), margin=2e-3), DONE).sentence
    assert (
        "exceeds the critical 6.77 ms and lies in an island of stable delays between 8 ms and 12 ms" in island
    )
    worse = of(critical_delay=6.77e-3, delay=3e-3, growth_rate=2.0)
    assert worse.stable is False
    assert "yet the loop as it runs grows at 2 1/s" in verdict(worse, DONE).sentence


def test_a_stopped_run_says_why_and_is_bad():
    said = verdict(of(critical_delay=6.77e-3, delay=9.4e-3), STOPPED, trip="force 101 N (limit 100 N) at 2 s")
    assert (
        "The measured force reached its limit, so the test was stopped. Stopped at force 101 N (limit 100 N) at 2 s."
        in said.sentence
    )
    assert said.tone == "bad"
    assert word(of(critical_delay=6.77e-3, delay=3e-3), STOPPED) == "Stopped"


def test_no_analysis_is_said():
    said = verdict(Margins(), DONE)
    assert said.sentence == "Not analysed: the stability of this loop was not analysed."
    assert said.tone == "caution"


def test_why_nothing_can_be_said_is_said():
    said = verdict(Margins(why="the specimen exerts no force at rest"), DONE)
    assert said.sentence == "Stability cannot be said: the specimen exerts no force at rest."


def test_a_run_without_a_rig_is_the_ideal():
    assert of_ideal(DONE).sentence == "The ideal: no rig is in this run, so nothing in it is late."
    stopped = of_ideal(STOPPED, "force 101 N (limit 100 N) at 2 s")
    assert stopped.tone == "bad"
    assert stopped.sentence.endswith("so the test was stopped. Stopped at force 101 N (limit 100 N) at 2 s.")


def test_a_loop_that_no_delay_destabilises():
    said = verdict(of(critical_delay=math.inf, delay=3e-3), DONE)
    assert said.sentence == "Stable: no delay destabilises this loop."


def test_the_error_of_the_rig_is_in_the_sentence(late, ideal):
    said = verdict(of(critical_delay=6.77e-3, delay=3e-3), DONE, compare(late, ideal))
    assert "The rig changes the response by " in said.sentence
    assert "% rms" in said.sentence


def test_a_specimen_that_is_not_linear_may_hold_where_small_motion_grows():
    margins = of(critical_delay=0.28e-3, delay=5.88e-3, growth_rate=21.8, near_rest=True)
    assert tone(margins, DONE) == "caution"
    assert verdict(margins, DONE).sentence.startswith("Held, with small motion unstable: the rig's delay")
    assert tone(margins, STOPPED) == "bad"
    assert word(margins, STOPPED) == "Unstable"


def test_an_axis_at_rest_does_not_hide_the_error_of_the_others(late, ideal):
    found = compare(late, ideal)
    still = {name: np.array([np.nan, value]) for name, value in found.rms.items()}
    said = verdict(of(critical_delay=6.77e-3, delay=3e-3), DONE, dataclasses.replace(found, rms=still))
    assert said.sentence == verdict(of(critical_delay=6.77e-3, delay=3e-3), DONE, found).sentence
