"""Run against a rig: tunable parameters, hold, resume, stop."""

import pytest

TEST = """title = "A run with a dial"
duration = "600 s"
record_every = 10
[numerical]
kind = "oscillator"
m = "2.2 kg"
c = "15 N s/m"
k = "2250 N/m"
[rig.actuator]
kind = "delay"
delay = "3 ms"
[rig.specimen]
kind = "spring"
k = "2250 N/m"
[excitation]
kind = "sine"
amplitude = "12 mm"
frequency = "3 Hz"
[tunable."numerical.c"]
min = 5.0
max = 30.0
"""


@pytest.fixture
def rig(tmp_path, serve_rig):
    """The rig of that test, served; its address."""
    (tmp_path / "dialled.toml").write_text(TEST, "utf-8")
    return serve_rig(tmp_path, "dialled.toml")


@pytest.mark.slow
def test_a_tunable_parameter_is_changed_and_a_run_held_resumed_and_stopped(
    opened, rig, tmp_path, until, arm_and_start, go
):
    page = opened("substructuring/cs1", "Open")
    page.locator("input[data-field=own-path]").fill(str(tmp_path / "dialled.toml"))
    page.locator("#open-own").click()
    until(page, "document.querySelector('#test-title').textContent.includes('A run with a dial')")
    go(page, "Run")
    before = page.locator("[data-job]").count()
    arm_and_start(page, "rig", rig)
    until(page, "before => document.querySelectorAll('[data-job]').length > before", before)
    job = page.locator("[data-job]").first
    dial = job.locator("[data-tunable='numerical.c'] input[type=range]")
    dial.focus()  # once it is there
    dial.press("End")
    noted = "words => document.querySelector('[data-job] [data-events]').textContent.includes(words)"
    until(page, noted, "numerical.c from 15 to 30")
    for name, what in (("Hold", "hold"), ("Resume", "resume"), ("Stop", "stop")):
        job.get_by_role("button", name=name, exact=True).click()
        if what != "stop":
            until(page, noted, f" {what} (User")
    until(page, "document.querySelector('[data-job] [data-state]').dataset.state !== 'runs'")
    assert not dial.is_visible()


@pytest.mark.slow
def test_every_window_shows_the_requested_value_also_after_a_reload_and_the_next_key_sends_no_jump(
    rig, tmp_path, serve, look, go, until, arm_and_start
):
    studio = serve(tmp_path, "dialled.toml")
    page, viewer = look(studio, "Run"), look(studio, "Run")
    arm_and_start(page, "rig", rig)
    dial = page.locator("[data-tunable='numerical.c'] input[type=range]")
    dial.focus()
    dial.press("End")
    text = "words => document.querySelector('[data-tunable] .number')?.textContent === words"
    at = "value => Number(document.querySelector('[data-tunable] input')?.value) === value"
    for window in (page, viewer):
        until(window, text, "30 N s/m")  # reached: the loop and the request are the same
        until(window, at, 30)
    page.reload()
    until(page, at, 30)
    go(page, "Run")
    dial.focus()
    dial.press("ArrowLeft")
    until(page, "document.querySelector('[data-job] [data-events]').textContent.split(' set ').length === 3")
    newest = page.locator("[data-job] [data-events]").inner_text().splitlines()[0]
    assert "from 30 to 29" in newest
    page.locator("[data-rig]").get_by_role("button", name="Stop", exact=True).click()
    until(page, "!document.querySelector('[data-rig]')")
    assert not dial.is_visible()
