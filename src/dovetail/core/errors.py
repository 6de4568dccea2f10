"""The error tree. Every message says where, what was found, what would be right, what to do.

::

    DovetailError
    ├── ParameterError      a value that no part can have (also a ValueError)
    ├── TestFileError       a test file, with all its faults at once
    ├── UnknownNameError    a name that is not there; lists the known ones (also a KeyError)
    ├── ConnectionFault     two signals that cannot be joined
    ├── StepSizeError       a step beyond a method's or a part's stability bound
    ├── ConvergenceError    an iteration that did not arrive
    ├── AnalysisError       a question that has no answer for this system
    ├── LinkError           a rig or a partner that cannot be reached, or refuses
    ├── OutputError         a folder or file that cannot be written or read
    └── ExhaustionError     a process that has come near the end of what the system gives it

Foreseen endings of a run (a limit, an instability) are no errors: see `dovetail.testing.Outcome`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from dovetail.core.renamed import new_name, remark

MANY = 24  # names that a message lists whole
T = TypeVar("T")


class DovetailError(Exception):
    """Base of everything Dovetail raises on purpose."""


class ParameterError(DovetailError, ValueError):
    """A value that no part can have."""


class ConnectionFault(DovetailError):
    """Two signals that cannot be joined."""


class StepSizeError(DovetailError):
    """A step beyond a stability bound."""


class ConvergenceError(DovetailError):
    """An iteration that did not arrive."""


class AnalysisError(DovetailError):
    """A question that has no answer for this system."""


class LinkError(DovetailError):
    """A rig or a partner that cannot be reached, or refuses."""


class OutputError(DovetailError):
    """A folder or file that cannot be written or read."""


class ExhaustionError(DovetailError):
    """A process that has come near the end of what the system gives it."""


class UnknownNameError(DovetailError, KeyError):
    """A name that is not there."""

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        help: str = "",
        renamed: str = "",
        new: str | None = None,
    ):
        """`renamed` is the section of `renamed.toml` with names of this sort; `new` is the new name, where known."""
        self.what, self.name, self.known = what, name, sorted(known)
        self.help = f"; {help}" if help else ""
        self.new_name = new or new_name(renamed, name)
        super().__init__(str(self))

    def __str__(self) -> str:
        hint = f"{remark(self.new_name)}; " if self.new_name else did_you_mean(self.name, self.known)
        return f'no {self.what} "{self.name}"; {hint}{self._known}{self.help}'

    @property
    def _known(self) -> str:
        """The known names, or of very many the nearest."""
        if len(self.known) <= MANY:
            return f"known: {', '.join(self.known) or 'none'}"
        near = difflib.get_close_matches(self.name, self.known, n=5, cutoff=0.0)
        return f"the nearest of {len(self.known)} known: {', '.join(near)}"


@dataclass(frozen=True)
class Fault:
    """One thing wrong in a file: its place, and what was found and would be right."""

    place: str
    text: str


class TestFileError(DovetailError):
    """A test file with faults, all of them listed."""

    __test__ = False  # not a pytest class

    def __init__(self, source: str, faults: Iterable[Fault]):
        self.source, self.faults = source, list(faults)
        super().__init__(str(self))

    def __str__(self) -> str:
        count = len(self.faults)
        width = max((len(f.place) for f in self.faults), default=0)
        lines = [f"{self.source}: {count} problem{'s' if count != 1 else ''}"]
        lines += [f"  {fault.place:<{width}}   {fault.text}" for fault in self.faults]
        return "\n".join(lines)


def guarded(place: str, check: Callable[[], Iterable[Fault]]) -> list[Fault]:
    """What a check finds; one that itself fails is answered with its place.

    A check asks the parts of a test for shapes, slopes and sizes, and no part can foresee all values. The error it
    failed with is said, so that the check can be mended where the values were right.
    """
    try:
        return list(check())
    except TestFileError as error:
        return error.faults
    except DovetailError as error:
        return [Fault(place, str(error))]
    except Exception as error:
        return [Fault(place, unforeseen(error))]


def reason(error: BaseException) -> str:
    """Why something could not be read or written, in small letters."""
    return (
        (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    ).lower()


def answered(ask: Callable[[], T]) -> T | None:
    """The answer to a question; None where it has none for this system, or none that could be found."""
    try:
        return ask()
    except (AnalysisError, StepSizeError, ConvergenceError):
        return None


def answer_or_reason(ask: Callable[[], T]) -> tuple[T | None, str]:
    """The answer to a question, or None and why it has none."""
    try:
        return ask(), ""
    except (AnalysisError, StepSizeError, ConvergenceError) as error:
        return None, str(error)


def unforeseen(error: BaseException) -> str:
    """What is said of values that made something fail in a way that it does not check for."""
    text = next((line for line in str(error).splitlines() if line.strip()), "")
    return f"these values cannot be used together ({type(error).__name__}: {text[:200]})"


def shown(value: Any, most: int = 60) -> str:
    """A value as a message shows it: not longer than somebody reads."""
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= most else f"{text[: most - 20]}... ({len(text)} characters)"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean "duration"? ` for a near miss, else nothing."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"? ' if near else ""


def unknown_key(key: str, known: Iterable[str], new: str | None = None) -> str:
    """Return the text of a fault about a key that no field has; `new` is its new name, if it was renamed."""
    known = list(known)
    hint = remark(new) or did_you_mean(key, known).strip() or f"known: {', '.join(known)}"
    return f"unknown key; {hint}"
