import dataclasses
import math

import numpy as np
import pytest

from dovetail.fidelity import compare
from dovetail.fidelity.acceptance import Criterion
from dovetail.report.page import Verdict
from dovetail.report.verdict import Margins, reference_verdict, tone, verdict, with_criteria, word
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.outcome import Outcome

DONE = Outcome.FINISHED
STOPPED = Outcome.FORCE


def of(**values):
    """Margins of a loop whose parts have these delays, as an analysis gives them."""
    parts = ("rig_delay", "sensor_delay", "command_hold_delay", "force_hold_delay")
    if values.get("rig_delay") is not None:
        values = {"loop_delay": sum(values.get(name, 0.0) for name in parts)} | values
        values = {"margin": values["critical_delay"] - values["loop_delay"]} | values
    return Margins.from_stability(Margins(**values))


def test_missing_margins_are_none():
    assert Margins.from_stability(None) == Margins()
    assert of(critical_delay=math.nan, rig_delay=None).critical_delay is None


def test_the_delays_are_those_of_the_analysis():
    """The report adds no delays of its own."""
    stability = load(find_test("substructuring/cs1")).stability()
    margins = Margins.from_stability(stability)
    for name in ("critical_delay", "rig_delay", "force_hold_delay", "loop_delay", "margin"):
        assert getattr(margins, name) == getattr(stability, name), name


def test_sensor_delay_and_command_hold_are_included_and_listed():
    late = of(
        critical_delay=6.77e-3,
        rig_delay=1e-3,
        sensor_delay=2e-3,
        command_hold_delay=5e-4,
        force_hold_delay=5e-4,
    )
    assert late.margin == pytest.approx(2.77e-3)
    parts = "(rig delay 1 ms, sensor delay 2 ms, command hold 0.5 ms, force hold 0.5 ms)"
    assert parts in verdict(late, DONE).sentence
    assert "margin 2.77 ms of the critical delay of 6.77 ms" in verdict(late, DONE).sentence


def test_the_worst_axis_decides():
    found = of(critical_delay=6e-3, rig_delay=np.array([3e-3, 5e-3]))
    assert found.rig_delay == 5e-3
    assert found.margin == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("delay", "summary", "colour"),
    [(3e-3, "Stable", "good"), (6.2e-3, "Small margin", "caution"), (9.4e-3, "Unstable", "bad")],
)
def test_the_three_cases_of_the_demonstration(delay, summary, colour):
    margins = of(critical_delay=6.77e-3, rig_delay=delay)
    assert (word(margins, DONE), tone(margins, DONE)) == (summary, colour)
    sentence = verdict(margins, DONE).sentence
    assert sentence.startswith(f"{summary}: ")
    assert f"(rig delay {1e3 * delay:.3g} ms)" in sentence


def test_the_sampled_loop_decides():
    values = dict(critical_delay=6.77e-3, rig_delay=9.4e-3, growth_rate=-1.0, pole_frequency=7.0)
    compensated = of(**values, has_compensation=True, margin=4e-3)
    assert compensated.stable
    assert "the compensator corrects" in verdict(compensated, DONE).sentence
    for alone in (of(**values), of(**values, stable_interval=(8e-3, 12e-3), margin=2e-3)):
        assert "compensator" not in verdict(alone, DONE).sentence  # there is none
    assert "but the sampled loop decays at 1 1/s at 7 Hz" in verdict(of(**values), DONE).sentence
    interval = verdict(of(**values, stable_interval=(8e-3, 12e-3), margin=2e-3), DONE).sentence
    assert (
        "exceeds the critical delay of 6.77 ms and lies in a stable delay interval between 8 ms and 12 ms"
        in interval
    )
    worse = of(critical_delay=6.77e-3, rig_delay=3e-3, growth_rate=2.0)
    assert worse.stable is False
    assert "but the sampled loop grows at 2 1/s" in verdict(worse, DONE).sentence


def test_a_stopped_run_states_the_reason_and_is_red():
    result = verdict(
        of(critical_delay=6.77e-3, rig_delay=9.4e-3), STOPPED, trip="force 101 N (limit 100 N) at 2 s"
    )
    assert (
        "the measured force reached the force limit. Limit reached: force 101 N (limit 100 N) at 2 s."
        in result.sentence
    )
    assert result.tone == "bad"
    assert word(of(critical_delay=6.77e-3, rig_delay=3e-3), STOPPED) == "Stopped"


def test_a_missing_analysis_is_stated():
    result = verdict(Margins(), DONE)
    assert result.sentence == "Not analysed: stability was not analysed."
    assert result.tone == "caution"


def test_the_reason_of_an_undetermined_verdict_is_stated():
    result = verdict(Margins(why="the specimen exerts no force at rest"), DONE)
    assert "not determined" in result.sentence
    assert "the specimen exerts no force at rest" in result.sentence


def test_a_run_without_a_rig_is_the_reference_solution():
    assert reference_verdict(DONE).sentence.startswith("Reference solution")
    stopped = reference_verdict(STOPPED, "force 101 N (limit 100 N) at 2 s")
    assert stopped.tone == "bad"
    assert stopped.sentence.endswith("Limit reached: force 101 N (limit 100 N) at 2 s.")


def test_a_loop_stable_for_any_delay_is_reported():
    result = verdict(of(critical_delay=math.inf, rig_delay=3e-3), DONE)
    assert result.sentence == "Stable: for any delay."


def test_the_error_of_the_rig_is_in_the_sentence(late, reference):
    result = verdict(of(critical_delay=6.77e-3, rig_delay=3e-3), DONE, compare(late, reference))
    assert f"Response error {compare(late, reference).text('rms.e1')}," in result.sentence


def test_a_nonlinear_specimen_may_be_stable_where_small_motion_grows():
    margins = of(critical_delay=0.28e-3, rig_delay=5.88e-3, growth_rate=21.8, small_motion_only=True)
    assert tone(margins, DONE) == "caution"
    assert verdict(margins, DONE).sentence.startswith("Stable run, unstable at rest: ")
    assert tone(margins, STOPPED) == "bad"
    assert word(margins, STOPPED) == "Unstable"


def test_an_axis_at_rest_does_not_hide_the_error_of_the_others(late, reference):
    found = compare(late, reference)
    still = {name: np.array([np.nan, value]) for name, value in found.rms.items()}
    result = verdict(of(critical_delay=6.77e-3, rig_delay=3e-3), DONE, dataclasses.replace(found, rms=still))
    assert result.sentence == verdict(of(critical_delay=6.77e-3, rig_delay=3e-3), DONE, found).sentence


def test_a_marginal_loop_is_neither_stable_nor_unstable():
    stability = dataclasses.replace(load(find_test("substructuring/cs1")).stability(), marginal=True)
    margins = Margins.from_stability(stability)
    assert word(margins, DONE) == stability.word == "Marginal"
    assert tone(margins, DONE) == "caution"


def test_a_criterion_that_is_not_met_is_in_the_verdict_and_gives_its_colour():
    stable = Verdict("Stable: delay margin 3 ms.", "good")
    missed, close = (
        Criterion("rebound speed error", 0.53, 0.1),
        Criterion("error", 0.08, 0.1, is_default=True),
    )
    found = with_criteria(stable, [missed, close])
    assert found.tone == "bad"
    assert found.sentence.endswith("Not accepted: rebound speed error 53 %, maximum 10 %.")
    assert with_criteria(stable, [close]).tone == "caution"
    assert with_criteria(stable, []) == stable
    assert with_criteria(Verdict("Unstable.", "bad"), [Criterion("error", 0.01, 0.1)]).tone == "bad"
