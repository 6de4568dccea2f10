"""Animations of gallery examples as GIF pictures, which need neither a script nor a player."""

from pathlib import Path

from sphinx_gallery.scrapers import figure_rst


def gif_scraper(block, block_vars, gallery_conf):
    """Save each animation that an example has made, and take its figure from the other scrapers."""
    import matplotlib.pyplot as plt
    from matplotlib.animation import Animation, PillowWriter

    paths = []
    for name, value in list(block_vars["example_globals"].items()):
        if isinstance(value, Animation):
            path = Path(next(block_vars["image_path_iterator"])).with_suffix(".gif")
            value.save(path, writer=PillowWriter(fps=1000 / value._interval))
            plt.close(value._fig)
            del block_vars["example_globals"][name]
            paths.append(str(path))
    return figure_rst(paths, gallery_conf["src_dir"])
