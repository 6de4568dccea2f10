"""Model tab: the loop drawing as editor."""

import pytest


@pytest.mark.parametrize(
    "test",
    [
        "substructuring/cs1",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("docking/hil-1dof", "refuelling/drop-real-time")
        ),
    ],
)
def test_every_block_of_the_loop_opens_its_values(opened, test):
    page = opened(test)
    blocks = page.locator("#loop g.part")
    paths = [blocks.nth(i).get_attribute("data-path") for i in range(blocks.count())]
    assert {"numerical", "rig.actuator", "rig.specimen"} <= set(paths)
    for path in ("numerical", "rig.actuator", "rig.specimen"):
        page.locator(f"#loop g.part[data-path='{path}']").click()
        page.locator(f"#block h2[data-block='{path}']").wait_for()
        assert page.locator(f"#loop g.part.selected[data-path='{path}']").count() == 1


def test_a_block_is_opened_from_the_keyboard_too(opened):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='numerical']").focus()
    page.keyboard.press("Enter")
    page.locator("#block h2[data-block='numerical']").wait_for()
