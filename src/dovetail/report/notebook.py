"""HTML representation of tests, parts, runs, stability results and campaigns in a notebook.

Each is an HTML fragment with scoped style and without script. Texts are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from dovetail.core.errors import DovetailError
from dovetail.report import drawing
from dovetail.report.html import page_style
from dovetail.report.parameters import rows
from dovetail.report.plot import plot
from dovetail.report.style import svg

SKIPPED = (":root", "*", "html", "body", "footer", "nav")  # rules for the complete page

PHONE = """
.dovetail svg.loop, .dovetail svg.plot { min-width: var(--least, 0); }
@media (max-width: 560px) {
  .dovetail svg.narrow.narrow { display: block; }
  .dovetail svg.loop:not(.narrow):not(:only-of-type) { display: none; }
}"""  # letters keep their size: wide figures scroll, and the loop has a second drawing for phones


def test_html(test: Any) -> str:
    """Return title, duration, rate and loop of a test."""
    from dovetail.testing import dump

    table = dump(test)
    about = f"{test.duration:g} s at {test.rate:g} Hz"
    if "rig" in table:
        inner = drawing.loop(table) + drawing.upright(table)
    else:
        kind = table.get("numerical", {}).get("kind", "system")
        inner = f"<p>Simulation of a {escape(str(kind))}, without a rig.</p>"
    source = f'<p class="quiet">{escape(str(table.get("source", "")))}</p>'
    return styled_html(f"<b>{escape(test.title or 'untitled test')}</b>, {escape(about)}{inner}{source}")


def part_html(part: Any) -> str:
    """Return kind, summary and parameters of a part, with unit and meaning."""
    from dovetail.testing.test_file import dump_part

    table = dump_part(part)
    about = (type(part).__doc__ or "").strip().partition("\n")[0]
    entries = [
        (row.path, f"{row.value} {row.unit}".strip(), row.about) for row in rows(table, {"": type(part)})
    ]
    named = escape(str(table.get("kind", type(part).__name__)))
    return styled_html(f"<b>{named}</b> {escape(about)}{facts([row for row in entries if row[0] != 'kind'])}")


def stability_html(stability: Any) -> str:
    """Return the stability verdict and its delays."""
    tone = (
        "good"
        if stability.word == "Stable"
        else "plain"
        if not stability.governs or stability.stable
        else "bad"
    )
    text = "".join(f"<p>{escape(line)}</p>" for line in str(stability).split("\n"))
    return styled_html(f'<div class="verdict {tone}">{text}</div>')


def comparison_html(comparison: Any) -> str:
    """Return the comparison of a run with its reference, one column for each axis."""
    head = [("", *(comparison.axes[i] for i in comparison.moving_axes))] if comparison.axes else []
    notes = "".join(f"<p>{escape(note)}</p>" for note in comparison.notes)
    about = f"hybrid test against reference, {comparison.duration:.4g} s"
    about += ", ended before the reference" if comparison.stopped_early else ""
    return styled_html(f"<b>{escape(about)}</b>{facts([*head, *comparison.rows()])}{notes}")


def run_html(run: Any) -> str:
    """Return outcome and main signals of a run."""
    tone = "good" if run.outcome.completed else "bad"
    text = f"{run.mode}: {run.outcome.value}" + (f" {run.trip}." if run.trip else "")
    parts = [
        f"<b>{escape(run.title)}</b>",
        f'<div class="verdict {tone}"><p>{escape(text)}</p></div>',
        facts(
            [
                ("recorded", f"{run.recording.last_time:g} s, {run.recording.sizes['time']} samples"),
                ("signals", ", ".join(sorted(run.recording))),
            ]
        ),
    ]
    try:
        parts.append(f'<div class="figure">{svg(plot(run), "main signals of the run")}</div>')
    except DovetailError as error:
        parts.append(f"<p>{escape(str(error))}</p>")
    return styled_html("".join(parts))


def plan_html(campaign: Any) -> str:
    """Return subject, design, parameters and measures of a campaign."""
    count = len(next(iter(campaign.points().values())))
    seeds = f", {len(campaign.seeds)} seeds each" if len(campaign.seeds) > 1 else ""
    lines = [("subject", campaign.subject_name), ("design", f"{campaign.design_kind}, {count} points{seeds}")]
    lines += [(p.name, f"{', '.join(p.paths)}: {p}") for p in campaign.parameters]
    lines += [("correlation", f"{a} and {b}: {value:g}") for a, b, value in campaign.correlations]
    lines += [("measures", ", ".join(campaign.measures))] if campaign.measures else []
    return styled_html(f"<b>{escape(campaign.title or 'campaign')}</b>{facts(lines)}")


def campaign_html(folder: str | Path) -> str:
    """Return verdict, parameters, and sensitivities and map of the first measure of a computed campaign."""
    from dovetail.report.campaign import campaign_page
    from dovetail.report.html import fragment
    from dovetail.report.page import Block, FigureBlock, PageSection

    page = campaign_page(folder)
    sections = [block for block in page.blocks if isinstance(block, PageSection)]
    pictures = [b for section in sections[2:] for b in section.blocks if isinstance(b, FigureBlock)]
    blocks: list[Block] = [*sections[:2], *pictures[:2]]
    verdict = f'<div class="verdict {page.verdict.tone}"><p>{escape(page.verdict.sentence)}</p></div>'
    return styled_html(f"<b>{escape(page.title)}</b>{verdict}{fragment(blocks)}")


def facts(lines: Sequence[tuple[str, ...]]) -> str:
    """Return a small table; the first cell of each line is its name."""
    inner = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in lines
    )
    return f"<table>{inner}</table>"


def styled_html(inner: str) -> str:
    """Return HTML with the scoped style of a report."""
    return f'<div class="dovetail"><style>{scoped_style()}</style>{inner}</div>'


@cache
def scoped_style() -> str:
    """Return the style sheet of a page, limited to elements of class `dovetail`, in light colours."""
    style = page_style()
    variables = re.search(r":root\s*\{(.*?)\}", style, re.S)
    assert variables is not None  # page.css defines its colours there
    style = re.sub(
        r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@page[^{]*\{[^{}]*\}|/\*.*?\*/", "", style, flags=re.S
    )
    rules = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        names = [name.strip() for name in selectors.split(",")]
        scoped = [f".dovetail {name}" for name in names if name.split(" ")[0] not in SKIPPED]
        if scoped:
            rules.append(f"{', '.join(scoped)} {{{body}}}")
    ground = "background:#fff;color:var(--ink);padding:.6em .8em;max-width:868px;overflow-x:auto;"
    light = variables[1].replace("color-scheme: light dark;", "")
    return f".dovetail {{{light}{ground}}}\n" + "\n".join(rules) + PHONE
