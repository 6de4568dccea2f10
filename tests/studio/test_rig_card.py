"""Card of the real rig in two windows: two steps before a rig moves, and never two sessions."""

import pytest
from tests.studio.test_tunables import TEST


@pytest.mark.slow
def test_a_rig_is_armed_in_view_and_a_second_click_starts_no_second_session(
    tmp_path, serve, serve_rig, look, until
):
    (tmp_path / "armed.toml").write_text(f'{TEST}[limits]\ndisplacement = "50 mm"\n', "utf-8")
    studio = serve(tmp_path, "armed.toml")
    page, viewer = look(studio, "Run"), look(studio, "Run")
    address = serve_rig(tmp_path, "armed.toml")
    page.locator("input[data-field=rig]").fill(address)
    page.get_by_role("button", name="Arm rig").click()
    state = "words => document.querySelector('#rig-state')?.textContent.includes(words)"
    for window in (page, viewer):
        until(window, state, "Armed by User 1")
    for words in (
        "simulated rig of A run with a dial",
        "answers in",
        "Position",
        "Start of the test",
        "50 mm",
    ):
        assert words in viewer.locator("#armed").inner_text()
    assert page.locator("[data-job]").count() == 0  # nothing has moved
    start = page.get_by_role("button", name="Start real-time test")
    start.scroll_into_view_if_needed()
    box = start.bounding_box()
    for _ in range(2):  # the second click 0.2 s after the first, at the same place
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(200)
    until(page, "document.querySelector('[data-rig] [data-phase]')?.textContent === 'RUNNING'")
    assert page.locator("[data-job]").count() == 1
    newcomer = look(studio, "Run")
    assert newcomer.locator("input[data-field=rig]").input_value() == address
    until(newcomer, state, "is in use by armed-realtime-001")
    page.get_by_role("button", name="Arm rig").click()
    until(page, state, "is in use by")
    newcomer.locator("[data-rig]").get_by_role("button", name="Stop", exact=True).click()
    until(page, "!document.querySelector('[data-rig]')")
    assert [folder.name for folder in tmp_path.glob("runs/armed*")] == ["armed-realtime-001"]


@pytest.mark.slow
def test_an_empty_or_dead_address_moves_nothing(opened, until):
    page = opened("substructuring/cs1", "Run")
    before = page.locator("[data-job]").count()
    for machine, address, words in (
        ("rig", "", "the address of the rig is missing"),
        ("cell", "", "the address of the cell is missing"),
        ("rig", "udp://127.0.0.1:1", "no rig answers"),
    ):
        page.locator(f"input[data-field={machine}]").fill(address)
        page.get_by_role("button", name=f"Arm {machine}").click()
        until(page, "words => document.querySelector('#rig-state').textContent.includes(words)", words)
        assert not page.locator("#armed button").count()
    assert page.locator("[data-job]").count() == before
