"""Sphinx configuration: `make docs`. Warnings are errors."""

import os
import runpy
import sys
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

project = "Dovetail"
author = "The Dovetail developers"
copyright = "2026, The Dovetail developers"
version = release = metadata.version("dovetail-hybrid")

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinxcontrib.bibtex",
    "mathml",
    "plain_docstrings",
    "parameter_table",
    "project_tables",
    "responsive_image",
]
exclude_patterns = ["_build", "figures", "**/README.md"]
templates_path = ["_templates"]
suppress_warnings = ["ref.python"]  # two packages may each have a `Chain`; an annotation does not say which
default_role = "code"

html_theme = "furo"
html_title = f"Dovetail {release}"
html_static_path = ["_static"]
html_css_files = ["dovetail.css"]
html_show_sphinx = False
html_copy_source = False

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
bibtex_bibfiles = ["../src/dovetail/references.bib"]
bibtex_reference_style = "author_year"

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

# The gallery runs every script of ../examples and shows its figures, so a picture is proof that it works.
if any((HERE.parent / "examples").rglob("*.py")):
    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = {
        "examples_dirs": ["../examples"],
        "gallery_dirs": ["gallery"],
        "filename_pattern": r"\.py",
        "subsection_order": [
            f"../examples/{name}"
            for name in ("substructuring", "docking", "refuelling", "capture", "shipboard", "campaigns")
        ],
        "within_subsection_order": "FileNameSortKey",
        "download_all_examples": False,
        "remove_config_comments": True,
        "abort_on_example_error": True,
        "write_computation_times": False,
        "matplotlib_animations": (True, "jshtml"),
        "show_memory": False,
        "capture_repr": ("_repr_html_",),  # what is printed, not what the last line of a block happens to be
        "image_scrapers": ("gif_scraper.gif_scraper", "phone_scraper.phone_scraper"),
    }


def draw(app):
    """Draw the figures of the text into _build/figures. A script may also define a `narrow` figure, for phones."""
    from phone_scraper import save_both

    folder = HERE / "_build" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    for script in sorted((HERE / "figures").glob("[!_]*.py")):
        drawn = runpy.run_path(str(script))
        phone = drawn["narrow"]() if "narrow" in drawn else None
        save_both(drawn["figure"](), folder / f"{script.stem}.svg", phone)


def leave_out_empty_gallery(app, docname, source):
    """Without examples there is no gallery to list."""
    if docname == "index" and "sphinx_gallery.gen_gallery" not in extensions:
        source[0] = source[0].replace("\ngallery/index", "")


def open_where_the_reader_is(app, page, template, context, doctree):
    """The tree of pages beside each has the branch of that page: with all of it, each page were 120 kB larger."""
    whole = context.get("toctree")
    if whole is not None:
        context["toctree"] = lambda **asked: whole(**{**asked, "collapse": True})


def setup(app):
    app.connect("html-page-context", open_where_the_reader_is, priority=100)  # before the theme asks for it
    app.connect("builder-inited", draw)
    app.connect("source-read", leave_out_empty_gallery)
