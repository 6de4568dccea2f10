"""What a report consists of: a page with a verdict and blocks, told apart from how it is drawn.

>>> page = Page("A test", Verdict("Stable: it works.", "good"), [PageSection("Outcome", [Text("It ended.")])])
>>> page.write("report.html")  # doctest: +SKIP

All texts are plain: markup in them appears as it was typed. Figures are matplotlib's; drawings are SVG that
Dovetail itself made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from matplotlib.figure import Figure

from dovetail.core.errors import OutputError, ParameterError

Tone = Literal["plain", "good", "caution", "bad"]


@dataclass(frozen=True)
class Verdict:
    """The answer in a sentence; its first word or two, up to a colon, is set in bold."""

    sentence: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Tile:
    """A question that a reader comes with, its answer in a few words, and what stands behind it."""

    question: str
    answer: str
    text: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class PixelPicture:
    """A picture made of pixels, as the bytes of a JPEG file; another where the screen is narrow."""

    jpeg: bytes
    caption: str
    size: tuple[int, int]
    narrow: bytes


@dataclass(frozen=True)
class Text:
    """A paragraph; with a tone other than plain it is set apart."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class TableCell:
    """A cell of a table with a tone."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class PageTable:
    """A table: a head, and rows of texts, numbers or `TableCell`s. Columns of `numbers` are set flush right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str | float | TableCell]]
    caption: str = ""
    numbers: Sequence[int] = ()  # positions of columns of numbers
    dense: bool = False  # small, for long tables
    told: bool = False  # the last column says what the others mean; a phone shows it below them

    def __post_init__(self):
        for row in self.rows:
            if len(row) != len(self.head):
                raise ParameterError(
                    f"a row of {len(row)} cells in a table of {len(self.head)} columns: {list(row)}"
                )


@dataclass(frozen=True)
class Picture:
    """A matplotlib figure with a caption that says what to see in it."""

    figure: Figure
    caption: str


@dataclass(frozen=True)
class Pair:
    """Two narrow pictures side by side."""

    left: Picture
    right: Picture


@dataclass(frozen=True)
class Drawing:
    """An SVG element made by Dovetail; it is put into the page as it is."""

    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Folded:
    """Preformatted text that opens on a click, such as the resolved test."""

    summary: str
    text: str


@dataclass(frozen=True)
class PageSection:
    """Blocks under a heading."""

    title: str
    blocks: Sequence[Block]


Block = Text | PageTable | Picture | Pair | Drawing | Folded | PageSection


@dataclass(frozen=True)
class Page:
    """A report: a title, what one wants to know first, and blocks."""

    title: str
    verdict: Verdict
    blocks: Sequence[Block] = field(default_factory=tuple)
    subtitle: str = ""
    tiles: Sequence[Tile] = ()  # where there are some they stand in place of the verdict
    still: PixelPicture | None = None  # below them: what it looked like
    playback: str = ""  # the run to be played in place of that, as JSON

    def html(self, phones: bool = True) -> str:
        """The page as self-contained HTML; its figures once more for `phones`, which takes as long again."""
        from dovetail.report.html import render

        return render(self, phones)

    def write(self, path: str | Path, phones: bool = True) -> Path:
        """Write the page to a file, whole or not at all."""
        path = Path(path)
        text = self.html(phones)
        try:
            partial = path.with_name(path.name + ".partial")
            partial.write_text(text, "utf-8")
            partial.replace(path)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(
                f"{path}: cannot be written ({reason}); choose another place for the report"
            ) from error
        return path
