"""What can be done with a test."""

import inspect

from dovetail.cli.main import design
from dovetail.studio.page.deeds import STEPS


def test_every_step_of_a_design_is_an_option_of_the_command():
    known = inspect.signature(design).parameters
    assert {option.removeprefix("--").replace("-", "_") for option in STEPS} <= set(known)


def test_a_simulation_is_simulated_and_a_hybrid_test_rehearsed(opened):
    page = opened("capture/settle", "Do")
    page.get_by_role("button", name="Simulate").wait_for()
    assert page.get_by_role("button", name="Rehearse").count() == 0
    page = opened("docking/hil-1dof", "Do")
    page.get_by_role("button", name="Rehearse").wait_for()


def test_a_map_is_computed_and_a_cell_served_and_neither_is_rehearsed(opened, go):
    page = opened("docking/map", "Do")
    page.get_by_role("button", name="Compute the map").wait_for()
    assert page.get_by_role("button", name="Rehearse").count() == 0
    go(page, "Hand over")
    assert "dovetail run docking/map --out" in page.locator("#as-command pre").inner_text()
    page = opened("refuelling/cell", "Do")
    page.locator("#deeds", has_text="dovetail rig serve refuelling/cell").wait_for()
    assert page.get_by_role("button", name="Rehearse").count() == 0
