"""A campaign: one test or model, what is varied in it, which points, what is kept of each.

A campaign file::

    title = "Delay against damping"
    test = "study/test"                  # a study's test or a file; or model = / evaluate = "module:function"
    modes = ["emulate", "rehearse"]      # side by side
    seeds = 4                            # replicates
    measures = ["rms e1", "peak displacement", "fidelity.delay", "mymodule:myfunction"]
    traces = ["displacement"]            # only where they are wanted: they are most of the store
    constraints = ["delay < 0.01"]

    [set]                                # changes of the test for all points
    duration = "2 s"

    [[axis]]
    path = "rig.actuator.delay"
    from = "1 ms"
    to = "8 ms"
    count = 50

    [design]
    kind = "grid"                        # list, one-at-a-time, latin-hypercube, sobol, random, saltelli, morris
    points = 1000                        # of a design that draws
    seed = 7
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.campaign import analyses, constraints, distributions, sampling
from dovetail.campaign.axes import Axis, read_axis
from dovetail.campaign.measures import read_measure
from dovetail.campaign.parameter_paths import flat
from dovetail.core.errors import (
    DovetailError,
    Fault,
    OutputError,
    ParameterError,
    TestFileError,
    UnknownNameError,
    guarded,
    shown,
    unknown_key,
)
from dovetail.core.renamed import new_name, remark
from dovetail.core.toml_file import read_toml
from dovetail.core.units import SIGNAL

KEYS = (
    "kind",
    "title",
    "source",
    "test",
    "model",
    "evaluate",
    "modes",
    "seeds",
    "measures",
    "traces",
    "constraints",
    *("set", "axis", "correlation", "design", "chunk", "batch", "answers"),
)
MODES = ("emulate", "rehearse", "simulate")
UNSEEN = ("title", "source", "answers", "chunk", "batch", "fixed")  # change no result
MOST_SEEDS = 1_000_000
SUBJECTS = ("test", "model", "evaluate")
PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Campaign:
    """What a campaign file says, with its test read; nothing in it depends on where or how it is run."""

    subject: str  # "test", "model" or "evaluate"
    of: str  # name of the test, or "module:function"
    axes: tuple[Axis, ...]
    table: dict[str, Any] = field(default_factory=dict)  # of the test's file; or constants of a model
    fixed: dict[str, Any] = field(default_factory=dict)  # what of it the campaign sets, by path
    title: str = ""
    source: str = ""
    kind: str = "grid"
    number: int = 0
    seed: int = 0
    modes: tuple[str, ...] = ("rehearse",)
    seeds: tuple[int, ...] = ()
    measures: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    chunk: int = 0  # points that are stored together; 0 for what suits the memory
    batch: int = 0  # of which so many are computed at once; 0 likewise
    answers: tuple[dict[str, Any], ...] = ()
    correlations: tuple[distributions.Correlation, ...] = ()

    def points(self) -> sampling.Table:
        """All points, in the order in which they are computed and stored; to be read, not changed."""
        return self._points

    @cached_property
    def _points(self) -> sampling.Table:
        table = self._designed()
        if self.constraints:
            if self.kind in ("saltelli", "morris"):
                raise ParameterError(
                    f"constraints: would break a {self.kind} design, which needs all its points"
                )
            table = constraints.keep(self.constraints, table)
        order = self._order(table)
        ordered = {name: column[order] for name, column in table.items()}
        for column in ordered.values():
            column.flags.writeable = False
        return ordered

    def as_designed(self) -> np.ndarray:
        """Where each point of the design is among `points`: indexing with it undoes their order."""
        return np.argsort(self._order(self._designed()))

    def _designed(self) -> sampling.Table:
        return sampling.points(self.axes, self.kind, self.number, self.seed, self.correlations)

    def _order(self, table: sampling.Table) -> np.ndarray:
        """Points with the same words one after another, as they are computed together."""
        words = [axis.name for axis in self.axes if not axis.numeric]
        if not words:
            return np.arange(len(next(iter(table.values()))))
        keys = [np.unique(table[name].astype(str), return_inverse=True)[1] for name in reversed(words)]
        return np.lexsort(keys)

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import plan_html

        return plan_html(self)

    def spec(self) -> dict[str, Any]:
        """All of it as plain data, for a worker, a file, a fingerprint."""
        return json.loads(self._text)

    @cached_property
    def _text(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Campaign:
        """The campaign that `spec` gave."""

        def frozen(table: Mapping[str, Any]) -> dict[str, Any]:
            return {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}

        axes = tuple(Axis(**frozen(axis)) for axis in spec["axes"])
        pairs = tuple(tuple(pair) for pair in spec.get("correlations", ()))
        return cls(**{**frozen(spec), "axes": axes, "correlations": pairs})

    @cached_property
    def fingerprint(self) -> str:
        """A word that changes with anything that changes a result; titles and answers do not."""
        unseen = (*UNSEEN, "of") if self.subject == "test" else UNSEEN  # the table of a test is all of it
        spec = {key: value for key, value in self.spec().items() if key not in unseen}
        return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:16]


def load(path: str | Path, changes: dict[str, Any] | None = None) -> Campaign:
    """Read a campaign file; `changes` overrides values at dotted paths, as for a test.

    Raises
    ------
    TestFileError
        With every fault of the file.
    OutputError
        If there is no such file.
    """
    from dovetail.testing.test_table import change

    path = Path(path)
    table = read_toml(path, "campaign file")
    folder = str(path.resolve().parent)
    if folder not in sys.path and PACKAGE not in path.resolve().parents:
        sys.path.append(folder)  # functions of the user lie beside the file
    return parse(change(table, changes or {}, path.name), path.name, path.parent)


def parse(table: Mapping[str, Any], source: str = "campaign", folder: Path = Path()) -> Campaign:
    """A campaign from the nested table that its file holds."""
    faults = [
        Fault(key, unknown_key(key, KEYS, new_name("keys.campaign", key))) for key in table if key not in KEYS
    ]
    if table.get("kind", "campaign") != "campaign":
        faults.append(
            Fault("kind", f"got {shown(table['kind'])}; this is read as a campaign, so leave it out")
        )
    named = [key for key in SUBJECTS if key in table]
    if len(named) != 1:
        faults.append(Fault("test", f"name one of {', '.join(SUBJECTS)}; found {', '.join(named) or 'none'}"))
        raise TestFileError(source, faults)
    subject = named[0]
    inner, units = _subject_table(subject, table, folder, faults)
    axes, entries = [], table.get("axis", [])
    if not isinstance(entries, list) or not entries:
        faults.append(Fault("axis", "there is none; vary at least one parameter with [[axis]]"))
        entries = []
    for i, entry in enumerate(entries):
        if not isinstance(entry, Mapping):
            faults.append(Fault(f"axis.{i}", f"got {shown(entry)}; needs a table, [[axis]]"))
            continue
        axis, found = read_axis(entry, f"axis.{i}", units(entry))
        faults += found
        if axis is not None:
            axes.append(_with_whole_names(axis, inner, folder) if subject == "test" else axis)
    twice = {axis.name for axis in axes if [a.name for a in axes].count(axis.name) > 1}
    faults += [
        Fault("axis", f'"{name}" is the name of two axes; give one of them another') for name in sorted(twice)
    ]
    taken = {"point", "seed", "mode", "outcome", "end_time"}
    faults += [
        Fault("axis", f'"{axis.name}" is taken; give it another name') for axis in axes if axis.name in taken
    ]
    values = _settings(table, subject, faults)
    values["correlations"] = _correlations(table.get("correlation", []), axes, faults)
    if faults:
        raise TestFileError(source, faults)
    values["modes"] = values["modes"] or _usual(inner)
    fixed = flat(table.get("set", {}))
    campaign = Campaign(subject, _name(str(table[subject]), folder), tuple(axes), inner, fixed, **values)
    return checked(campaign, source)


def _correlations(
    entries: Any, axes: list[Axis], faults: list[Fault]
) -> tuple[distributions.Correlation, ...]:
    """Pairs of axes that are drawn together, `[[correlation]]` with axes and value."""
    if not isinstance(entries, list):
        faults.append(Fault("correlation", f"got {shown(entries)}; needs a list of tables, [[correlation]]"))
        return ()
    found: dict[frozenset[str], distributions.Correlation] = {}
    known = [axis.name for axis in axes if axis.numeric]
    for i, entry in enumerate(entries):
        place = f"correlation.{i}"
        if not isinstance(entry, Mapping) or set(entry) != {"axes", "value"}:
            faults.append(
                Fault(
                    place,
                    f"got {shown(entry)}; needs the names of two axes and the value of their correlation",
                )
            )
            continue
        pair, value = entry["axes"], entry["value"]
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            faults.append(Fault(f"{place}.axes", f"got {shown(pair)}; needs the names of two axes"))
        elif unknown := [name for name in pair if name not in known]:
            text = str(UnknownNameError("axis with numbers", unknown[0], known))
            faults.append(Fault(f"{place}.axes", text))
        elif pair[0] == pair[1] or frozenset(pair) in found:
            faults.append(Fault(f"{place}.axes", f"got {shown(pair)}; two axes, and each pair once"))
        elif not isinstance(value, int | float) or isinstance(value, bool) or not -1 < value < 1:
            faults.append(Fault(f"{place}.value", f"got {shown(value)}; must be above -1 and below 1"))
        else:
            found[frozenset(pair)] = (pair[0], pair[1], float(value))
    return tuple(found.values())


def checked(campaign: Campaign, source: str = "campaign") -> Campaign:
    """The campaign with defaults of its axes, if its points can be made and its subject takes them."""
    from dovetail.campaign.subjects import subject_of

    def check() -> list[Fault]:
        return analyses.faults(campaign.answers, subject.names(), campaign.kind)

    try:
        subject = subject_of(campaign)
        axes = tuple(
            dataclasses.replace(axis, default=subject.default(axis)) if axis.default is None else axis
            for axis in campaign.axes
        )
        campaign = dataclasses.replace(campaign, axes=axes)
        campaign.points()
        if faults := guarded("answers", check):
            raise TestFileError(source, faults)
    except TestFileError as error:
        raise TestFileError(source, error.faults) from error
    except (ParameterError, UnknownNameError) as error:
        raise TestFileError(source, [Fault("campaign", str(error))]) from error
    return campaign


def _subject_table(subject: str, table: Mapping[str, Any], folder: Path, faults: list[Fault]):
    """Table of the test with its fixed changes (or constants of a model), and how to find an axis's unit."""
    fixed = table.get("set", {})
    if not isinstance(fixed, Mapping) or not _plain(fixed):
        text = f"got {shown(fixed)}; needs a table of numbers and words, and lists of them"
        faults.append(Fault("set", text))
        return {}, lambda entry: SIGNAL
    if subject != "test":
        return dict(fixed), lambda entry: None
    from dovetail.campaign.parameter_paths import forget, parsed, unit_at
    from dovetail.testing.test_file import read_table, whole_names
    from dovetail.testing.test_table import change

    path = find_test(str(table["test"]), folder)
    forget()
    try:
        # the test names its files from where it is, the campaign from its own folder
        inner = whole_names(change(read_table(path), flat(fixed), path.name), folder)
        test = parsed(inner, _name(str(table["test"]), folder))
    except OutputError as error:
        raise TestFileError(path.name, [Fault("test", str(error))]) from error
    except TestFileError as error:
        faults += [Fault(f"test.{fault.place}", fault.text) for fault in error.faults]
        return {}, lambda entry: SIGNAL
    return inner, lambda entry: unit_at(test, entry)


def _usual(inner: dict[str, Any]) -> tuple[str, ...]:
    """The mode that is meant where the campaign says none."""
    from dovetail.testing.runnable import Runnable
    from dovetail.testing.test import Test
    from dovetail.testing.test_file import ROOTS, root

    kind = inner.get("kind", "test")
    cls = root(kind if kind in ROOTS else "test")
    return (cls.USUAL if issubclass(cls, Runnable) else Test.USUAL,)


def _plain(node: Any) -> bool:
    """Whether a table holds what can be kept in a store: numbers, words, and lists and tables of them."""
    if isinstance(node, Mapping):
        return all(_plain(value) for value in node.values())
    if isinstance(node, list):
        return all(_plain(value) for value in node)
    return isinstance(node, str | bool | float) or (type(node) is int and abs(node) < 2**63)


def _with_whole_names(axis: Axis, inner: dict[str, Any], folder: Path) -> Axis:
    """The axis with files among its values named in full, from the folder of the campaign."""
    if axis.numeric or not inner:
        return axis
    from dovetail.testing.paths import get
    from dovetail.testing.test_file import whole_names
    from dovetail.testing.test_table import change

    path = axis.paths[0]
    values = (get(whole_names(change(inner, {path: value}), folder), path) for value in axis.values)
    return dataclasses.replace(axis, values=tuple(values))


def find_test(name: str, folder: Path = Path()) -> Path:
    """The file of a test: a path beside the campaign file, or a study's test by its name."""
    if name.endswith(".toml"):
        return folder / name
    from dovetail.studies.registry import find_test as of_a_study

    return of_a_study(name)


def _name(of: str, folder: Path) -> str:
    """How the subject is called from anywhere: a file by its whole path."""
    return str((folder / of).resolve()) if of.endswith(".toml") else of


def _settings(table: Mapping[str, Any], subject: str, faults: list[Fault]) -> dict[str, Any]:
    """Everything but the subject and its axes."""
    design = _design(table, faults)
    modes = _words(table, "modes", faults)
    faults += [
        Fault("modes", f'got "{m}"; {remark(new_name("modes", m)) or "one of " + ", ".join(MODES)}')
        for m in modes
        if m not in MODES
    ]
    seeds = _seeds(table, faults)
    measures = _words(table, "measures", faults)
    for text in measures:
        try:
            read_measure(text)
        except DovetailError as error:
            faults.append(Fault("measures", str(error)))
    if subject == "test" and not measures and not table.get("traces"):
        faults.append(Fault("measures", 'there are none; say what is kept, for example ["rms e1"]'))
    asked = table.get("answers", [])
    faults += analyses.faults(asked, None, design["kind"])
    sizes = {key: table.get(key, 0) for key in ("chunk", "batch")}
    numbers = {**sizes, "design.points": design["number"], "design.seed": design["seed"]}
    for key, size in numbers.items():
        if type(size) is not int or not 0 <= size < 2**63:
            faults.append(Fault(key, f"got {shown(size)}; needs a whole number"))
    return {
        "title": str(table.get("title", "")),
        "source": str(table.get("source", "")),
        **design,
        "modes": modes,
        "seeds": seeds,
        "measures": measures,
        "traces": _words(table, "traces", faults),
        "constraints": _words(table, "constraints", faults),
        "answers": tuple(asked) if isinstance(asked, list) else (),
        **sizes,
    }


def _words(table: Mapping[str, Any], key: str, faults: list[Fault]) -> tuple[str, ...]:
    """A word or a list of them."""
    value = table.get(key, [])
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        faults.append(Fault(key, f"got {shown(value)}; needs a list of words"))
        return ()
    return tuple(value)


def _design(table: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
    """Kind, number and seed of the design of experiments."""
    design = table.get("design", {})
    if not isinstance(design, Mapping):
        faults.append(Fault("design", f"got {shown(design)}; needs a table with kind, points, seed"))
        design = {}
    for key in design:
        if key not in ("kind", "points", "seed"):
            faults.append(Fault(f"design.{key}", "unknown key; known: kind, points, seed"))
    kind = design.get("kind", "grid")
    if not isinstance(kind, str):
        faults.append(Fault("design.kind", f"got {shown(kind)}; one of {', '.join(sampling.KINDS)}"))
    return {"kind": kind, "number": design.get("points", 0), "seed": design.get("seed", 0)}


def _seeds(table: Mapping[str, Any], faults: list[Fault]) -> tuple[int, ...]:
    """Seeds of the replicates, from their number or one by one."""
    seeds = table.get("seeds", [])
    if type(seeds) is int and 0 <= seeds <= MOST_SEEDS:
        seeds = list(range(seeds))
    if not isinstance(seeds, list) or not all(type(s) is int and 0 <= s < 2**63 for s in seeds):
        text = f"needs a number of replicates (at most {MOST_SEEDS}), or a list of seeds"
        faults.append(Fault("seeds", f"got {shown(table['seeds'])}; {text}"))
        return ()
    return tuple(seeds)
