"""Content of a report: a page with a verdict and blocks, independent of the output format (see `html`).

>>> page = Page("A test", Verdict("Stable: margin 3 ms.", "good"), [PageSection("Outcome", [Paragraph("Finished.")])])
>>> write_page(page, "report.html")  # doctest: +SKIP

All texts are plain text: markup is escaped. Figures are matplotlib figures; drawings are SVG made by Dovetail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from matplotlib.figure import Figure

from dovetail.core.errors import ParameterError

Tone = Literal["plain", "good", "caution", "bad"]


@dataclass(frozen=True)
class Verdict:
    """Verdict in a sentence; the words before the colon are set in bold."""

    sentence: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class Tile:
    """Summary tile: heading, answer in a few words, and details."""

    question: str
    answer: str
    text: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class PixelPicture:
    """Raster image as the bytes of a JPEG file, with a second image for narrow screens."""

    jpeg: bytes
    caption: str
    size: tuple[int, int]
    narrow: bytes


@dataclass(frozen=True)
class Paragraph:
    """Paragraph; a tone other than plain sets it off from the text."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class TableCell:
    """Table cell with a tone."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True)
class PageTable:
    """Table with a head and rows of texts, numbers or `TableCell`s. The columns in `numbers` are right-aligned."""

    head: Sequence[str]
    rows: Sequence[Sequence[str | float | TableCell]]
    caption: str = ""
    numbers: Sequence[int] = ()  # positions of columns of numbers
    dense: bool = False  # small print for long tables
    has_explanations: bool = False  # the last column explains the others; a phone shows it below them

    def __post_init__(self):
        for row in self.rows:
            if len(row) != len(self.head):
                raise ParameterError(
                    f"PageTable.rows: a row has {len(row)} cells, the head has {len(self.head)} columns: {list(row)}"
                )


@dataclass(frozen=True)
class FigureBlock:
    """Matplotlib figure with a caption."""

    figure: Figure
    caption: str


@dataclass(frozen=True)
class SideBySide:
    """Two narrow figures side by side."""

    left: FigureBlock
    right: FigureBlock


@dataclass(frozen=True)
class Drawing:
    """SVG element made by Dovetail, inserted unchanged."""

    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Collapsible:
    """Collapsible preformatted text, such as the resolved test."""

    summary: str
    text: str


@dataclass(frozen=True)
class PageSection:
    """Blocks under a heading."""

    title: str
    blocks: Sequence[Block]


Block = Paragraph | PageTable | FigureBlock | SideBySide | Drawing | Collapsible | PageSection


@dataclass(frozen=True)
class Page:
    """Report page: title, verdict or tiles, and blocks."""

    title: str
    verdict: Verdict
    blocks: Sequence[Block] = field(default_factory=tuple)
    subtitle: str = ""
    tiles: Sequence[Tile] = ()  # if not empty, shown instead of the verdict
    still: PixelPicture | None = None  # image of the run below the tiles
    playback: str = ""  # 3-D playback instead of the image, as JSON
