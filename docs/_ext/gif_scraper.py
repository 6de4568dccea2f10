"""Animations of gallery examples as GIF pictures, which need neither a script nor a player; once more for a phone."""

from pathlib import Path

from matplotlib.gridspec import GridSpec
from matplotlib.text import Text
from phone_scraper import INCH, narrow_of, save_panel, told

from dovetail.report.phone_layout import LETTERS, NARROW


def gif_scraper(block, block_vars, gallery_conf):
    """Save each animation that an example has made, and take its figure from the other scrapers."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import Animation, PillowWriter

    words = []
    for name, value in list(block_vars["example_globals"].items()):
        if isinstance(value, Animation):
            path = Path(next(block_vars["image_path_iterator"])).with_suffix(".gif")
            figure, writer = value._fig, PillowWriter(fps=1000 / value._interval)
            enlarge(figure)
            value.save(path, writer=writer, dpi=INCH)
            words.append(told(figure, path, gallery_conf))
            stack(figure)
            value.save(narrow_of(path), writer=writer, dpi=INCH)
            save_panel(figure, path.with_suffix(".png"))  # the gallery takes it before a GIF of the same name
            plt.close(figure)
            del block_vars["example_globals"][name]
    return "\n".join(words)


def enlarge(figure):
    """No letters that are smaller than those of other figures."""
    for ax in figure.axes:
        ax.tick_params(labelsize=LETTERS)
    for text in figure.findobj(Text):
        text.set_fontsize(max(text.get_fontsize(), LETTERS))


def stack(figure):
    """Panels below instead of beside each other, in the shape that they have: what is spatial has no other."""
    wide, tall = figure.get_size_inches()
    panels = [ax for ax in figure.axes if ax.get_subplotspec() is not None]
    for row, ax in enumerate(panels):
        ax.set_subplotspec(GridSpec(len(panels), 1, figure=figure)[row])
    number = max(len(panels), 1)
    scale = min(1.0, NARROW / (wide / number))
    figure.set_size_inches(scale * wide / number, scale * tall * number)
    for ax in figure.axes:
        if ax.name == "3d":  # its words keep their size, and stand outside
            place = ax.get_position()
            ax.set_position(place.shrunk(scale, scale).anchored("C", place))
