"""A session from the beginning to the end, by clicking as a person would."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_cs1_is_set_up_felt_compensated_run_against_a_rig_reported_and_saved(
    tmp_path, serve, serve_rig, look, go, until
):
    served = serve(tmp_path)
    page = look(served, "Choose")
    page.locator("[data-study=substructuring]").click()
    page.locator("[data-test='substructuring/cs1']").click()
    until(page, "document.querySelector('#test-name').textContent.startsWith('substructuring/cs1')")

    page.locator("#loop g.part[data-path='rig.actuator']").click()  # another delay
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("9.4 ms")
    field.press("Enter")
    until(page, "document.querySelector('#difference').textContent.includes('9.4 ms')")

    go(page, "Feel")
    until(page, "document.querySelector('#tile-stable').textContent.includes('unstable')")

    go(page, "Set up")  # it is compensated
    page.locator("#loop g.part[data-path='compensator']").click()
    page.locator(".exchange").click()
    page.locator(".q-item[data-kind='forward-prediction']").click()
    until(page, "document.querySelector('#difference').textContent.includes('forward-prediction')")
    go(page, "Feel")
    until(page, "/(^|[^n])stable/.test(document.querySelector('#tile-stable .answer').textContent)")

    go(page, "Set up")
    page.locator("#save").click()
    page.locator("input[data-field=save-path]").fill("mine.toml")
    page.locator("#save-now").click()
    page.locator(".q-notification", has_text="Saved: mine.toml").wait_for()

    go(page, "Do")
    page.locator("input[data-field=rig]").fill(serve_rig(tmp_path, "mine.toml"))
    page.get_by_role("button", name="Run", exact=True).click()
    job = page.locator("[data-job]").first
    name = job.get_attribute("data-job")
    until(
        page,
        "name => !['', 'runs'].includes(document.querySelector(`[data-job='${name}'] [data-state]`).textContent)",
        name,
    )
    assert job.locator("[data-state]").inner_text() in ("done", "stopped at a limit"), job.inner_text()
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
