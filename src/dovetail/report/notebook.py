"""How a test, its parts, a run, a verdict and a campaign show themselves in a notebook: drawn, or as a small table.

Each is a piece of HTML that brings its own style, for its own inside only, and no script. Texts are escaped.
"""

from __future__ import annotations

import math
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

SKIPPED = (":root", "*", "html", "body", "footer", "nav")  # rules for a page as a whole

PHONE = """
.dovetail svg.loop, .dovetail svg.plot { min-width: var(--least, 0); }
@media (max-width: 560px) {
  .dovetail svg.narrow.narrow { display: block; }
  .dovetail svg.loop:not(.narrow):not(:only-of-type) { display: none; }
}"""  # letters keep their size: what is wider is drawn aside, and the loop has a drawing of its own


def test_html(test: Any) -> str:
    """A test: its title, its loop, its length and rate."""
    from dovetail.testing import dump

    table = dump(test)
    about = f"{test.duration:g} s at {test.rate:g} Hz"
    if "rig" in table:
        inner = drawing.loop(table) + drawing.upright(table)
    else:
        kind = table.get("system", {}).get("kind", "system")
        inner = f"<p>Simulation of a {escape(str(kind))}, without a rig.</p>"
    source = f'<p class="quiet">{escape(str(table.get("source", "")))}</p>'
    return wrapped(f"<b>{escape(test.title or 'untitled test')}</b>, {escape(about)}{inner}{source}")


def part_html(part: Any) -> str:
    """A part: what it is, and its parameters with unit and meaning."""
    from dovetail.testing.test_file import dump_part

    table = dump_part(part)
    about = (type(part).__doc__ or "").strip().partition("\n")[0]
    shown = [
        (row.path, f"{row.value} {row.unit}".strip(), row.about) for row in rows(table, {"": type(part)})
    ]
    named = escape(str(table.get("kind", type(part).__name__)))
    return wrapped(f"<b>{named}</b> {escape(about)}{facts([row for row in shown if row[0] != 'kind'])}")


def stability_html(stability: Any) -> str:
    """Would this test work: the verdict first, then the delays behind it."""
    unknown = math.isnan(stability.growth_rate)
    tone = "plain" if unknown else "good" if stability.stable else "bad"
    said = "".join(f"<p>{escape(line)}</p>" for line in str(stability).split("\n"))
    return wrapped(f'<div class="verdict {tone}">{said}</div>')


def comparison_html(comparison: Any) -> str:
    """A run against its ideal, as a table with one column for each axis."""
    shown, told = comparison.rows(), comparison.told
    axes = [comparison.axes[i] for i in told] if comparison.axes else ()
    head = [("", *axes)] if axes else []
    lines = [
        (row.what.strip() + (f" [{row.unit}]" if row.unit else ""), *(row.values[i].strip() for i in told))
        for row in shown
    ]
    notes = "".join(f"<p>{escape(note)}</p>" for note in comparison.notes)
    about = f"hybrid against ideal, {comparison.duration:.4g} s"
    about += ", stopped early" if comparison.stopped_early else ""
    return wrapped(f"<b>{escape(about)}</b>{facts([*head, *lines])}{notes}")


def run_html(run: Any) -> str:
    """A run: how it ended, and its main signals."""
    tone = "good" if run.outcome.completed else "bad"
    said = f"{run.mode}: {run.outcome.value}" + (f" {run.trip}." if run.trip else "")
    parts = [
        f"<b>{escape(run.title)}</b>",
        f'<div class="verdict {tone}"><p>{escape(said)}</p></div>',
        facts(
            [
                ("recorded", f"{float(run.data.time[-1]):g} s, {run.data.sizes['time']} samples"),
                ("signals", ", ".join(sorted(map(str, run.data.data_vars)))),
            ]
        ),
    ]
    try:
        parts.append(f'<div class="figure">{svg(plot(run), "main signals of the run")}</div>')
    except DovetailError as error:
        parts.append(f"<p>{escape(str(error))}</p>")
    return wrapped("".join(parts))


def plan_html(campaign: Any) -> str:
    """A campaign that is to be computed: its subject, what is varied and how, and what is kept."""
    number = len(next(iter(campaign.points().values())))
    seeds = f", {len(campaign.seeds)} seeds each" if len(campaign.seeds) > 1 else ""
    lines = [("of", campaign.of), ("design", f"{campaign.kind}, {number} points{seeds}")]
    lines += [(axis.name, f"{', '.join(axis.paths)}: {axis}") for axis in campaign.axes]
    lines += [("correlation", f"{a} and {b}: {value:g}") for a, b, value in campaign.correlations]
    lines += [("measures", ", ".join(campaign.measures))] if campaign.measures else []
    return wrapped(f"<b>{escape(campaign.title or 'campaign')}</b>{facts(lines)}")


def campaign_html(folder: str | Path) -> str:
    """A campaign that was computed: its verdict, what was varied, and its first measure's ranking and map."""
    from dovetail.report.campaign import campaign_page
    from dovetail.report.html import fragment
    from dovetail.report.page import Block, PageSection, Picture

    page = campaign_page(folder)
    sections = [block for block in page.blocks if isinstance(block, PageSection)]
    pictures = [b for section in sections[2:] for b in section.blocks if isinstance(b, Picture)]
    shown: list[Block] = [*sections[:2], *pictures[:2]]
    verdict = f'<div class="verdict {page.verdict.tone}"><p>{escape(page.verdict.sentence)}</p></div>'
    return wrapped(f"<b>{escape(page.title)}</b>{verdict}{fragment(shown)}")


def facts(lines: Sequence[tuple[str, ...]]) -> str:
    """A small table of words, the first of each line its name."""
    inner = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in lines
    )
    return f"<table>{inner}</table>"


def wrapped(inner: str) -> str:
    """HTML with the style of a report, for its own inside only."""
    return f'<div class="dovetail"><style>{scoped_style()}</style>{inner}</div>'


@cache
def scoped_style() -> str:
    """The style of a page, every rule of it for the inside of a block of class `dovetail` only, in light colours."""
    style = page_style()
    variables = re.search(r":root\s*\{(.*?)\}", style, re.S)
    assert variables is not None  # a page has its colours there
    style = re.sub(
        r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@page[^{]*\{[^{}]*\}|/\*.*?\*/", "", style, flags=re.S
    )
    rules = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        names = [name.strip() for name in selectors.split(",")]
        kept = [f".dovetail {name}" for name in names if name.split(" ")[0] not in SKIPPED]
        if kept:
            rules.append(f"{', '.join(kept)} {{{body}}}")
    ground = "background:#fff;color:var(--ink);padding:.6em .8em;max-width:868px;overflow-x:auto;"
    light = variables[1].replace("color-scheme: light dark;", "")
    return f".dovetail {{{light}{ground}}}\n" + "\n".join(rules) + PHONE
