"""File card: consistent with the drawing, compared with the original, saved."""

from typer.testing import CliRunner

from dovetail.cli.main import app
from dovetail.studio.file import diff_html


def test_text_typed_in_the_file_updates_drawing_and_values(opened, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    page.locator(".cm-line", has_text='delay = "3 ms"').click()
    page.keyboard.press("Home")
    for _ in range(len('delay = "')):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    page.keyboard.type("5")
    until(
        page,
        "document.querySelector('#loop g.part[data-path=\"rig.actuator\"]').textContent.includes('5 ms')",
    )
    until(page, "document.querySelector('input[data-value=\"rig.actuator.delay\"]').value === '5 ms'")


def test_a_fault_in_the_file_is_reported_and_can_be_undone(opened, until):
    page = opened("substructuring/cs1")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("[limitz]")
    until(page, "document.querySelector('#file-fault').textContent.includes('limitz')")
    assert "+[limitz]" in page.locator("#difference").inner_text()
    page.get_by_role("button", name="Revert").click()
    until(page, "document.querySelector('#file-fault').textContent === ''")


def test_a_saved_test_runs_unchanged_from_the_command_line(opened, studio, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("4 ms")
    field.press("Enter")
    until(page, "document.querySelector('#test-name').textContent.includes('modified')")
    for name, fault in (("mine", ".toml"), ("mine.toml", "")):
        page.locator("#save").click()
        path = page.locator("input[data-field=save-path]")
        path.fill(name)
        page.locator("#save-now").click()
        if fault:
            until(page, "fault => document.querySelector('#save-fault').textContent.includes(fault)", fault)
            page.get_by_role("button", name="Cancel").click()
    page.locator(".q-notification", has_text="/mine.toml. Run it with").wait_for()
    done = CliRunner().invoke(app, ["check", str(studio.folder / "mine.toml")])
    assert done.exit_code == 0, done.output
    assert "delay = 0.004" in done.output


def test_a_difference_is_coloured_and_markup_in_it_is_text():
    shown = diff_html('--- a\n+++ b\n@@ -1 +1 @@\n-title = "x"\n+title = "<script>"')
    assert '<span class="in">+title = &quot;&lt;script&gt;&quot;</span>' in shown
    assert "--- a" not in shown
