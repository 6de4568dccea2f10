"""Export tab: command line and Python script."""

import shlex


def test_a_changed_test_is_exported_as_command_and_python(opened, until, go):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("4 ms")
    field.press("Enter")
    until(page, "document.querySelector('#as-command pre').textContent.includes('delay=4 ms')")
    go(page, "Export")
    words = shlex.split(page.locator("#as-command pre").inner_text())
    assert words[:3] == ["dovetail", "run", "substructuring/cs1"]
    assert "rig.actuator.delay=4 ms" in words
    code = page.locator("#as-python pre").inner_text()
    compile(code, "handed over", "exec")
    assert "4 ms" in code
    page.locator("#copy-command").click()
    page.locator(".q-notification", has_text="Copied").wait_for()
