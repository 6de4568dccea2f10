"""Values of a block: typed with a unit, rejected with the message of the command line."""

import pytest
from typer.testing import CliRunner

from dovetail.cli.main import app

BAD = ["6.5 kg", "-3 ms", "soon", "<i>3 ms</i>", "1e999 s", ""]
# a message that comes late draws a field with what it was before
LATE = "(field, value) => { mounted_app.elements[field.id.slice(1)].props.value = value; }"


def typed(page, path):
    return page.locator(f"input[data-value='{path}']")


@pytest.mark.parametrize(
    ("test", "block", "path", "value", "line"),
    [
        ("substructuring/cs1", "rig.actuator", "rig.actuator.delay", "6.5 ms", '+delay = "6.5 ms"'),
        pytest.param(
            *("docking/hil-1dof", "rig.specimen", "rig.specimen.gap", "12 mm", '"12 mm"'),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("capture/settle", None, "duration", "12 s", '+duration = "12 s"'), marks=pytest.mark.slow
        ),
    ],
)
def test_a_value_typed_with_its_unit_is_written_to_the_file(
    opened, press, until, test, block, path, value, line
):
    page = opened(test)
    others = page.locator("#others button", has_text="Test")
    field = typed(page, path)
    press([page.locator(f"#loop g.part[data-path='{block}']") if block else others], field)
    field.fill(value)
    field.press("Enter")
    until(page, "document.querySelector('#test-name').textContent.includes('modified')")
    difference = page.locator("#difference").inner_text()
    assert (line or value) in difference


def test_an_invalid_value_is_rejected_at_once_with_the_error_of_the_command_line(opened, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field, fault = typed(page, "rig.actuator.delay"), page.locator("[data-fault='rig.actuator.delay']")
    words = []
    for bad in BAD:
        field.fill(bad)
        fault.wait_for(state="visible")
        until(
            page,
            "bad => document.querySelector('[data-fault=\"rig.actuator.delay\"]').textContent !== bad",
            (words or [""])[-1],
        )
        words.append(fault.inner_text())
        field.press("Enter")
        assert "No changes" in page.locator("#difference").inner_text()  # nothing of it is in the file
    said = CliRunner().invoke(app, ["check", "substructuring/cs1", "--set", f"rig.actuator.delay={BAD[0]}"])
    assert words[0].split() == str(said.exception).split()
    field.fill("4 ms")
    fault.wait_for(state="hidden")


def test_a_block_is_exchanged_for_another_of_its_family_from_a_list_with_a_sentence_each(opened, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='compensator']").click()
    page.locator(".exchange").click()
    entry = page.locator(".q-item[data-kind='forward-prediction']")
    assert len(entry.inner_text().split()) > 5
    entry.click()
    typed(page, "compensator.delay").wait_for()
    assert '+kind = "forward-prediction"' in page.locator("#difference").inner_text()
    assert "forward-prediction" in page.locator("#loop g.part[data-path='compensator']").text_content()


def test_an_accepted_value_remains_when_its_field_loses_focus(opened, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='numerical']").click()
    for path, value in (("numerical.c", "16 N s/m"), ("numerical.k", "2300 N/m")):
        field = typed(page, path)
        field.click()  # whereby the one before is left
        field.fill(value)
        field.press("Enter")
        until(page, "value => document.querySelector('#difference').textContent.includes(value)", value)
        if path == "numerical.c":
            field.evaluate(LATE, "15.0 N s/m")
            until(page, "document.querySelector('input[data-value=\"numerical.c\"]').value.startsWith('15')")
    assert '+c = "16 N s/m"' in page.locator("#difference").inner_text()


@pytest.mark.slow
def test_a_value_is_on_the_page_from_the_key_press_on_and_never_the_old_one_again(opened, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.click()
    field.press("Control+a")
    page.keyboard.type("6.5 m", delay=20)
    page.evaluate(
        """() => { window.shown = new Set(); setInterval(() => window.shown.add(
        document.querySelector("input[data-value='rig.actuator.delay']")?.value), 4); }"""
    )
    page.keyboard.type("s")
    field.press("Enter")
    until(page, "document.querySelector('#difference').textContent.includes('6.5 ms')")
    page.wait_for_timeout(500)
    assert set(page.evaluate("[...window.shown]")) <= {"6.5 m", "6.5 ms"}


@pytest.mark.slow
def test_a_parameter_becomes_tunable_and_a_series_gets_an_element_on_the_page(opened, until):
    page = opened("substructuring/cs1")
    page.locator("#loop g.part[data-path='numerical']").click()
    page.get_by_role("button", name="Make tunable").first.click()
    until(page, "document.querySelector('#difference').textContent.includes('tunable')")
    page.get_by_role("button", name="Tunable: remove").click()
    until(page, "!document.querySelector('#difference').textContent.includes('min =')")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    page.locator("#block .exchange").first.click()
    page.locator(".q-item[data-kind='series']").click()
    page.get_by_role("button", name="Add element").click()
    page.locator(".q-item[data-kind='first-order-lag']").click()
    page.locator("input[data-value='rig.actuator.parts[0].tau']").wait_for()
    page.get_by_role("button", name="Remove element").click()
    until(page, "!document.querySelector(\"input[data-value='rig.actuator.parts[0].tau']\")")
