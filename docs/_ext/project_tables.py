"""Tables from the data of the project: studies and tests, reproduction targets, capabilities, signals, limits.

In a page: ``{project-table} signals``; for one study ``{project-table} reproduced docking``, which shows what was got
when the published numbers were last computed (`docs/compute_targets.py`), ``missed`` those that are not met, ``tally``
how many there are of each origin and kind (without a study: of all), ``capabilities`` and ``tests`` its own. ``modes``
says which tests can be run in which mode, ``laws`` with a family (law, friction, chain, structure, motion, wind) lists
its members, ``exchanges`` with a family where each of them can be; ``interfaces core`` lists what a room leaves to an
author, ``public`` what every room offers.
"""

import re

from docutils import nodes
from docutils.parsers.rst import Directive
from interfaces import interface_table, public_table
from target_results import REPRODUCED, counts, kept

from dovetail.core import signals
from dovetail.core.quantities import QUANTITIES
from dovetail.core.si_prefix import FRACTION
from dovetail.links.real_time import ApproachAndReturn, RealTime
from dovetail.studies import capabilities, load_targets, studies
from dovetail.studies.exchange import CONTACTS, cross_table, law_table
from dovetail.studies.mode_matrix import mode_table
from dovetail.testing import all_modes, limits

WIDTHS = {  # of the columns, in shares of a hundred
    "signals": (24, 10, 12, 54),
    "quantities": (30, 10, 60),
    "studies": (18, 50, 12, 20),
    "capabilities": (12, 70, 9, 9),
    "reproduced": (10, 33, 17, 10, 15, 15),
    "missed": (10, 33, 17, 10, 15, 15),
    "tally": (10, 15, 15, 15, 15, 15, 15),
    "tests": (35, 65),
    "monitored": (16, 32, 9, 11, 7, 8, 8, 9),
    "modes": (16, 30, 10, 11, 9, 9, 15),
    "laws": (20, 20, 60),
    "exchanges": (20, *(10,) * len(CONTACTS)),
    "interfaces": (30, 45, 25),
    "public": (20, 80),
}
WORDS = {
    "met": "met",
    "missed": "not met",
    "failed": "could not be computed",
    "data": "measurement",
    "": "not computed yet",
}


def _signals():
    yield "name", "symbol", "unit", "label"
    for signal in signals.all_signals().values():
        yield signal.name, signal.symbol, "" if signal.unit == "1" else signal.unit, signal.label


def _quantities():
    yield "quantity", "unit", "definition"
    for quantity in QUANTITIES.values():
        unit = {FRACTION: "%", "1": ""}.get(quantity.unit, quantity.unit)
        yield quantity.name, unit, quantity.definition


def _studies():
    yield "study", "what it is", "targets", "capabilities that work"
    rows = capabilities()
    for name in dict.fromkeys(row.study for row in rows):
        mine = [row for row in rows if row.study == name]
        known = studies().get(name)
        about = known.about if known else "not begun"
        count = len(load_targets(name)) if known else 0
        yield name, about, str(count), f"{sum(row.works for row in mine)} of {len(mine)}"


def _capabilities(study):
    yield "id", "capability", "core", "works"
    for row in (row for row in capabilities() if row.study == study):
        yield row.id, row.text, "core" if row.core else "", "yes" if row.works else ""


def _reproduced(study, only=None):
    yield "target", "what, and its source", "expected", "origin", "here", "verdict"
    for target, got, status in kept(study):
        if only is not None and status not in only:
            continue
        unit = "" if target.unit == "1" else f" [{target.unit}]"
        kind = "by construction" if target.kind == "construction" else target.kind
        word = f"{WORDS[status]}, {kind}" if status in ("met", "missed") else WORDS[status]
        expected = f"{_show(target.expected)} ({target.tolerance})"
        what = "; ".join(filter(None, (f"{target.description}{unit}", target.source, target.note)))
        yield target.id, what, expected, target.origin, "" if got is None else _show(got), word


def _missed(study):
    return _reproduced(study, ("missed", "failed"))


def _tests(study):
    yield "test", "what it is"
    for test in studies()[study].tests:
        yield test.name, test.title
    for campaign in studies()[study].campaigns:
        yield f"{campaign.name} (campaign)", campaign.title


def _monitored():
    """Yield a header, then each monitored limit with the modes that monitor it."""
    both = {
        "rehearse": "rehearse, replay",
        "approach and rest": "realtime: approach and return",
        "simulate": "simulation",
    }
    modes = [
        mode for mode in all_modes().values() if mode.rig_responds
    ]  # the others monitor as a rehearsal does
    modes.insert(modes.index(RealTime) + 1, ApproachAndReturn)
    yield "limit", "compared with", *(both.get(mode.name, mode.name) for mode in modes)
    for check in limits.MONITORED_LIMITS:
        moves = "before the move" if check in limits.DEMAND_LIMITS else "after the move"
        checked = {all_modes()["pseudodynamic"]: moves}
        cells = []
        for mode in modes:
            reason = mode.not_monitored.get(check.limit)
            cells.append(f"no: {reason}" if reason else checked.get(mode, "yes"))
        yield check.limit, signals.signal(check.signal).label, *cells


def _flat(values):
    """The numbers of a list, however deep they are in it."""
    for value in values:
        yield from _flat(value) if isinstance(value, list) else (value,)


def _show(value) -> str:
    if isinstance(value, list):
        shown = [_show(v) for v in _flat(value)]
        return ", ".join(shown if len(shown) <= 12 else [*shown[:10], "…", shown[-1]])
    return f"{value:.5g}" if isinstance(value, float) else str(value)


TABLES = {
    "signals": _signals,
    "quantities": _quantities,
    "studies": _studies,
    "capabilities": _capabilities,
    "reproduced": _reproduced,
    "missed": _missed,
    "tally": counts,
    "tests": _tests,
    "monitored": _monitored,
    "modes": mode_table,
    "laws": law_table,
    "exchanges": cross_table,
    "interfaces": interface_table,
    "public": public_table,
}


def _noted(rows):
    """Replace reasons in cells by numbers of notes below the table, which keeps narrow columns short."""
    reasons = {}

    def short(cell):
        if not cell.startswith("no: "):
            return cell
        return f"no ({reasons.setdefault(cell[4:], len(reasons) + 1)})"

    return [[short(cell) for cell in row] for row in rows], list(reasons)


class ProjectTable(Directive):
    """The directive."""

    required_arguments = 1
    optional_arguments = 1  # a study, or a family of laws

    def run(self):
        name, *study = self.arguments
        if study:  # read anew when it was computed anew
            self.state.document.settings.env.note_dependency(str(REPRODUCED / f"{study[0]}.json"))
        header, *rows = TABLES[name](*study)
        rows, reasons = _noted(rows)
        if not rows:
            return [nodes.paragraph(text="None.")]
        table = nodes.table(classes=["project", name, "colwidths-given"])
        group = nodes.tgroup(cols=len(header))
        table += group
        group += [nodes.colspec(colwidth=width) for width in WIDTHS[name][: len(header)]]
        group += nodes.thead("", _row(header))
        group += nodes.tbody("", *map(_row, rows))
        if not reasons:
            return [table]
        notes = [nodes.list_item("", nodes.paragraph(text=reason)) for reason in reasons]
        return [table, nodes.enumerated_list("", *notes, enumtype="arabic", prefix="", suffix=".")]


def _row(cells):
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *_broken(cell))) for cell in cells))


def _broken(cell):
    """Allow line breaks in a name after dots, and after underscores if it has no dot, without extra characters."""
    marks = "./" if " " in cell else "._/"
    for part in re.split(rf"(?<=\w[{marks}])(?=[A-Za-z_]\w)", cell):
        yield nodes.Text(part)
        yield nodes.raw("", "<wbr>", format="html")


def setup(app):
    app.add_directive("project-table", ProjectTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
