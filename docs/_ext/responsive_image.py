"""``{picture} path``: a picture, and on a phone the one beside it whose name ends with `-narrow`."""

import posixpath
from pathlib import Path
from urllib.parse import quote

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from phone_scraper import element, narrow_of, size


class picture(nodes.General, nodes.Element):
    """A picture, and after it the one for a phone, if there is one."""


class Picture(Directive):
    """``{picture} path``, with `alt` as for an image."""

    required_arguments = 1
    option_spec = {"alt": directives.unchanged_required}

    def run(self):
        wide, alt = self.arguments[0], self.options["alt"]
        _, there = self.state.document.settings.env.relfn2path(wide)
        both = [wide]
        if narrow_of(Path(there)).exists():
            both.append(str(narrow_of(Path(wide))))
        return [picture("", *(nodes.image(uri=uri, alt=alt) for uri in both), alt=alt)]


def visit_picture(self, node):
    """Both are images of the page, so they are copied as others are; here they become one element."""
    shown = []
    for image in node.children:
        name = posixpath.join(self.builder.imgpath, quote(self.builder.images[image["uri"]]))
        shown.append((name, size(Path(self.builder.srcdir) / image["uri"])))
    self.body.append(element(shown, node["alt"]))
    raise nodes.SkipNode


def setup(app):
    app.add_node(picture, html=(visit_picture, None))
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True}
