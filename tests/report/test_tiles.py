"""The three answers at the head of a page."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.report import RunView, tiles
from dovetail.report.judged import Judged
from dovetail.report.page_subject import Reported
from dovetail.testing.acceptance import Accept
from dovetail.testing.outcome import Outcome


def of(run, ideal=None, stability=None, **more):
    return tiles.rehearsed(Judged(RunView(run, ideal, stability, **more)))


def with_accept(run, **asked):
    return replace(run, test=SimpleNamespace(accept=Accept(**asked), numerical=None))


def test_a_page_answers_what_happened_whether_it_is_stable_and_whether_to_believe_it(late, ideal, make):
    happened, stable, believed = of(late, ideal, make.stability(3e-3))
    assert happened.answer == "The test ran to its end"
    assert stable.answer == "Stable"
    assert stable.tone == "good"
    assert "% off the ideal" in believed.answer


def test_without_a_demand_nothing_is_coloured(late, ideal):
    happened, stable, believed = of(late, ideal)
    assert (happened.tone, stable.tone, believed.tone) == ("plain", "plain", "plain")
    assert "says nothing of what it accepts" in believed.text


@pytest.mark.parametrize(("error", "tone"), [(0.5, "good"), (0.001, "bad")])
def test_a_demand_gives_the_colour(late, ideal, error, tone):
    believed = of(with_accept(late, error=error), ideal)[2]
    assert believed.tone == tone
    assert believed.answer.startswith("Yes" if tone == "good" else "No")


def test_a_demand_that_cannot_be_told_is_no_yes(late):
    believed = of(with_accept(late, error=0.5))[2]
    assert believed.tone == "caution"


def test_why_stability_cannot_be_said_is_said(late):
    stable = of(late, why="the specimen exerts no force at rest")[1]
    assert (stable.answer, stable.text) == ("Cannot be said", "The specimen exerts no force at rest.")


def test_a_run_that_met_a_limit_is_told_so(unstable, ideal, make):
    happened, stable, _ = of(unstable, ideal, make.stability(9e-3))
    assert happened.tone == "bad"
    assert happened.answer == "The demand reached the displacement limit"
    assert stable.answer == "Unstable"


def test_an_event_is_the_headline_and_another_one_of_the_ideal_is_told(late):
    run = replace(late, outcome=Outcome.PARTED)
    other = Reported(late.data, outcome=Outcome.JOINED)
    happened, _, believed = of(run, other)
    assert happened.answer == "The two sides parted without having joined"
    assert believed.answer == "It ends otherwise than the ideal"
    assert "joined" in believed.text


def test_rounding_is_no_headline(late):
    data = late.data.assign(measured_displacement=late.data["displacement"] * (1 + 1e-15))
    run = replace(late, data=data)
    believed = of(run, Reported(data))[2]
    assert "e-1" not in believed.answer + believed.text
    assert believed.answer == "0 % off the ideal"


def test_a_simulation_is_held_against_its_own_books():
    import xarray as xr

    t = np.linspace(0, 1, 11)
    about = {"units": "J"}
    data = xr.Dataset(
        {"kinetic_energy": ("time", 10 * t, about), "energy_residual": ("time", 0.02 * t, about)}, {"time": t}
    )
    run = Reported(
        data, mode="simulate", outcome=Outcome.FINISHED, test=SimpleNamespace(accept=None, numerical=None)
    )
    happened, stable, believed = tiles.simulated(run)
    assert happened.answer == "The simulation ran to its end"
    assert stable.answer == "There is no loop"
    assert believed.answer == "Energy adds up to within 0.2 %"
    assert believed.tone == "plain"
    run.test.accept = Accept(residual=1e-3)
    assert tiles.simulated(run)[2].tone == "bad"


def test_a_run_without_a_rig_is_the_ideal_and_has_no_delay(ideal, make):
    free = Reported(ideal.data, mode="emulate", outcome=ideal.outcome, given=ideal.given)
    _, stable, believed = tiles.rehearsed(Judged(RunView(free, None, make.stability(3e-3))))
    assert (stable.answer, stable.tone) == ("There is no rig in it", "plain")
    assert stable.text.startswith("Nothing in this run is late. On its rig: stable. The rig's delay of 3 ms")
    assert (believed.answer, believed.tone) == ("It is the ideal", "plain")


def test_what_happened_is_said_in_few_words_and_the_rest_below(late):
    tile = of(replace(late, outcome=Outcome.INTERRUPTED))[0]
    assert tile.answer == "The operator interrupted the test"
    assert tile.text.startswith("What was computed until then is kept.")
