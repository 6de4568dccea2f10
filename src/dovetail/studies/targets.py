"""Reproduction targets: each published number or ordering, computed again and judged.

A study lists its targets in `targets.toml`, or in several files `targets_*.toml`:

.. code-block:: toml

    [[target]]
    id = "R04"
    what = "critical delay with light damping, c = 3 N s/m"
    origin = "printed"
    kind = "independent"
    expected = 1.335e-3
    unit = "s"
    tolerance = { relative = 2e-3 }
    source = "sec. 3.4.1"
    compute = "reproduce:light_damping_critical_delay"

`origin` says where the expected value comes from: `printed` (`source` names the section, page, table, figure or
equation that states it), `derived` (computed by us from what is printed; `note` says how) or `own` (our own).

`kind` says what agreement is worth: `independent` (nothing was tuned to it), `fitted` (a free choice was
tuned to it), `shape` (an ordering, a sign, a word), `regression` (our own number, guards against change),
`construction` (it cannot come out otherwise, `note` says why; no evidence) or `data` (a measurement that cannot
be simulated; listed, not computed). A regression is own; what is own is a regression or by construction.

A target that is known to be missed stays in the list, with a `note` that begins "missed:" and says why. One without
`compute` that is no data is missed too: nothing here computes it.

`expected` is a number, a word, true or false, or a list of these, compared one by one: numbers by the
tolerance, everything else by equality. `tolerance` is `{ relative = x }`, `{ absolute = x }`,
`{ factor = x }` (x a number, or one for each entry of a list), `"at most"`, `"at least"`, or `"exact"`.

`compute` names a function without arguments in a module of the study; what it returns is what was got. The
numbers in a targets file are what is expected and how closely, never what was computed. A row that compiles more than
ten programs says why in `compiles`; rows before it are no excuse, since what they share with it may have been dropped.
"""

from __future__ import annotations

import importlib
import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.studies.registry import FOLDER, Study, find_study, studies

ORIGINS = ("printed", "derived", "own")
MANY = 10  # programs of a row that need no reason
KINDS = ("independent", "fitted", "shape", "regression", "construction", "data")
_PLACE = re.compile(r"\b(p|pp|sec|secs|ch|chs|fig|figs|table|tables|eq|eqs|app)\.? ([A-Z]\b|[A-Z]?\.?\d)")
_SIZED = ("relative", "absolute", "factor")
_WORDS = ("exact", "at most", "at least")


@dataclass(frozen=True)
class Tolerance:
    """How far a number may be from the expected one."""

    kind: str  # one of _SIZED or _WORDS
    size: float | tuple[float, ...] | None = None

    @classmethod
    def read(cls, entry: str | dict[str, Any]) -> Tolerance:
        """From its entry in a targets file."""
        if isinstance(entry, str) and entry in _WORDS:
            return cls(entry)
        if isinstance(entry, dict) and len(entry) == 1 and next(iter(entry)) in _SIZED:
            kind, size = next(iter(entry.items()))
            return cls(kind, tuple(size) if isinstance(size, list) else size)
        raise ValueError(
            f"tolerance {entry!r}; one of {', '.join(_WORDS)}, or {{ {' | '.join(_SIZED)} = x }}"
        )

    def __str__(self) -> str:
        if self.size is None:
            return self.kind
        sizes = self.size if isinstance(self.size, tuple) else (self.size,)
        form = {"relative": "±{:.4g} %", "absolute": "±{:.4g}", "factor": "within a factor {:.4g}"}[self.kind]
        return ", ".join(form.format(100 * s if self.kind == "relative" else s) for s in sizes)

    def accepts(self, expected: Any, got: Any) -> bool:
        """True if what was got is as expected."""
        if isinstance(expected, list):
            if not isinstance(got, list) or len(got) != len(expected):
                return False
            sizes = self.size if isinstance(self.size, tuple) else (self.size,) * len(expected)
            return all(
                Tolerance(self.kind, s).accepts(e, g) for s, e, g in zip(sizes, expected, got, strict=True)
            )
        if not _is_number(expected):
            return type(got) is type(expected) and got == expected
        if not _is_number(got) or math.isnan(got):
            return False
        if math.isinf(expected):
            return got == expected
        return self._near(expected, got)

    def _near(self, expected: float, got: float) -> bool:
        size: Any = self.size
        match self.kind:
            case "relative":
                return abs(got - expected) <= size * abs(expected)
            case "absolute":
                return abs(got - expected) <= size
            case "factor":
                return expected * got > 0 and 1 / size <= got / expected <= size
            case "at most":
                return got <= expected
            case "at least":
                return got >= expected
            case _:
                return got == expected


@dataclass(frozen=True)
class Target:
    """One row of a study's `targets.toml`."""

    study: str
    id: str
    what: str
    origin: str
    kind: str
    expected: Any
    tolerance: Tolerance
    source: str
    unit: str = "1"
    compute: str = ""  # "module:function" in the study; empty for data, and for what is not modelled
    note: str = ""  # how it was derived, why it holds by construction, why it is missed
    case: str = ""  # name of the study's test that it belongs to
    compiles: str = ""  # why it compiles more programs than most (`MANY`)

    def function(self) -> Any:
        """The function that computes it."""
        module, _, name = self.compute.partition(":")
        return getattr(importlib.import_module(f"dovetail.studies.{self.study}.{module}"), name)


@dataclass(frozen=True)
class Result:
    """A target, what was got and whether that meets it."""

    target: Target
    got: Any
    status: str  # "met", "missed", "failed" (it could not be computed, and `got` says why) or "data"
    programs: int = 0  # that were compiled for it, beyond those that rows before it share with it

    def record(self) -> dict[str, Any]:
        """The row as `dovetail reproduce --json` prints it."""
        t = self.target
        return {
            "study": t.study,
            "id": t.id,
            "origin": t.origin,
            "kind": t.kind,
            "what": t.what if t.unit == "1" else f"{t.what} [{t.unit}]",
            "expected": t.expected,
            "got": self.got,
            "tolerance": str(t.tolerance),
            "status": self.status,
            "source": t.source,
            "note": t.note,
            "programs": self.programs,
            "compiles": t.compiles,
        }


def load_targets(study: str | None = None, folder: Path = FOLDER) -> list[Target]:
    """The targets of one study, or of one test of it ("study/test"), or of all, in the order of their files."""
    name, _, case = (study or "").partition("/")
    chosen = [find_study(name, folder)] if name else studies(folder).values()
    found = [target for one in chosen for target in _read(one) if target.case == case or not case]
    if case and not found:
        cases = sorted({t.case for t in _read(find_study(name, folder)) if t.case})
        known = f"those of {name} belong to {', '.join(cases)}" if cases else f"{name} has none by test"
        raise _fault(f'no target belongs to "{study}"; {known}')
    return found


def reproduce(study: str | None = None, folder: Path = FOLDER) -> Iterator[Result]:
    """Compute and judge the targets of one study, or of all, one after another."""
    for target in load_targets(study, folder):
        yield judge(target)


def judge(target: Target) -> Result:
    """Compute one target. A function that raises has failed, and `got` says why."""
    if target.kind == "data" or not target.compute:
        return judged(target, None)
    from dovetail.core.programs import guard  # not above: it brings JAX, which a listing does without

    before = guard.programs
    try:
        function = target.function()
        before = guard.programs  # a module that is imported first has constants, which are no row's own
        got = _plain(function())
    except Exception as error:  # a target that cannot be computed must not hide the others
        return Result(target, f"{type(error).__name__}: {error}", "failed", guard.programs - before)
    return judged(target, got, guard.programs - before)


def judged(target: Target, got: Any, programs: int = 0) -> Result:
    """What was got, held against the target."""
    if target.kind == "data":
        return Result(target, None, "data")
    met = bool(target.compute) and target.tolerance.accepts(target.expected, got)
    return Result(target, got, "met" if met else "missed", programs)


def _read(study: Study) -> list[Target]:
    """Rows of `targets.toml`, and of `targets_*.toml` beside it where a study has many."""
    rows = []
    for file in sorted(study.path.glob("targets*.toml")):
        table = tomllib.loads(file.read_text("utf-8"))
        rows += [_target(study.name, file, row) for row in table.get("target", [])]
    return rows


def _target(study: str, file: Path, row: dict[str, Any]) -> Target:
    where = f"{file.name} of {study}, {row.get('id', 'a target without id')}"
    try:
        target = Target(study=study, **row | {"tolerance": Tolerance.read(row.get("tolerance", "exact"))})
    except (TypeError, ValueError) as error:
        raise _fault(f"{where}: {error}") from error
    if fault := _untrue(target):
        raise _fault(f"{where}: {fault}")
    return target


def _untrue(target: Target) -> str:
    """What a row claims of itself and does not say enough for; empty if all is well."""
    if target.origin not in ORIGINS:
        return f'origin "{target.origin}"; one of {", ".join(ORIGINS)}'
    if target.kind not in KINDS:
        return f'kind "{target.kind}"; one of {", ".join(KINDS)}'
    own = target.origin == "own"
    if target.kind != "construction" and own != (target.kind == "regression"):
        return f"{target.kind} and {target.origin}; a regression is own, and what is own is a regression"
    if target.kind == "data" and target.compute:
        return "data is listed without compute; name another kind for what is computed"
    if target.origin == "printed" and not _PLACE.search(target.source):
        return f'printed, but source "{target.source}" names no section, page, table, figure or equation'
    wants_note = {
        "derived: say in note how": target.origin == "derived",
        "by construction: say in note why": target.kind == "construction",
    }
    if target.kind != "data" and not target.compute and not target.note.startswith("missed: "):
        return 'nothing computes it; name compute, or begin note with "missed: " and say why'
    return next((fault for fault, wanted in wants_note.items() if wanted and not target.note), "")


def _fault(text: str) -> Exception:
    from dovetail.core.errors import ParameterError  # not above: it brings JAX, which a listing does without

    return ParameterError(text)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """Arrays, tuples and scalars of any library as lists, numbers, words and truth values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, complex):
        raise TypeError("a complex number cannot be judged; return its parts")
    return value
