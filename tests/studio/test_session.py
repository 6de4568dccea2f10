"""Complete session in the browser."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_cs1_is_set_up_felt_compensated_run_against_a_rig_reported_and_saved(
    tmp_path, serve, serve_rig, look, go, until, arm_and_start
):
    served = serve(tmp_path)
    page = look(served, "Open")
    page.locator("[data-study=substructuring]").click()
    page.locator("[data-test='substructuring/cs1']").click()
    until(page, "document.querySelector('#test-name').textContent.startsWith('substructuring/cs1')")

    page.locator("#loop g.part[data-path='rig.actuator']").click()  # another delay
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("9.4 ms")
    field.press("Enter")
    until(page, "document.querySelector('#difference').textContent.includes('9.4 ms')")

    go(page, "Explore")
    until(page, "document.querySelector('#tile-stable').textContent.includes('unstable')")

    go(page, "Model")  # it is compensated
    page.locator("#loop g.part[data-path='compensator']").click()
    page.locator(".exchange").click()
    page.locator(".q-item[data-kind='forward-prediction']").click()
    until(page, "document.querySelector('#difference').textContent.includes('forward-prediction')")
    go(page, "Explore")
    until(page, "/(^|[^n])stable/.test(document.querySelector('#tile-stable .result').textContent)")

    go(page, "Model")
    page.locator("#save").click()
    page.locator("input[data-field=save-path]").fill("mine.toml")
    page.locator("#save-now").click()
    page.locator(".q-notification", has_text="/mine.toml. Run it with").wait_for()

    go(page, "Run")
    arm_and_start(page, "rig", serve_rig(tmp_path, "mine.toml"))
    job = page.locator("[data-job]").first
    name = job.get_attribute("data-job")
    until(
        page,
        "name => document.querySelector(`[data-job='${name}'] [data-state]:not([data-state=runs])`)",
        name,
    )
    assert job.locator("[data-state]").get_attribute("data-state") in ("done", "stopped"), job.inner_text()
    job.get_by_role("button", name="Report").click()
    page.frame_locator("iframe.report").get_by_text("CS1: one mass").first.wait_for()
    done = subprocess.run(
        [sys.executable, "-m", "dovetail", "check", "mine.toml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "forward-prediction" in done.stdout
    assert "0.0094" in done.stdout


VALUES = {  # of three studies a test, a block of its loop, and another value in it
    "substructuring/cs1": ("rig.specimen", "rig.specimen.k", "2300 N/m"),
    "docking/hil-1dof": ("rig.specimen", "rig.specimen.gap", "11 mm"),
    "refuelling/drop-real-time": ("numerical", "numerical.mass", "3 kg"),
}
ENDS = ("done", "stopped", "no-go")
DIFFERENCE = "words => document.querySelector('#difference').textContent.includes(words)"


@pytest.mark.slow
@pytest.mark.parametrize("test", VALUES)
def test_each_action_is_done_by_clicking_on_three_studies(tmp_path, serve, look, choose, go, until, test):
    page = look(serve(tmp_path))
    choose(page, test)
    set_up(page, until, *VALUES[test])
    go(page, "Explore")
    explore(page, until)
    go(page, "Run")
    do(page, until)
    go(page, "Export")
    page.locator("#as-command pre", has_text=f"dovetail run {test}").wait_for()
    for what in ("command", "python"):
        page.locator(f"#copy-{what}").click()
    page.locator(".q-notification", has_text="Copied").first.wait_for()


def set_up(page, until, block, path, value):
    """A value, a bad one, another part, undone and done again, a remark in the file, saved, and back."""
    page.locator(f"#loop g.part[data-path='{block}']").click()
    field = page.locator(f"input[data-value='{path}']")
    field.fill("many")
    page.locator(f"[data-fault='{path}']").wait_for()
    field.fill(value)
    field.press("Enter")
    until(page, DIFFERENCE, value)
    page.locator("#loop g.part[data-path='compensator']").click()
    page.locator("#block h2[data-block='compensator']").wait_for()
    page.locator(".exchange").click()
    page.locator(".q-item[data-kind='forward-prediction']").click()
    until(page, DIFFERENCE, "forward-prediction")
    page.get_by_role("button", name="Undo").click()
    until(page, f"words => !({DIFFERENCE})(words)", "forward-prediction")
    page.get_by_role("button", name="Redo").click()
    until(page, DIFFERENCE, "forward-prediction")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# a remark")
    until(page, DIFFERENCE, "# a remark")
    page.locator("#save").click()
    page.locator("input[data-field=save-path]").fill("mine.toml")
    page.locator("#save-now").click()
    page.locator(".q-notification", has_text="/mine.toml. Run it with").wait_for()
    page.get_by_role("button", name="Revert").click()
    until(page, "document.querySelector('#difference').textContent.startsWith('No changes')")


def explore(page, until):
    """A slider is moved and let go, another one added and taken away, the map drawn."""
    until(page, "document.querySelector('#tile-stable .result').textContent !== ''")
    slider = page.locator("[data-slider]").first
    number = page.locator("#chart-response").get_attribute("data-number")
    slider.locator("input[type=range]").focus()
    slider.locator("input[type=range]").press("ArrowRight")
    until(page, "number => document.querySelector('#chart-response').dataset.number !== number", number)
    until(page, "document.querySelector('#test-name').textContent.includes('modified')")
    count = page.locator("[data-slider]").count()
    page.locator("#more-sliders").click()
    page.locator(".q-menu .q-item").first.click()
    until(page, "count => document.querySelectorAll('[data-slider]').length === count + 1", count)
    page.locator("[data-slider]").last.get_by_role("button").click()
    until(page, "count => document.querySelectorAll('[data-slider]').length === count", count)
    until(page, "document.querySelector('#tile-stable .result').textContent !== ''")
    page.locator("#draw-map").click()
    until(page, "document.querySelector('#map-state').textContent === 'finished'")


def do(page, until):
    """Rehearsed, emulated and designed, with traces, report, plan and scene."""
    for name in ("Rehearse", "Reference"):
        job = ended(page, until, name)
        job.get_by_role("button", name="Signals").click()
        until(
            page,
            "name => document.querySelector('#chart-traces .chart-legend').textContent.includes(name)",
            job.get_attribute("data-job"),
        )
        job.get_by_role("button", name="Report").click()
        page.frame_locator("iframe.report").locator("h1").first.wait_for()
    job.get_by_role("button", name="3-D view", exact=True).click()
    page.locator("iframe.scene").wait_for()
    page.get_by_text("Design the test: identify").click()
    ended(page, until, "Design").get_by_role("button", name="Plan", exact=True).click()
    page.locator("#plan #verdict").wait_for()


def ended(page, until, name):
    """The job that a button has started, when it is over."""
    count = page.locator("[data-job]").count()
    page.get_by_role("button", name=name, exact=True).click()
    until(page, "count => document.querySelectorAll('[data-job]').length > count", count)
    name = page.locator("[data-job]").first.get_attribute("data-job")
    job = page.locator(f"[data-job='{name}']")
    until(
        page,
        "name => document.querySelector(`[data-job='${name}'] [data-state]:not([data-state=runs])`)",
        name,
    )
    assert job.locator("[data-state]").get_attribute("data-state") in ENDS, job.inner_text()
    return job
