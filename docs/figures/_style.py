"""One look for the figures of the text: quiet axes, few colours, text that stays text in the SVG."""

import matplotlib as mpl

INK, BLUE, ORANGE, GREEN, GREY = "#222222", "#1f6fb2", "#d9730d", "#3a8a4d", "#9a9a9a"
QUIET = "#666666"  # words that stand back, and can still be read

mpl.use("Agg")
mpl.rcParams.update(
    {
        "svg.fonttype": "none",
        "text.parse_math": True,  # whatever an example left set
        "font.size": 10,
        "font.family": "sans-serif",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "text.color": INK,
        "lines.linewidth": 1.8,
        "figure.dpi": 100,
    }
)
