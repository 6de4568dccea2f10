"""Conversion of a page to one self-contained HTML file, with style and figures, without external resources.

All texts are escaped in this module, so markup in a test file appears as it was typed. A content security policy
forbids scripts (except the playback script) and external resources.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path

from dovetail.core import plain_file
from dovetail.core.errors import OutputError, reason
from dovetail.report.page import (
    Block,
    Collapsible,
    Drawing,
    FigureBlock,
    Page,
    PageSection,
    PageTable,
    Paragraph,
    PixelPicture,
    SideBySide,
    TableCell,
    Tile,
    Verdict,
)
from dovetail.report.phone_layout import NARROW, phone_layout
from dovetail.report.style import svg

PHONE = 560  # [px] screen width below which the phone layout is used; also in page.css
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@cache
def page_style() -> str:
    """Return the style sheet of a page."""
    return resources.files("dovetail.report").joinpath("page.css").read_text("utf-8")


def render(page: Page, phones: bool = True) -> str:
    """Return the page as self-contained HTML; `phones` draws each figure a second time for narrow screens."""
    sections = [block for block in page.blocks if isinstance(block, PageSection)]
    subtitle = f'<p class="subtitle">{escape(page.subtitle)}</p>' if page.subtitle else ""
    links = "".join(f'<a href="#s{i}">{escape(s.title)}</a>' for i, s in enumerate(sections, 1))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(page)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="generator" content="Dovetail">',
            f"<title>{escape(page.title)}</title>",
            f"<style>\n{page_style()}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{escape(page.title)}</h1>{subtitle}</header>",
            _tiles(page.tiles) if page.tiles else _verdict(page.verdict),
            _playback_html(page) if page.playback else _still(page.still),
            f'<nav aria-label="Contents">{links}</nav>' if len(sections) > 2 else "",
            f"<main>\n{_blocks(page.blocks, 2, phones)}\n</main>",
            "<footer>Written by Dovetail. Self-contained page without external resources.</footer>",
            "</body>",
            "</html>",
            "",
        ]
    )


def write_page(page: Page, path: str | Path, phones: bool = True) -> Path:
    """Write the page to a file; if writing fails, an existing file is left unchanged."""
    path = Path(path)
    text = render(page, phones)
    try:
        plain_file.write(path, text)
    except OSError as error:
        text = f"{path}: cannot be written ({reason(error)}); choose another file for the report"
        raise OutputError(text) from error
    return path


def fragment(blocks: Sequence[Block]) -> str:
    """Return blocks as HTML without a page, for wide screens."""
    return _blocks(blocks, 3, phones=False)


def _blocks(blocks: Sequence[Block], level: int, phones: bool) -> str:
    out, number = [], 0
    for block in blocks:
        if isinstance(block, PageSection):
            number += 1
            anchor = f' id="s{number}"' if level == 2 else ""
            heading = f"h{min(level, 4)}"
            inner = _blocks(block.blocks, level + 1, phones)
            out.append(
                f"<section{anchor}>\n<{heading}>{escape(block.title)}</{heading}>\n{inner}\n</section>"
            )
        else:
            out.append(_block(block, phones))
    return "\n".join(out)


def _block(block: Block, phones: bool) -> str:
    if isinstance(block, Paragraph):
        paragraph = f"<p>{escape(block.text)}</p>"
        return paragraph if block.tone == "plain" else f'<div class="callout {block.tone}">{paragraph}</div>'
    if isinstance(block, PageTable):
        return _table(block)
    if isinstance(block, FigureBlock):
        return _picture(block, phones)
    if isinstance(block, SideBySide):
        return f'<div class="pair">{_picture(block.left, phones)}{_picture(block.right, phones)}</div>'
    if isinstance(block, Drawing):
        return f"<figure>{block.svg}{_caption(block.caption)}</figure>"
    if isinstance(block, Collapsible):
        return f"<details><summary>{escape(block.summary)}</summary><pre>{escape(block.text)}</pre></details>"
    raise TypeError(f"not a block of a page: {type(block).__name__}")


def _verdict(verdict: Verdict) -> str:
    mark, colon, rest = verdict.sentence.partition(":")
    if colon and re.fullmatch(r"[\w ,-]{1,40}", mark):
        text = f'<span class="mark">{escape(mark)}:</span>{escape(rest)}'
    else:
        text = escape(verdict.sentence)
    return f'<div class="verdict {verdict.tone}"><p>{text}</p></div>'


def _tiles(tiles: Sequence[Tile]) -> str:
    def one(tile: Tile) -> str:
        more = f"<p>{escape(tile.text)}</p>" if tile.text else ""
        unbroken = escape(tile.answer).replace(" %", "\u00a0%")
        answer = f'<p class="answer mark">{unbroken}</p>'
        return f'<div class="tile {tile.tone}"><h2>{escape(tile.question)}</h2>{answer}{more}</div>'

    return f'<div class="tiles">{"".join(one(tile) for tile in tiles)}</div>'


def _policy(page: Page) -> str:
    from dovetail.report.interactive import policy

    return f"{POLICY}; {policy()}" if page.playback else POLICY


def _playback_html(page: Page) -> str:
    """Return the 3-D playback; without scripts the browser shows the image."""
    from dovetail.report.interactive import script

    data = page.playback.replace("<", "\\u003c")  # a name cannot close the element
    return (
        f'<noscript>{_still(page.still)}</noscript><section id="player" aria-label="Playback of the run"></section>'
        f'<script type="application/json" id="playback">{data}</script>\n<script>{script()}</script>'
    )


def _still(still: PixelPicture | None) -> str:
    if still is None:
        return ""
    wide, narrow = (
        f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}"
        for jpeg in (still.jpeg, still.narrow)
    )
    size = f'width="{still.size[0]}" height="{still.size[1]}"'
    image = f'<img alt="{escape(still.caption, quote=True)}" {size} src="{wide}">'
    phone = f'<source media="screen and (max-width: {PHONE}px)" srcset="{narrow}">'
    return f'<figure class="still"><picture>{phone}{image}</picture>{_caption(still.caption)}</figure>'


def _table(table: PageTable) -> str:
    def kind(i: int) -> str:
        return ' class="number"' if i in table.numbers else ""

    def cell(i: int, value: str | float | TableCell) -> str:
        if isinstance(value, TableCell):
            return (
                f'<td class="{value.tone}{" number" if i in table.numbers else ""}">{escape(value.text)}</td>'
            )
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
        return f"<td{kind(i)}>{escape(text)}</td>"

    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    head = "".join(f'<th scope="col"{kind(i)}>{escape(name)}</th>' for i, name in enumerate(table.head))
    rows = "".join(f"<tr>{''.join(cell(i, v) for i, v in enumerate(row))}</tr>\n" for row in table.rows)
    names = ["dense"] * table.dense + ["explained"] * table.has_explanations
    style = f' class="{" ".join(names)}"' if names else ""
    inner = f"{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>"
    return f'<div class="scroll"><table{style}>{inner}</table></div>'


def _picture(picture: FigureBlock, phones: bool) -> str:
    """Return a figure; a wide figure also in phone layout, of which the style sheet shows one."""
    drawn = svg(picture.figure, picture.caption)
    if phones and picture.figure.get_figwidth() > NARROW:
        with phone_layout(picture.figure):
            phone = svg(picture.figure, picture.caption)
        drawn = drawn.replace('class="plot"', 'class="plot wide"', 1)
        drawn += phone.replace('class="plot"', 'class="plot narrow"', 1)
    return f"<figure>{drawn}{_caption(picture.caption)}</figure>"


def _caption(text: str) -> str:
    return f"<figcaption>{escape(text)}</figcaption>" if text else ""
