"""Sections of users stand in the report on a run of any mode; a section that fails does not prevent the report."""

import numpy as np
import pytest

from dovetail.report import Paragraph, rehearsal_page, section, section_list
from dovetail.report.simulation import simulation_page
from dovetail.studies.registry import find_test
from dovetail.testing import load


@pytest.fixture(autouse=True)
def _no_other_sections(monkeypatch):
    monkeypatch.setattr(section_list, "_user_sections", {})


def peak(run):
    return [Paragraph(f"{np.abs(run.data.displacement.values).max():.3g} m", "good")]


def titles(page):
    return [getattr(block, "title", "") for block in page.blocks]


def test_a_user_section_stands_before_the_provenance(late, reference):
    section("Peak")(peak)
    page = rehearsal_page(late, reference)
    assert titles(page)[-2:] == ["Peak", "Provenance"]
    assert page.blocks[-2].blocks == peak(late)


def test_a_dataset_has_the_same_section_as_its_run(late, reference):
    section("Peak")(peak)
    page = rehearsal_page(late.data, reference)
    assert page.blocks[titles(page).index("Peak")].blocks == peak(late)


def test_a_simulation_has_user_sections():
    section("Duration")(lambda run: [Paragraph(f"{float(run.data.time[-1]):.3g} s")])
    run = load(find_test("capture/swing"), {"duration": 0.1}).simulate()
    assert "Duration" in titles(simulation_page(run))


def test_a_section_without_blocks_is_omitted(late, reference):
    section("Empty")(lambda run: [])
    assert "Empty" not in titles(rehearsal_page(late, reference))


def test_the_error_of_a_section_is_printed_in_its_place(late, reference):
    section("Broken")(lambda run: run.data["no_such_signal"])
    page = rehearsal_page(late, reference)
    (error,) = page.blocks[titles(page).index("Broken")].blocks
    assert error.tone == "bad"
    assert "no_such_signal" in error.text


def test_the_same_title_replaces_a_section(late, reference):
    section("Peak")(lambda run: [])
    section("Peak")(peak)
    assert titles(rehearsal_page(late, reference)).count("Peak") == 1
