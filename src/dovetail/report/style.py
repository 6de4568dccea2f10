"""How Dovetail's figures look, and how they become part of a page.

Colours are those of Okabe and Ito, which people with any common colour vision can tell apart; lines differ in
width and dash as well, so a grey print stays readable. In a page each colour is a variable, so that the same
figure suits light, dark and paper. Text is text: no formula is parsed, so a `$` in a name is a `$`.
"""

from __future__ import annotations

import io
import itertools
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, Locator

WIDTH = 7.2  # [in] of a full figure: at this width on paper the text is 10 pt
POINTS = 72  # dots per inch of an SVG
LETTERS = 11.0  # [px] that the smallest letters of a figure have on a screen, however small that is
ROOM = 70  # letters that fit beside each other over a full figure
HALF = 3.5  # [in] of a figure that shares its row with another

COLOURS: Mapping[str, str] = {  # name of the variable in a page: colour on white
    "ink": "#20252b",
    "faint": "#8b939c",
    "grid": "#d9dde2",
    "ideal": "#9aa1a9",
    "demand": "#0072b2",
    "measured": "#d55e00",
    "command": "#009e73",
    "critical": "#a5408c",
    "band": "#f3e6ef",
    "paper": "#fefefe",  # not white itself, which stays white in the dark
}

RC: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # wider than what a browser takes instead, so nothing runs over
    "font.size": 10.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.labelsize": 10.0,
    "legend.fontsize": 10.0,
    "legend.frameon": False,
    "text.parse_math": False,
    "text.color": COLOURS["ink"],
    "axes.labelcolor": COLOURS["ink"],
    "axes.edgecolor": COLOURS["faint"],
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "xtick.color": COLOURS["faint"],
    "xtick.labelcolor": COLOURS["ink"],
    "ytick.color": COLOURS["faint"],
    "ytick.labelcolor": COLOURS["ink"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": COLOURS["grid"],
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "axes.formatter.useoffset": False,
    "path.simplify": True,
    "path.simplify_threshold": 0.05,
    "svg.fonttype": "none",
    "svg.hashsalt": "dovetail",
}

_LOWERED = dict(zip("0123456789aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_LETTERS = {"alpha": "α", "beta": "β", "eps": "ε", "theta": "θ", "tau": "τ", "sigma": "σ", "gamma": "γ"}
_numbers = itertools.count(1)


def styled():
    """The style as a context: `with styled(): ...`."""
    return mpl.rc_context(dict(RC))


def new_figure(rows: int = 1, columns: int = 1, *, width: float = WIDTH, height: float = 2.4, **grid: Any):
    """A figure in the house style, `height` [in] tall, and its axes, an array (rows, columns).

    It belongs to nobody else: matplotlib's global list of figures does not know it.
    """
    with styled():
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **grid)
    return figure, axes


def symbol(text: str) -> str:
    """A symbol as people write it: `z_p` with a lowered p, `tau` as the letter."""
    base, _, below = text.partition("_")
    base = _LETTERS.get(base, base)
    if not all(character in _LOWERED for character in below):
        return f"{base}_{below}"
    return base + "".join(_LOWERED[character] for character in below)


def beside(names: Sequence[str], width: float = WIDTH) -> int:
    """How many names of a legend have room beside each other above a figure `width` [in] wide."""
    room = round(ROOM * width / WIDTH)
    return int(np.clip(room // (max(map(len, names), default=0) + 5), 1, 6))


def svg(figure: Figure, about: str = "") -> str:
    """A figure as an SVG element to stand inside a page: no file header, no fixed size, colours as variables.

    `about` says in words what it shows, for those who cannot see it.
    """
    buffer = io.StringIO()
    with styled():
        dpi, figure.dpi = figure.dpi, POINTS  # letters are measured as they will be drawn
        held = _laid_out(figure)
        nothing = {"Creator": None, "Date": None, "Format": None, "Type": None}
        FigureCanvasSVG(figure).print_svg(buffer, metadata=nothing)  # `savefig` draws twice
        figure.dpi = dpi
        for axis, locator in held.items():
            axis.set_major_locator(locator)
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<style type=.*?</style>", "", text, flags=re.DOTALL)
    head = text[: text.index(">") + 1]
    box = re.search(r'viewBox="([^"]*)"', head)
    assert box is not None  # matplotlib always writes one
    label = escape(about, quote=True)
    least = f"--least: {math.ceil(_legible(text, float(box[1].split()[2])))}px"
    new_head = f'<svg class="plot" viewBox="{box[1]}" style="{least}" role="img" aria-label="{label}">'
    return new_head + _shortened(_themed(_renamed(text[len(head) :])))


def _laid_out(figure: Figure) -> dict[Axis, Locator]:
    """Give everything its room, once, here: saving would draw all of it a second time for that.

    Room changes how many numbers an axis has, and longer numbers change the room. Where the axis has others in the end
    than those that were measured, they are held and measured again; the answer is what to give such an axis back.
    """
    held: dict[Axis, Locator] = {}
    engine = figure.get_layout_engine()
    if engine is None:
        return held
    engine.execute(figure)
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis) if ax.name == "rectilinear" else ():
            there, measured = axis.get_majorticklocs(), [tick.get_loc() for tick in axis.majorTicks]
            if list(there) != measured[: len(there)]:
                held[axis] = axis.get_major_locator()
                axis.set_major_locator(FixedLocator(list(there)))
    if held:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            try:
                engine.execute(figure)
            except (
                UserWarning
            ):  # there is no room for them: it stays as it is, with the numbers that it was laid out for
                for one, locator in held.items():
                    one.set_major_locator(locator)
                held.clear()
    figure.set_layout_engine("none")
    return held


def _legible(text: str, width: float) -> float:
    """Width [px] on a screen at which the smallest letters of a figure `width` wide are `LETTERS` tall."""
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:(?: [a-z0-9]+)*? ([0-9.]+)px", text)]
    return width * LETTERS / min(sizes, default=RC["font.size"])


def _renamed(text: str) -> str:
    """Ids made unique in a page that holds several figures."""
    mark = f"f{next(_numbers)}-"
    text = re.sub(r'\bid="([^"]+)"', rf'id="{mark}\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}\1)", text)
    return re.sub(r'(?:xlink:)?href="#([^"]+)"', rf'href="#{mark}\1"', text)


def _themed(text: str) -> str:
    """Colours as variables of the page, inside tags only: a name that looks like a colour stays as it is."""

    def themed(match: re.Match[str]) -> str:
        tag = match[0]
        for name, colour in COLOURS.items():
            tag = tag.replace(colour, f"var(--{name})")
        return tag

    return re.sub(r"<[^>]*>", themed, text)


def _shortened(text: str) -> str:
    """Paths with two decimals (a hundredth of a point) instead of six."""

    def short(match: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), match[0])

    return re.sub(r'\bd="[^"]*"', short, text)
