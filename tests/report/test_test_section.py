"""What was tested and where it comes from."""

import re
from dataclasses import replace

from dovetail.report import test_section
from dovetail.report.judged import Judged, RunView
from dovetail.report.page import Collapsible, Drawing, PageTable, Paragraph


def judged(run, reference=None, stability=None, **more):
    return Judged(RunView(run, reference, stability, **more))


def tables(blocks):
    return [block for block in blocks if isinstance(block, PageTable)]


def test_the_test_section_has_drawing_and_parameters(late):
    blocks = test_section.test_section(judged(late))
    assert any(isinstance(block, Drawing) for block in blocks)
    rows = {row[0]: row for row in tables(test_section.every_parameter(judged(late)))[0].rows}
    assert rows["numerical.m"][1:3] == ["2.2", "kg"]
    assert rows["rig.actuator.delay"][1:3] == ["3", "ms"]


def test_a_run_without_parameters_states_it(late):
    texts = [
        block.text for block in test_section.test_section(judged(late.data)) if isinstance(block, Paragraph)
    ]
    assert "No parameters recorded." in texts


def test_provenance_has_versions_seed_and_the_resolved_test(late):
    blocks = test_section.provenance([judged(late)])
    assert re.search(r"Python [0-9.]+, .*jax [0-9.]+, .*numpy [0-9.]+, .*seed 1\.", blocks[0].text)
    assert '"delay": 0.003' in next(b.text for b in blocks if isinstance(b, Collapsible))


def test_sources_named_by_a_test_are_given(late):
    table = {**late.given, "source": "wallace2006thesis, figure 3.3"}
    blocks = test_section.provenance([judged(replace(late, given=table))])
    sources = next(b for b in blocks if isinstance(b, Collapsible) and b.summary.startswith("References"))
    assert "@phdthesis{wallace2006thesis" in sources.text
