"""What was tested and where it comes from: the loop as a drawing, every parameter, versions, seed, sources."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata

from dovetail import __version__
from dovetail.report import drawing, parameters
from dovetail.report.judged import Judged
from dovetail.report.page import Block, Drawing, Folded, PageTable, Text

PACKAGES = ("jax", "jaxlib", "equinox", "diffrax", "numpy", "scipy", "xarray", "matplotlib")


def tested(view: Judged) -> list[Block]:
    """The loop as a drawing, and where its numbers come from."""
    declared_by()  # first of all, as it makes the parts known by their kinds
    blocks: list[Block] = [
        Text(
            "In a hybrid test one part of a machine is on the rig, the rest is simulated. Each tick the "
            "simulation computes a displacement, the rig imposes it on the specimen, and the measured force "
            "goes back into the simulation. The closer the rig follows, the closer the test is to the "
            "complete machine, the ideal."
        )
    ]
    if view.test:
        blocks.append(Drawing(drawing.loop(view.test) + drawing.upright(view.test)))
        if view.test.get("source"):
            blocks.append(Text(f"Source of the numbers: {view.test['source']}"))
    else:
        blocks.append(Text("The run does not carry its parameters."))
    return blocks


def every_parameter(view: Judged) -> list[Block]:
    """The whole test, a row a parameter."""
    rows = [[r.path, r.value, r.unit, r.about] for r in parameters.rows(view.test, declared_by())]
    rows = [row for row in rows if row[0] not in ("title", "source")]
    head = ["parameter", "value", "unit", "meaning"]
    return [PageTable(head, rows, "", numbers=(1,), dense=True, told=True)]


def provenance(views: Sequence[Judged]) -> list[Block]:
    """Versions, seed, resolved tests and sources: what it takes to repeat and to cite."""
    seeds = dict.fromkeys(str(view.test["seed"]) for view in views if "seed" in view.test)
    blocks: list[Block] = [versions({"seed": ", ".join(seeds)} if seeds else {})]
    for view in views:
        if view.test:
            text = json.dumps(view.test, indent=2, ensure_ascii=False, default=str)
            of = f" of {view.label}" if len(views) > 1 else ""
            blocks.append(Folded(f"Resolved test{of}, every default written out", text))
    sources = _sources(views)
    if sources:
        blocks.append(Folded("Sources, as BibTeX", sources))
    return blocks


def versions(more: Mapping[str, str]) -> Text:
    """Versions of what computed it, and more, in a sentence."""
    rows = [["Python", platform.python_version()], ["Dovetail", __version__]]
    for name in PACKAGES:
        try:
            rows.append([name, metadata.version(name)])
        except metadata.PackageNotFoundError:
            continue
    told = ", ".join(f"{name} {value}" for name, value in [*rows, *more.items()])
    return Text(f"Computed by {told}.")


def _sources(views: Sequence[Judged]) -> str:
    """BibTeX of what the tests' parts and the origin of their numbers name."""
    from dovetail.studies import citation

    keys: dict[str, None] = {}
    for view in views:
        named = str(view.test.get("source", ""))
        keys |= dict.fromkeys(key for key in citation.bibliography() if key in named)
        keys |= dict.fromkeys(citation.references(view.tested))
    return "\n\n".join(citation.entry(key) for key in keys)


def declared_by() -> dict[str, type]:
    """Classes of the tables of a test that have no kind of their own."""
    from dovetail import compensation, mechanics, specimens, testing, transfer  # noqa: F401 - parts register

    return {"": testing.Test, "rig": testing.Rig, "limits": testing.Limits}
