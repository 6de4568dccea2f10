"""Style of figures, and conversion of figures to SVG for a page.

Colours are those of Okabe and Ito, distinguishable with all common types of colour vision. Lines also differ in width
and dash, so a grey print stays readable. In a page each colour is a CSS variable, so one figure suits light mode, dark
mode and paper. Formulas in texts are not parsed: a `$` in a name is printed as `$`.
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

WIDTH = 7.2  # [in] width of a full figure; printed at this width the text has 10 pt
POINTS = 72  # [1/in] resolution of an SVG
LETTERS = 11.0  # [px] size of the smallest letters of a figure on any screen
ROOM = 70  # letters that fit in one line above a full figure
HALF = 3.5  # [in] width of a figure that shares its row with another

COLOURS: Mapping[str, str] = {  # name of the CSS variable: colour on white
    "ink": "#20252b",
    "faint": "#8b939c",
    "grid": "#d9dde2",
    "reference": "#9aa1a9",
    "demand": "#0072b2",
    "measured": "#d55e00",
    "command": "#009e73",
    "critical": "#a5408c",
    "band": "#f3e6ef",
    "paper": "#fefefe",  # not pure white, which stays white in dark mode
}
# the colours of figures change in dark mode; the others differ from them in both modes
SHADES = ("#0072b2", "#d55e00", "#009e73", "#a5408c", "#9b6b43", "#b8860b", "#20252b", "#8b939c")

RC: Mapping[Any, Any] = {  # keys are the names of matplotlib
    "font.family": "DejaVu Sans",  # wider than the font a browser substitutes, so text fits
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


def figure_style():
    """Return a context with the figure style: `with figure_style(): ...`."""
    return mpl.rc_context(dict(RC))


def new_figure(rows: int = 1, columns: int = 1, *, width: float = WIDTH, height: float = 2.4, **grid: Any):
    """Return a styled figure, `height` [in] tall, and its axes, an array (rows, columns).

    The figure is not registered in matplotlib's global list of figures.
    """
    with figure_style():
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, **grid)
    return figure, axes


def symbol(text: str) -> str:
    """Return a symbol in Unicode: `z_p` with a subscript p, `tau` as a Greek letter."""
    base, _, below = text.partition("_")
    base = _LETTERS.get(base, base)
    if not all(character in _LOWERED for character in below):
        return f"{base}_{below}"
    return base + "".join(_LOWERED[character] for character in below)


def legend_columns(names: Sequence[str], width: float = WIDTH) -> int:
    """Return the number of legend columns that fit above a figure `width` [in] wide."""
    room = round(ROOM * width / WIDTH)
    return int(np.clip(room // (max(map(len, names), default=0) + 5), 1, 6))


def svg(figure: Figure, about: str = "") -> str:
    """Return a figure as an SVG element for a page: no file header, no fixed size, colours as CSS variables.

    `about` is the description for screen readers.
    """
    buffer = io.StringIO()
    with figure_style():
        dpi, figure.dpi = figure.dpi, POINTS  # text is measured at the resolution of the output
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
    return new_head + _shorten_paths(_theme_colours(_unique_ids(text[len(head) :])))


def _laid_out(figure: Figure) -> dict[Axis, Locator]:
    """Run the layout engine once and switch it off; saving would draw the figure twice for the layout.

    The space of an axis changes the number of its ticks, and longer tick labels change the space. If the ticks after
    the layout differ from those measured, they are fixed and the layout is repeated. Return the original locator of
    each axis with fixed ticks.
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
            except UserWarning:  # no space for them: keep the first layout with its ticks
                for one, locator in held.items():
                    one.set_major_locator(locator)
                held.clear()
    figure.set_layout_engine("none")
    return held


def _legible(text: str, width: float) -> float:
    """Return the width [px] on a screen at which the smallest letters of a figure `width` wide are `LETTERS` tall."""
    sizes = [float(size) for size in re.findall(r"font(?:-size)?:(?: [a-z0-9]+)*? ([0-9.]+)px", text)]
    return width * LETTERS / min(sizes, default=RC["font.size"])


def _unique_ids(text: str) -> str:
    """Make ids unique in a page with several figures."""
    mark = f"f{next(_numbers)}-"
    text = re.sub(r'\bid="([^"]+)"', rf'id="{mark}\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}\1)", text)
    return re.sub(r'(?:xlink:)?href="#([^"]+)"', rf'href="#{mark}\1"', text)


def _theme_colours(text: str) -> str:
    """Replace colours by CSS variables inside tags; text that looks like a colour stays."""

    def themed(match: re.Match[str]) -> str:
        tag = match[0]
        for name, colour in COLOURS.items():
            tag = tag.replace(colour, f"var(--{name})")
        return tag

    return re.sub(r"<[^>]*>", themed, text)


def _shorten_paths(text: str) -> str:
    """Shorten path coordinates to two decimals (a hundredth of a point)."""

    def short(match: re.Match[str]) -> str:
        return re.sub(r"-?\d+\.\d{3,}", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), match[0])

    return re.sub(r'\bd="[^"]*"', short, text)
