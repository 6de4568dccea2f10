"""How a test, a run and a campaign show themselves in a notebook: the loop drawn, the signals, the ranking.

Each is a piece of HTML that brings its own style, for its own inside only, and no script. Texts are escaped.
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
from dovetail.report.plot import plot
from dovetail.report.style import svg

SKIPPED = (":root", "*", "html", "body", "footer", "nav")  # rules for a page as a whole


def test_html(test: Any) -> str:
    """A test: its title, its loop, its length and rate."""
    from dovetail.testing import dump

    table = dump(test)
    about = f"{test.duration:g} s at {test.rate:g} Hz"
    if "rig" in table:
        inner = drawing.loop(table)
    else:
        kind = table.get("system", {}).get("kind", "system")
        inner = f"<p>Simulation of a {escape(str(kind))}, without a rig.</p>"
    source = f'<p class="quiet">{escape(str(table.get("source", "")))}</p>'
    return wrapped(f"<b>{escape(test.title or 'untitled test')}</b>, {escape(about)}{inner}{source}")


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
    rows = [("of", campaign.of), ("design", f"{campaign.kind}, {number} points{seeds}")]
    rows += [(axis.name, f"{', '.join(axis.paths)}: {axis}") for axis in campaign.axes]
    rows += [("correlation", f"{a} and {b}: {value:g}") for a, b, value in campaign.correlations]
    rows += [("measures", ", ".join(campaign.measures))] if campaign.measures else []
    return wrapped(f"<b>{escape(campaign.title or 'campaign')}</b>{facts(rows)}")


def campaign_html(folder: str | Path) -> str:
    """A campaign that was computed: its verdict, what was varied, and its first measure's ranking and map."""
    from dovetail.report.campaign import campaign_page
    from dovetail.report.html import fragment
    from dovetail.report.page import Block, Picture, Section

    page = campaign_page(folder)
    sections = [block for block in page.blocks if isinstance(block, Section)]
    pictures = [b for section in sections for b in section.blocks if isinstance(b, Picture)]
    shown: list[Block] = [*sections[:2], *pictures[:2]]
    verdict = f'<div class="verdict {page.verdict.tone}"><p>{escape(page.verdict.sentence)}</p></div>'
    return wrapped(f"<b>{escape(page.title)}</b>{verdict}{fragment(shown)}")


def facts(rows: Sequence[tuple[str, str]]) -> str:
    """A small table of words."""
    inner = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
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
    return f".dovetail {{{light}{ground}}}\n" + "\n".join(rules)
