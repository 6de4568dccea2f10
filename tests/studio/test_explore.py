"""Explore tab: the test is computed and drawn while a slider moves."""

import pytest

from dovetail.studio.explore import pole_plot, slider_paths

SLIDE = """([path, share]) => {
  const range = document.querySelector(`[data-slider="${path}"] input[type=range]`);
  range.value = Number(range.min) + share * (Number(range.max) - Number(range.min));
  range.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def test_the_pole_plane_keeps_its_range_for_small_changes():
    one, other = pole_plot([(-1.6, 7.2), (-40.0, 30.0)]), pole_plot([(0.4, 7.3), (-41.0, 31.0)])
    assert (one["x"], one["y"]) == (other["x"], other["y"])
    assert [point["colour"] for point in other["points"]] == ["bad", "bad", "good", "good"]
    assert {point["y"] for point in one["points"]} == {
        7.2,
        -7.2,
        30.0,
        -30.0,
    }  # each root and its mirror image
    assert pole_plot([])["points"] == []


def test_slider_parameters_are_found_in_all_blocks():
    from dovetail.app import Document

    found = slider_paths(Document.open("substructuring/cs1").blocks())
    assert {"rig.actuator.delay", "numerical.m", "excitation.amplitude"} <= set(found)
    assert "rig.actuator.interpolation" not in found


def test_the_result_follows_a_slider_while_it_is_dragged(opened, until):
    page = opened("substructuring/cs1", "Explore")
    until(page, "Number(document.querySelector('#chart-response').dataset.number) > 0")
    until(page, "document.querySelector('#tile-stable').textContent.includes('unstable') === false")
    page.evaluate(SLIDE, ["rig.actuator.delay", 0.9])
    until(page, "document.querySelector('#tile-stable').textContent.includes('unstable')")
    page.evaluate(SLIDE, ["rig.actuator.delay", 0.1])
    until(page, "document.querySelector('#tile-stable').textContent.match(/(^|[^n])stable/)")
    assert "ms" in page.locator("#tile-critical").inner_text()
    assert "modified" not in page.locator("#test-name").inner_text()  # it was not let go


def test_a_released_slider_writes_its_value_to_the_file(opened, until):
    page = opened("substructuring/cs1", "Explore")
    until(page, "Number(document.querySelector('#chart-response').dataset.number) > 0")  # all is drawn
    slider = page.locator("[data-slider='rig.actuator.delay'] input[type=range]")
    slider.focus()
    slider.press("End")  # as a person with a keyboard would
    until(page, "document.querySelector('#difference').textContent.includes('+delay = \"12 ms\"')")


@pytest.mark.slow
@pytest.mark.parametrize("test", ["substructuring/rths-benchmark", "substructuring/lag-damper"])
def test_larger_tests_are_felt_too(opened, until, test):
    page = opened(test, "Explore")
    until(page, "document.querySelector('#tile-stable .result').textContent !== ''")
    until(page, "document.querySelector('#explore-state').textContent === ''")
    before = int(page.locator("#chart-response").get_attribute("data-number"))
    path = page.locator(".slider").first.get_attribute("data-slider")
    page.evaluate(SLIDE, [path, 0.3])
    until(page, "before => Number(document.querySelector('#chart-response').dataset.number) > before", before)


@pytest.mark.slow
def test_a_simulation_has_an_outcome_and_no_panels_of_a_loop(opened, until):
    page = opened("capture/swing", "Explore")
    until(page, "document.querySelector('#tile-outcome .result')?.textContent !== ''")
    for panel in ("#tile-stable", "#tile-margin", "#tile-tracking", "#map", "#chart-roots", "#chart-error"):
        assert not page.locator(panel).is_visible(), panel
    assert page.locator("#chart-response").is_visible()
