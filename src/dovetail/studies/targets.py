"""Reproduction targets: published numbers and orderings, recomputed and compared with their source.

A study lists its targets in `targets.toml`, and in further files `targets_*.toml`:

.. code-block:: toml

    [[target]]
    id = "R04"
    description = "critical delay with light damping, c = 3 N s/m"
    origin = "printed"
    kind = "independent"
    expected = 1.335e-3
    unit = "s"
    tolerance = { relative = 2e-3 }
    source = "sec. 3.4.1"
    compute = "reproduce:light_damping_critical_delay"

`origin` is the source of the expected value:

- `printed`: stated in the publication; `source` gives the section, page, table, figure or equation.
- `derived`: computed from printed values; `note` gives the derivation.
- `own`: a value of this project.

`kind` is the weight of agreement as evidence:

- `independent`: no parameter was tuned to the value.
- `fitted`: a free parameter was tuned to the value.
- `shape`: an ordering, a sign or a word.
- `regression`: a value of this project, to detect changes.
- `construction`: true by construction, `note` gives the reason; no evidence.
- `data`: a measurement that cannot be simulated; listed, not computed.

A regression has the origin `own`; the kind of an `own` target is `regression` or `construction`.

A target that is known to be missed stays in the list, with a `note` that begins "missed:" and gives the reason. A
target without `run` and `compute` is missed too, unless its kind is `data`.

`expected` is a number, a word, true or false, or a list of these. Entries are compared one by one: numbers by the
tolerance, all others by equality. `tolerance` is `{ relative = x }`, `{ absolute = x }`,
`{ factor = x }` (x is a number, or one number for each entry of a list), `"at most"`, `"at least"`, or `"exact"`.

The value is a measure of a run, which a row names itself (`target_values` computes it):

.. code-block:: toml

    run = { test = "cs2-identification-sweep", set = { compensator = { kind = "none" } } }
    value = "rms tracking_error"
    between = ["2 s", "end"]
    ratio_to = { run = { test = "cs2-identification-sweep" } }

- `run`: a test of the study, with changed values (`set`) and a mode (`mode`; default: that of the test); or a list of
  runs, for a list of values.
- `value`: `peak`, `rms`, `mean`, `min`, `max` or `final` of a recorded signal, for each entry of the signal;
  `completed`; `stability.` and a measure of the stability; `module:function` of the run in a module of the study or
  in `fidelity`; with `at` the name of a signal.
- `between`: time window of the measure. `at`: times at which the signal is read.
- `axis`: entry of the signal, or a list with an entry, or a list of entries, for each of its dimensions.
- `ratio_to`: these keys again; the value is divided by theirs. A key that is not given is that of the row.

For a calculation of another sort `compute` names a function without arguments in a module of the study. A targets file
contains expected values and tolerances only, no computed values. A row that compiles more than ten programs gives the
reason in `compile_reason`. Programs that it shares with earlier rows count too, as they may no longer be cached.
"""

from __future__ import annotations

import importlib
import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dovetail.studies.registry import FOLDER, Study, find_study, studies

ORIGINS = ("printed", "derived", "own")
MANY = 10  # programs of a row that need no reason
KINDS = ("independent", "fitted", "shape", "regression", "construction", "data")
_PLACE = re.compile(r"\b(p|pp|sec|secs|ch|chs|fig|figs|table|tables|eq|eqs|app)\.? ([A-Z]\b|[A-Z]?\.?\d)")
_SIZED = ("relative", "absolute", "factor")
_WORDS = ("exact", "at most", "at least")
MEASURE_KEYS = ("run", "value", "at", "between", "axis", "ratio_to")


@dataclass(frozen=True)
class Tolerance:
    """Largest accepted deviation of a number from its expected value."""

    kind: str  # one of _SIZED or _WORDS
    size: float | tuple[float, ...] | None = None

    @classmethod
    def read(cls, entry: str | dict[str, Any]) -> Tolerance:
        """Return the tolerance of an entry in a targets file."""
        if isinstance(entry, str) and entry in _WORDS:
            return cls(entry)
        if isinstance(entry, dict) and len(entry) == 1 and next(iter(entry)) in _SIZED:
            kind, size = next(iter(entry.items()))
            return cls(kind, tuple(size) if isinstance(size, list) else size)
        raise ValueError(
            f"tolerance {entry!r} is not valid; use {', '.join(_WORDS)}, or {{ {' | '.join(_SIZED)} = x }}"
        )

    def __str__(self) -> str:
        if self.size is None:
            return self.kind
        sizes = self.size if isinstance(self.size, tuple) else (self.size,)
        form = {"relative": "±{:.4g} %", "absolute": "±{:.4g}", "factor": "within a factor {:.4g}"}[self.kind]
        return ", ".join(form.format(100 * s if self.kind == "relative" else s) for s in sizes)

    def accepts(self, expected: Any, value: Any) -> bool:
        """Return True if the computed value agrees with the expected one."""
        if isinstance(expected, list):
            if not isinstance(value, list) or len(value) != len(expected):
                return False
            sizes = self.size if isinstance(self.size, tuple) else (self.size,) * len(expected)
            return all(
                Tolerance(self.kind, s).accepts(e, g) for s, e, g in zip(sizes, expected, value, strict=True)
            )
        if not _is_number(expected):
            return type(value) is type(expected) and value == expected
        if not _is_number(value) or math.isnan(value):
            return False
        if math.isinf(expected):
            return value == expected
        return self._near(expected, value)

    def _near(self, expected: float, value: float) -> bool:
        size: Any = self.size
        match self.kind:
            case "relative":
                return abs(value - expected) <= size * abs(expected)
            case "absolute":
                return abs(value - expected) <= size
            case "factor":
                return expected * value > 0 and 1 / size <= value / expected <= size
            case "at most":
                return value <= expected
            case "at least":
                return value >= expected
            case _:
                return value == expected


@dataclass(frozen=True)
class Target:
    """One row of a study's `targets.toml`."""

    study: str
    id: str
    description: str
    origin: str
    kind: str
    expected: Any
    tolerance: Tolerance
    source: str
    unit: str = "1"
    compute: str = (
        ""  # "module:function" in the study; empty for a measure, data, and effects that are not modelled
    )
    note: str = ""  # derivation, reason why it holds by construction, or reason why it is missed
    case: str = ""  # name of the study's test to which it belongs
    compile_reason: str = ""  # reason for compiling more than `MANY` programs
    measure: dict[str, Any] = field(default_factory=dict)  # keys of a row that is a measure of a run

    @property
    def is_computed(self) -> bool:
        """True if the target has a value to compare."""
        return bool(self.compute or self.measure)

    def function(self) -> Any:
        """Return the function that computes the target."""
        if self.measure:
            from dovetail.studies.target_values import target_value  # not at the top: it imports JAX

            return lambda: target_value(self.study, self.measure)
        module, _, name = self.compute.partition(":")
        return getattr(importlib.import_module(f"dovetail.studies.{self.study}.{module}"), name)


@dataclass(frozen=True)
class Result:
    """Target with its computed value and status."""

    target: Target
    value: Any
    status: str  # "met", "missed", "failed" (the computed value is then the error message) or "data"
    programs: int = 0  # compiled for this target, without those compiled for earlier rows

    def record(self) -> dict[str, Any]:
        """Return the row that `dovetail reproduce --json` prints."""
        t = self.target
        return {
            "study": t.study,
            "id": t.id,
            "origin": t.origin,
            "kind": t.kind,
            "description": t.description if t.unit == "1" else f"{t.description} [{t.unit}]",
            "expected": t.expected,
            "value": self.value,
            "tolerance": str(t.tolerance),
            "status": self.status,
            "source": t.source,
            "note": t.note,
            "programs": self.programs,
            "compile_reason": t.compile_reason,
        }


def load_targets(study: str | None = None, folder: Path = FOLDER) -> list[Target]:
    """Return the targets of one study, of one test ("study/test"), or of all studies, in file order."""
    name, _, case = (study or "").partition("/")
    chosen = [find_study(name, folder)] if name else studies(folder).values()
    targets = [target for one in chosen for target in _read(one) if target.case == case or not case]
    if case and not targets:
        cases = sorted({t.case for t in _read(find_study(name, folder)) if t.case})
        known = (
            f"tests with targets: {', '.join(cases)}" if cases else f"the targets of {name} belong to no test"
        )
        raise _fault(f'no target belongs to the test "{study}"; {known}')
    return targets


def reproduce(study: str | None = None, folder: Path = FOLDER) -> Iterator[Result]:
    """Compute the targets of one study, or of all, and yield their results one by one."""
    for target in load_targets(study, folder):
        yield compute_target(target)


def compute_target(target: Target) -> Result:
    """Compute one target. If its function raises, the status is "failed" and the value is the error message."""
    if target.kind == "data" or not target.is_computed:
        return compare_target(target, None)
    from dovetail.core.programs import guard  # not at the top: it imports JAX, which a listing does not need

    before = guard.programs
    try:
        function = target.function()
        before = guard.programs  # programs for the constants of an imported module do not count
        value = _plain(function())
    except Exception as error:  # a target that fails must not stop the others
        return Result(target, f"{type(error).__name__}: {error}", "failed", guard.programs - before)
    return compare_target(target, value, guard.programs - before)


def compare_target(target: Target, value: Any, programs: int = 0) -> Result:
    """Compare a computed value with its target."""
    if target.kind == "data":
        return Result(target, None, "data")
    met = target.is_computed and target.tolerance.accepts(target.expected, value)
    return Result(target, value, "met" if met else "missed", programs)


def _read(study: Study) -> list[Target]:
    """Read the rows of `targets.toml` and of `targets_*.toml` in the folder of a study."""
    rows = []
    for file in sorted(study.path.glob("targets*.toml")):
        table = tomllib.loads(file.read_text("utf-8"))
        rows += [_target(study.name, file, row) for row in table.get("target", [])]
    return rows


def _target(study: str, file: Path, row: dict[str, Any]) -> Target:
    where = f"{file.name} of {study}, {row.get('id', 'a target without id')}"
    measure = {key: row[key] for key in MEASURE_KEYS if key in row}
    rest = {key: value for key, value in row.items() if key not in measure}
    try:
        tolerance = Tolerance.read(row.get("tolerance", "exact"))
        target = Target(study=study, **rest | {"tolerance": tolerance, "measure": measure})
    except (TypeError, ValueError) as error:
        raise _fault(f"{where}: {error}") from error
    if fault := _untrue(target):
        raise _fault(f"{where}: {fault}")
    return target


def _untrue(target: Target) -> str:
    """Return the fault of a row whose entries contradict each other or are incomplete; empty if there is none."""
    if target.origin not in ORIGINS:
        return f'unknown origin "{target.origin}"; use one of {", ".join(ORIGINS)}'
    if target.kind not in KINDS:
        return f'unknown kind "{target.kind}"; use one of {", ".join(KINDS)}'
    own = target.origin == "own"
    if target.kind != "construction" and own != (target.kind == "regression"):
        return (
            f'kind "{target.kind}" with origin "{target.origin}"; '
            'a target of kind "regression" has the origin "own", and the reverse'
        )
    if target.kind == "data" and target.is_computed:
        return 'kind "data" with a value; remove compute or run, or use another kind for a computed target'
    if target.measure and (target.compute or not {"run", "value"} <= set(target.measure)):
        return "give run and value for a measure of a run, or compute alone for a calculation"
    if target.origin == "printed" and not _PLACE.search(target.source):
        return f'origin "printed", but source "{target.source}" names no section, page, table, figure or equation'
    wants_note = {
        'origin "derived" without note; give the derivation in note': target.origin == "derived",
        'kind "construction" without note; give the reason in note': target.kind == "construction",
    }
    if target.kind != "data" and not target.is_computed and not target.note.startswith("missed: "):
        return 'no run and no compute; give one of them, or begin note with "missed: " and give the reason'
    return next((fault for fault, wanted in wants_note.items() if wanted and not target.note), "")


def _fault(text: str) -> Exception:
    from dovetail.core.errors import ParameterError  # not at the top: it imports JAX

    return ParameterError(text)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Convert arrays, tuples and scalars of any library to lists, numbers, words and truth values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, complex):
        raise TypeError(
            "a complex number cannot be compared with a target; return its real and imaginary part"
        )
    return value
