"""Bar of a running rig, in two windows at once: what anybody sees, and that anybody can stop."""

import json

import pytest
from tests.studio.test_tunables import TEST

from dovetail.testing import Outcome

PHASE = "phase => document.querySelector('[data-rig] [data-phase]')?.textContent === phase"
PHONE = {"width": 390, "height": 844}


@pytest.mark.slow
def test_a_viewer_sees_that_the_rig_is_held_and_stops_it_at_390_pixels(
    tmp_path, serve, serve_rig, look, go, until, arm_and_start
):
    (tmp_path / "held.toml").write_text(TEST, "utf-8")
    studio = serve(tmp_path, "held.toml")
    page = look(studio, "Run")
    viewer = look(studio, "Model")
    arm_and_start(page, "rig", serve_rig(tmp_path, "held.toml"))
    viewer.set_viewport_size(PHONE)
    until(viewer, PHASE, "RUNNING")
    job = page.locator("[data-job]").first
    until(page, "document.querySelector('#chart-live-motion')?.dataset.number > 0")  # it moves
    assert not job.get_by_role("button", name="Resume", exact=True).is_visible()
    job.get_by_role("button", name="Hold", exact=True).click()
    until(viewer, PHASE, "HELD")
    until(page, PHASE, "HELD")
    assert not job.get_by_role("button", name="Hold", exact=True).is_visible()
    assert job.get_by_role("button", name="Resume", exact=True).is_visible()
    phase = viewer.locator("[data-rig] [data-phase]")
    assert phase.evaluate("element => parseFloat(getComputedStyle(element).fontSize)") > 20
    stop = viewer.locator("[data-rig]").get_by_role("button", name="Stop", exact=True)
    assert "(view only)" in viewer.locator("#control").inner_text()
    box = stop.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert box["y"] + box["height"] <= PHONE["height"]
    stop.click()
    until(page, "document.querySelector('[data-job] [data-state]').dataset.state !== 'runs'")
    until(viewer, "!document.querySelector('[data-rig]')")
    (events,) = tmp_path.glob("runs/*/operator_events.jsonl")
    last = [json.loads(line) for line in events.read_text("utf-8").splitlines()][-1]
    assert (last["action"], last["user"]) == ("stop", "User 2")
    job.get_by_role("button", name="Report", exact=True).wait_for()  # what was measured is reported
    assert job.locator("[data-state]").inner_text() == Outcome.INTERRUPTED.value


@pytest.mark.slow
def test_the_outcome_of_a_dead_rig_is_shown_in_every_window_before_the_report(
    tmp_path, serve, serve_rig, look, until, arm_and_start
):
    (tmp_path / "dead.toml").write_text(TEST, "utf-8")
    studio = serve(tmp_path, "dead.toml")
    page, viewer = look(studio, "Run"), look(studio, "Model")
    arm_and_start(page, "rig", serve_rig(tmp_path, "dead.toml"))
    until(page, "document.querySelector('#chart-live-motion')?.dataset.number > 0")  # it moves
    serve_rig.kill()
    until(viewer, PHASE, Outcome.LINK_LOST.value)
    until(page, PHASE, Outcome.LINK_LOST.value)
    assert not list(tmp_path.glob("runs/*/report.html"))
    until(viewer, "!document.querySelector('[data-rig]')")  # Stop is there until the return path has ended
    until(page, "!document.querySelector('[data-rig]')")
    assert page.locator("[data-job] [data-state]").inner_text() == Outcome.LINK_LOST.value
