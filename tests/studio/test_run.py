"""Run tab: jobs in separate processes, and the overlay of their signals."""

import urllib.error
import urllib.request

import pytest

from dovetail.testing import Outcome

# of a browser that draws in space, in software
DRAWS = ("--enable-unsafe-swiftshader",)
LAID = "name => document.querySelector('#chart-traces .chart-legend')?.textContent.includes(name)"


def begun(page, name, until):
    """Press a button that starts something; the job."""
    before = page.locator("[data-job]").count()
    page.get_by_role("button", name=name, exact=True).click()
    until(page, "before => document.querySelectorAll('[data-job]').length > before", before)
    return page.locator("[data-job]").first.get_attribute("data-job")


def ended(page, name, until, state):
    until(
        page,
        "([name, state]) => document.querySelector(`[data-job='${name}'] [data-state]`)?.dataset.state === state",
        [name, state],
    )


def test_runs_are_listed_with_traces_reports_and_commands_after_a_reload(opened, until, go):
    page = opened("substructuring/cs1", "Run")
    page.get_by_role("button", name="Clear", exact=True).click()
    rehearsed, emulated = (begun(page, name, until) for name in ("Rehearse", "Reference"))
    for name in (rehearsed, emulated):
        ended(page, name, until, "done")
        until(page, LAID, name)
    job = page.locator(f"[data-job='{rehearsed}']")
    assert "critical delay 6.77 ms" in job.inner_text()
    job.locator("[data-commands] summary").click()
    command, program = job.locator("[data-commands] pre").all_inner_texts()
    assert command == f"dovetail run substructuring/cs1 --mode rehearse --out runs/{rehearsed}"
    assert f"run.report('runs/{rehearsed}/report.html')" in program
    page.reload()
    go(page, "Run")
    for name in (rehearsed, emulated):
        until(page, LAID, name)
    job.get_by_role("button", name="Report").click()
    shown = page.frame_locator("iframe.report")
    shown.get_by_text("CS1: one mass").first.wait_for()
    for shade in ("dark", "light"):  # it is as dark as the page, also when that is turned while it is shown
        if (page.locator("#theme").inner_text() == "Dark") == (shade == "dark"):
            page.locator("#theme").click()
        page.locator(f"iframe.report[src*={shade}]").wait_for()
        paper = "body => getComputedStyle(body).getPropertyValue('--paper').trim()"
        assert shown.locator("body").evaluate(paper) == page.locator("body").evaluate(paper)
    assert page.locator("#shown").bounding_box()["y"] < 900  # it was brought to where one looks


def test_a_long_computation_can_be_stopped(opened, until):
    page = opened("substructuring/cs1", "Model")
    page.locator("#others button", has_text="Test").click()
    field = page.locator("input[data-value='duration']")
    field.fill("20000 s")
    field.press("Enter")
    until(page, "document.querySelector('#test-name').textContent.includes('modified')")
    page.locator(".q-tab", has_text="Run").click()
    name = begun(page, "Rehearse", until)
    page.locator(f"[data-job='{name}']").get_by_role("button", name="Stop").click()
    ended(page, name, until, "interrupted")


def done(page, name, until):
    """Wait until a job has ended; its state."""
    until(
        page,
        "name => document.querySelector(`[data-job='${name}'] [data-state]:not([data-state=runs])`)",
        name,
    )
    return page.locator(f"[data-job='{name}'] [data-state]").get_attribute("data-state")


@pytest.mark.slow
def test_a_design_runs_step_by_step_and_its_plan_is_applied(opened, until):
    page = opened("substructuring/cs1", "Run")
    page.get_by_text("Design the test: identify").click()
    page.get_by_label("2 Compensate").click()
    page.locator(".q-menu .q-item", has_text="forward-prediction").first.click()
    name = begun(page, "Design", until)
    assert done(page, name, until) in ("done", "no-go")
    job = page.locator(f"[data-job='{name}']")
    assert "--compensator forward-prediction" in job.locator("[data-commands] pre").first.text_content()
    job.get_by_role("button", name="Plan", exact=True).click()
    page.locator("#plan #verdict", has_text="GO").wait_for()
    assert page.locator("#plan .decided", has_text="forward-prediction").count() > 0
    job.get_by_role("button", name="Apply to test").click()
    until(page, "document.querySelector('#tab-model').offsetParent !== null")
    until(page, "document.querySelector('#difference').textContent.includes('forward-prediction')")


@pytest.mark.slow
def test_a_campaign_fills_its_map_and_a_click_on_a_point_opens_its_test(opened, until):
    page = opened("substructuring/cs1", "Run")
    page.get_by_label("Campaign of a study").click()
    page.locator(".q-menu .q-item", has_text="substructuring/delay-damping").click()
    name = begun(page, "Start campaign", until)
    job = page.locator(f"[data-job='{name}']")
    job.get_by_role("button", name="Points", exact=True).click()
    until(page, "Number(document.querySelector('#chart-campaign')?.dataset.number) > 0")
    box = page.locator("#chart-campaign canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    until(page, "document.querySelector('#tab-explore').offsetParent !== null")
    until(page, "/points.*toml/.test(document.querySelector('#test-name').textContent)")
    until(page, "Number(document.querySelector('#chart-response').dataset.number) > 0")  # its run
    page.locator(".q-tab", has_text="Run").click()
    if job.get_by_role("button", name="Stop", exact=True).is_visible():
        job.get_by_role("button", name="Stop", exact=True).click()
    assert done(page, name, until) in ("done", "interrupted")


@pytest.mark.slow
def test_the_scene_of_a_run_requires_the_key(browsers, tmp_path, serve, look, choose, until, go):
    page = look(serve(tmp_path), browser=browsers(*DRAWS))
    choose(page, "docking/impact-1dof")
    go(page, "Run")
    name = begun(page, "Rehearse", until)
    assert done(page, name, until) == "done"
    page.locator(f"[data-job='{name}']").get_by_role("button", name="3-D view", exact=True).click()
    frame = page.locator("iframe.scene")
    frame.wait_for()
    page.frame_locator("iframe.scene").locator("canvas:visible").first.wait_for()
    address = frame.get_attribute("src")
    assert "token=" in address
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(address.partition("?")[0], timeout=300)


CELL = """kind = "cell"
home_pose = [0.0]
[rig]
actuator = { kind = "delay", delay = "8 ms" }
specimen = { kind = "standard-linear-solid", k = 2250.0, relaxing_fraction = 0.3, tau = "0.5 s" }
"""


@pytest.mark.slow
@pytest.mark.parametrize("served", [False, True])
def test_a_pseudodynamic_test_moves_a_simulated_or_served_cell(
    opened, until, go, serve_rig, tmp_path, served, arm_and_start, pseudodynamic_text
):
    (tmp_path / "pseudodynamic.toml").write_text(pseudodynamic_text, "utf-8")
    (tmp_path / "cell.toml").write_text(CELL, "utf-8")
    address = serve_rig(tmp_path, "cell.toml") if served else ""
    page = opened("refuelling/drop", "Open")
    page.locator("input[data-field=own-path]").fill(str(tmp_path / "pseudodynamic.toml"))
    page.locator("#open-own").click()
    until(page, "document.querySelector('#test-title').textContent === 'A pseudo-dynamic test'")
    go(page, "Run")
    if served:
        before = page.locator("[data-job]").count()
        arm_and_start(page, "cell", address)
        until(page, "before => document.querySelectorAll('[data-job]').length > before", before)
        name = page.locator("[data-job]").first.get_attribute("data-job")
    else:
        name = begun(page, "Pseudo-dynamic test", until)
    assert done(page, name, until) == "done", page.locator(f"[data-job='{name}']").inner_text()
    until(page, "Number(document.querySelector('#chart-traces').dataset.number) >= 1")


@pytest.mark.slow
def test_an_interrupted_pseudodynamic_test_goes_on_from_the_page(
    opened, until, go, tmp_path, pseudodynamic_text
):
    (tmp_path / "pseudodynamic.toml").write_text(
        pseudodynamic_text.replace("A pseudo-dynamic test", "Interrupted").replace("20 ms", "1 s"), "utf-8"
    )
    page = opened("refuelling/drop", "Open")
    page.locator("input[data-field=own-path]").fill(str(tmp_path / "pseudodynamic.toml"))
    page.locator("#open-own").click()
    until(page, "document.querySelector('#test-title').textContent === 'Interrupted'")
    go(page, "Run")
    name = begun(page, "Pseudo-dynamic test", until)
    row = page.locator(f"[data-job='{name}']")
    row.get_by_role("button", name="Hold", exact=True).click()
    until(page, "document.querySelector('[data-rig] [data-phase]')?.textContent === 'HELD'")
    row.get_by_role("button", name="Stop", exact=True).click()
    assert done(page, name, until) == "interrupted", row.inner_text()
    row.get_by_role("button", name="Continue the run").click()
    ended(page, name, until, "done")
    assert row.locator("[data-state]").inner_text() == Outcome.FINISHED.value


@pytest.mark.slow
def test_a_map_is_computed_and_its_report_opened(opened, until):
    page = opened("docking/map", "Run")
    name = begun(page, "Compute map", until)
    assert done(page, name, until) == "done", page.locator(f"[data-job='{name}']").inner_text()
    job = page.locator(f"[data-job='{name}']")
    assert not job.get_by_role("button", name="3-D view").is_visible()
    job.get_by_role("button", name="Report").click()
    page.frame_locator("iframe.report").locator("h1").first.wait_for()
