"""Figures of the gallery as they were drawn, once more for a phone, and one panel of each for its thumbnail."""

import html
import re
from pathlib import Path

from matplotlib.gridspec import GridSpec
from PIL import Image

from dovetail.report.html import PHONE
from dovetail.report.phone_layout import NARROW, phone_layout

INCH = 82.0  # [px] of a figure's inch on the page: letters of 10 pt are 11 px tall there
FINE = 2  # pixels of the file beside each other in one of the page
THUMBNAIL = (4.0, 2.8)  # [in]: the shape that the gallery gives it


def phone_scraper(block, block_vars, gallery_conf):
    """Save every figure that is open, in both layouts, and say where they are."""
    import matplotlib.pyplot as plt

    words = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        path = Path(next(block_vars["image_path_iterator"])).with_suffix(".webp")
        words.append(told(figure, path, gallery_conf))
        save_both(figure, path)
        save_panel(figure, path.with_suffix(".png"))  # the gallery takes it before a WebP of the same name
    plt.close("all")
    return "\n".join(words)


def told(figure, path, gallery_conf):
    """Return the HTML of a picture."""
    place = path.relative_to(gallery_conf["src_dir"]).as_posix()
    return f"\n.. picture:: /{place}\n   :alt: {in_words(figure)}\n"


def save_both(figure, path, phone=None):
    """The figure as it is, and for a phone if it is wider than one; `phone` is a figure that was drawn for it."""
    narrow = narrow_of(path)
    narrow.unlink(missing_ok=True)
    _save(figure, path)
    if phone is not None:
        _save(phone, narrow)
    elif figure.get_figwidth() > NARROW:
        with phone_layout(figure):
            _save(figure, narrow)


def _save(figure, path):
    figure.draw_without_rendering()  # what is laid out anew finds its place at the second time
    if path.suffix == ".svg":
        figure.savefig(path, facecolor="white")
    else:  # no colour is changed: a line of one pixel has none to spare
        exactly = {"lossless": True, "quality": 90, "method": 4}
        figure.savefig(path, dpi=FINE * INCH, facecolor="white", pil_kwargs=exactly)


def save_panel(figure, path):
    """The first panel of a figure alone, without words that would be too small. The others are gone after it."""
    panels = [ax for ax in figure.axes if ax.get_subplotspec() is not None]
    first = panels[0].get_subplotspec() if panels else None
    if any(ax.get_subplotspec() != first for ax in panels):
        for ax in panels:
            for drawn in (*ax.collections, *ax.images):
                if drawn.colorbar is not None:
                    drawn.colorbar.remove()
        for ax in panels:
            if ax.get_subplotspec() != first:
                ax.remove()
        for ax in figure.axes:
            ax.set_subplotspec(GridSpec(1, 1, figure=figure)[0])
            ax.tick_params(labelleft=True, labelbottom=True)
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes)]
    for legend in filter(None, legends):
        legend.remove()
    for ax in figure.axes:
        for place in ("left", "center", "right"):
            ax.set_title("", loc=place)
    figure.set_size_inches(THUMBNAIL)
    figure.savefig(path, dpi=100, facecolor="white")


def narrow_of(path):
    """Return the path of the phone layout."""
    return path.with_name(f"{path.stem}-narrow{path.suffix}")


def in_words(figure):
    """Return the alternative text of a figure: titles of its panels, or axis labels."""
    said = []
    for ax in figure.axes:
        title = ax.get_title("left") or ax.get_title() or ax.get_title("right")
        said.append(title or " over ".join(filter(None, (ax.get_ylabel(), ax.get_xlabel()))))
    return re.sub(r"\s+", " ", "; ".join(filter(None, dict.fromkeys(said)))) or "the figure of this example"


def size(path):
    """Width and height [px] that a picture has on a page with room for it."""
    if path.suffix == ".svg":
        head = path.read_text("utf-8")[:2000]
        points = [float(re.search(rf'\b{side}="([\d.]+)pt"', head)[1]) for side in ("width", "height")]
        return tuple(INCH * length / 72 for length in points)
    with Image.open(path) as image:
        return tuple(length / (1 if path.suffix == ".gif" else FINE) for length in image.size)


def element(shown, alt):
    """The picture in a page: `shown` are address and size of it, and of the one for a phone, if there is one."""
    (source, room), *phone = [(name, 'width="{:.0f}" height="{:.0f}"'.format(*px)) for name, px in shown]
    inner = "".join(f'<source media="(max-width: {PHONE}px)" srcset="{name}" {less}>' for name, less in phone)
    image = f'<img src="{source}" {room} alt="{html.escape(alt)}" loading="lazy">'
    return f'<picture class="figure">{inner}{image}</picture>'
