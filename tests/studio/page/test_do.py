"""Do: things are done in processes of their own, and pile up as traces."""


def begun(page, name, until):
    """Press a button that starts something; the job."""
    before = page.locator("[data-job]").count()
    page.get_by_role("button", name=name, exact=True).click()
    until(page, "before => document.querySelectorAll('[data-job]').length > before", before)
    return page.locator("[data-job]").first.get_attribute("data-job")


def ended(page, name, until, state):
    until(
        page,
        "([name, state]) => document.querySelector(`[data-job='${name}'] [data-state]`)?.textContent === state",
        [name, state],
    )


def test_a_rehearsal_is_done_with_its_trace_and_its_report(opened, until):
    page = opened("substructuring/cs1", "Do")
    name = begun(page, "Rehearse", until)
    ended(page, name, until, "done")
    until(page, "Number(document.querySelector('#chart-traces').dataset.number) >= 1")
    job = page.locator(f"[data-job='{name}']")
    assert "critical delay 6.77 ms" in job.inner_text()
    job.get_by_role("button", name="Report").click()
    page.frame_locator("iframe.report").get_by_text("CS1: one mass").first.wait_for()


def test_a_computation_that_takes_long_is_cancelled(opened, until):
    page = opened("substructuring/cs1", "Set up")
    page.locator("#others button", has_text="The test").click()
    field = page.locator("input[data-value='duration']")
    field.fill("20000 s")
    field.press("Enter")
    until(page, "document.querySelector('#test-name').textContent.includes('changed')")
    page.locator(".q-tab", has_text="Do").click()
    name = begun(page, "Rehearse", until)
    page.locator(f"[data-job='{name}']").get_by_role("button", name="Cancel").click()
    ended(page, name, until, "cancelled")


def test_a_run_without_a_rig_is_refused_in_words(opened):
    page = opened("substructuring/cs1", "Do")
    page.locator("input[data-field=rig]").fill("")
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator(".q-notification", has_text="run needs the address of a rig").wait_for()
