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
def test_a_tunable_parameter_is_changed_and_a_run_held_resumed_and_stopped(opened, rig, tmp_path, until, go):
    page = opened("substructuring/cs1", "Open")
    page.locator("input[data-field=own-path]").fill(str(tmp_path / "dialled.toml"))
    page.locator("#open-own").click()
    until(page, "document.querySelector('#test-title').textContent.includes('A run with a dial')")
    go(page, "Run")
    before = page.locator("[data-job]").count()
    page.locator("input[data-field=rig]").fill(rig)
    page.get_by_role("button", name="Real-time test", exact=True).click()
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
    until(page, "document.querySelector('[data-job] [data-state]').textContent !== 'running'")
    assert not dial.is_visible()
