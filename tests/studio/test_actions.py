"""Actions of a test."""

import inspect

import pytest

from dovetail.cli.main import design
from dovetail.studio.actions import DESIGN_STEPS


def test_every_step_of_a_design_is_an_option_of_the_command():
    known = inspect.signature(design).parameters
    assert {option.removeprefix("--").replace("-", "_") for option in DESIGN_STEPS} <= set(known)


@pytest.mark.parametrize(
    ("test", "offered"),
    [
        ("docking/map", "Compute map"),
        pytest.param("capture/settle", "Simulate", marks=pytest.mark.slow),
        pytest.param("docking/hil-1dof", "Rehearse", marks=pytest.mark.slow),
        pytest.param("refuelling/cell", "", marks=pytest.mark.slow),
    ],
)
def test_the_kind_of_file_determines_its_actions(opened, go, test, offered):
    page = opened(test, "Run")
    if not offered:
        page.locator("#actions", has_text=f"dovetail rig serve {test}").wait_for()
    for name in ("Compute map", "Simulate", "Rehearse"):
        button = page.get_by_role("button", name=name, exact=True)
        button.wait_for(state="visible" if name == offered else "detached")
    go(page, "Export")
    words = f"dovetail run {test}" if offered else f"dovetail rig serve {test}"
    page.locator("#as-command pre", has_text=words).wait_for()
