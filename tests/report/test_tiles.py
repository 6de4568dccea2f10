"""Summary tiles: outcome, stability, accuracy."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.core.recording import Recording
from dovetail.report import RunView, tiles
from dovetail.report.judged import Judged
from dovetail.report.page_subject import Reported
from dovetail.testing.acceptance import Accept
from dovetail.testing.outcome import Outcome, Trip


def of(run, reference=None, stability=None, **more):
    return tiles.hybrid_tiles(Judged(RunView(run, reference, stability, **more)))


def with_accept(run, **criteria):
    return replace(run, test=SimpleNamespace(accept=Accept(**criteria), numerical=None))


def test_a_page_has_tiles_for_outcome_stability_and_accuracy(late, reference, make):
    outcome, stable, accuracy = of(late, reference, make.stability(3e-3))
    assert outcome.answer == "Finished"
    assert stable.answer == "Stable"
    assert stable.tone == "good"
    assert accuracy.answer.startswith("Response error ")


def test_without_criteria_the_default_limit_gives_the_colour(late, reference):
    outcome, stable, accuracy = of(late, reference)
    assert (outcome.tone, stable.tone) == ("plain", "plain")
    assert "maximum 10 %." in accuracy.text
    assert "Limits: default limits" in accuracy.text
    error = float(Judged(RunView(late, reference)).comparison.rms["e1"])
    assert accuracy.tone == ("good" if error <= 0.05 else "caution" if error <= 0.1 else "bad")


@pytest.mark.parametrize(("error", "tone"), [(0.5, "good"), (0.001, "bad")])
def test_a_criterion_gives_the_colour(late, reference, error, tone):
    accuracy = of(with_accept(late, response_error=error), reference)[2]
    assert accuracy.tone == tone
    assert accuracy.answer.startswith("Response error ")


def test_the_source_of_a_criterion_is_named(late, reference):
    accuracy = of(with_accept(late, response_error=0.5, reason="scatter of the springs"), reference)[2]
    assert accuracy.text.endswith("Limits: scatter of the springs.")


def test_a_run_that_a_limit_stopped_is_not_accepted_however_small_its_error(late, reference):
    stopped = replace(with_accept(late, response_error=0.5), outcome=Outcome.FORCE)
    accuracy = of(stopped, reference)[2]
    assert (accuracy.tone, accuracy.answer) == ("bad", "1 of 2 criteria not met")


def test_a_criterion_that_is_not_evaluated_is_a_caution(late):
    accuracy = of(with_accept(late, response_error=0.5))[2]
    assert accuracy.tone == "caution"


def test_a_tile_has_the_reason_why_stability_is_not_determined(late):
    stable = of(late, why="the specimen exerts no force at rest")[1]
    assert (stable.answer, stable.text) == ("Not determined", "The specimen exerts no force at rest.")


def test_a_run_stopped_by_a_limit_has_a_tile(unstable, reference, make):
    outcome, stable, _ = of(unstable, reference, make.stability(9e-3))
    assert outcome.tone == "bad"
    assert outcome.answer == "Stopped"
    assert stable.answer == "Unstable"


def test_a_breach_is_listed_with_its_value(unstable, reference):
    trip = Trip("displacement", 0.0505, 0.05, 2.082, "m")
    assert f"Limit reached: {trip}" in of(replace(unstable, trip=trip), reference)[0].text


def test_a_run_without_a_breach_names_no_limit(late, reference):
    assert "Limit reached" not in of(late, reference)[0].text


def test_an_event_is_the_headline_with_the_outcome_of_the_reference(late):
    run = replace(late, outcome=Outcome.SEPARATED)
    other = Reported(late.data, outcome=Outcome.DOCKED)
    outcome, _, accuracy = of(run, other)
    assert outcome.answer == "Separated without docking"
    assert accuracy.tone == "bad"
    assert "required: docked" in accuracy.text


def test_rounding_does_not_appear_in_the_headline(late):
    data = late.data.assign(measured_displacement=late.data["displacement"] * (1 + 1e-15))
    run = replace(late, recording=Recording.from_dataset(data))
    accuracy = of(run, Reported(data))[2]
    assert "e-1" not in accuracy.answer + accuracy.text
    assert accuracy.answer == "Response error 0 %"


def test_a_simulation_shows_its_energy_balance():
    import xarray as xr

    t = np.linspace(0, 1, 11)
    about = {"units": "J"}
    data = xr.Dataset(
        {"kinetic_energy": ("time", 10 * t, about), "energy_residual": ("time", 0.02 * t, about)}, {"time": t}
    )
    run = Reported(
        data, mode="simulate", outcome=Outcome.FINISHED, test=SimpleNamespace(accept=None, numerical=None)
    )
    outcome, stable, accuracy = tiles.simulation_tiles(run)
    assert outcome.answer == "Finished"
    assert stable.answer == "Open loop"
    assert accuracy.answer == "Energy residual, relative 0.2 %"
    assert accuracy.tone == "good"
    run.test.accept = Accept(energy_residual=1e-3)
    assert tiles.simulation_tiles(run)[2].tone == "bad"


def test_a_reference_solution_has_no_delay(reference, make):
    free = Reported(reference.data, mode="reference", outcome=reference.outcome, given=reference.given)
    _, stable, accuracy = tiles.hybrid_tiles(Judged(RunView(free, None, make.stability(3e-3))))
    assert (stable.answer, stable.tone) == ("No rig in this run", "plain")
    assert "With its rig: stable." in stable.text
    assert "rig delay 3 ms" in stable.text
    assert (accuracy.answer, accuracy.tone) == ("Reference solution", "plain")


def test_the_outcome_tile_is_short_with_details_below(late):
    tile = of(replace(late, outcome=Outcome.INTERRUPTED))[0]
    assert tile.answer == "Interrupted by the operator"
    assert tile.text.startswith("The data recorded so far are saved.")
