"""Test section of a report: drawing of the loop, parameters, versions, seed, references."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata

from dovetail import __version__
from dovetail.report import drawing, parameters
from dovetail.report.judged import Judged
from dovetail.report.page import Block, Collapsible, Drawing, PageTable, Paragraph

PACKAGES = ("jax", "jaxlib", "equinox", "numpy", "scipy", "xarray", "matplotlib")


def test_section(view: Judged) -> list[Block]:
    """Return the drawing of the loop and the source of the parameters."""
    declared_by()  # first, because it registers the kinds of parts
    blocks: list[Block] = [
        Paragraph(
            "In a hybrid test one part of a machine is on the rig; the other part is simulated. At each tick the "
            "simulation computes a displacement, the rig imposes it on the specimen, and the measured force is fed "
            "back to the simulation. With an ideal rig the test equals the reference solution, in which both parts "
            "are coupled directly."
        )
    ]
    if view.test:
        blocks.append(Drawing(drawing.loop(view.test) + drawing.upright(view.test)))
        if view.test.get("source"):
            blocks.append(Paragraph(f"Parameter source: {view.test['source']}"))
    else:
        blocks.append(Paragraph("No parameters recorded."))
    return blocks


def every_parameter(view: Judged) -> list[Block]:
    """Return a table of all parameters of the test, one row for each."""
    rows = [[r.path, r.value, r.unit, r.about] for r in parameters.rows(view.test, declared_by())]
    rows = [row for row in rows if row[0] not in ("title", "source")]
    head = ["parameter", "value", "unit", "meaning"]
    return [PageTable(head, rows, "", numbers=(1,), dense=True, has_explanations=True)]


def provenance(views: Sequence[Judged]) -> list[Block]:
    """Return versions, seed, resolved tests and references, for repeating and citing the runs."""
    seeds = dict.fromkeys(str(view.test["seed"]) for view in views if "seed" in view.test)
    blocks: list[Block] = [versions({"seed": ", ".join(seeds)} if seeds else {})]
    for view in views:
        if view.test:
            text = json.dumps(view.test, indent=2, ensure_ascii=False, default=str)
            of = f" of {view.label}" if len(views) > 1 else ""
            blocks.append(Collapsible(f"Resolved test{of}", text))
    sources = _sources(views)
    if sources:
        blocks.append(Collapsible("References (BibTeX)", sources))
    return blocks


def versions(more: Mapping[str, str]) -> Paragraph:
    """Return a sentence with the versions of Python, Dovetail and its dependencies, and `more`."""
    rows = [["Python", platform.python_version()], ["Dovetail", __version__]]
    for name in PACKAGES:
        try:
            rows.append([name, metadata.version(name)])
        except metadata.PackageNotFoundError:
            continue
    text = ", ".join(f"{name} {value}" for name, value in [*rows, *more.items()])
    return Paragraph(f"Computed by {text}.")


def _sources(views: Sequence[Judged]) -> str:
    """Return BibTeX entries of the parts of the tests and of the sources of their parameters."""
    from dovetail.studies import citation

    keys: dict[str, None] = {}
    for view in views:
        named = str(view.test.get("source", ""))
        keys |= dict.fromkeys(key for key in citation.bibliography() if key in named)
        keys |= dict.fromkeys(citation.references(view.runnable))
    return "\n\n".join(citation.entry(key) for key in keys)


def declared_by() -> dict[str, type]:
    """Return the classes of the tables of a test that have no `kind`."""
    from dovetail import compensation, mechanics, specimens, testing, transfer  # noqa: F401 - parts register

    return {"": testing.Test, "rig": testing.Rig, "limits": testing.Limits}
