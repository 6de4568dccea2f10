"""Errors. A message states where, what was found, what is expected and what to do.

::

    DovetailError
    ├── ParameterError      invalid value (also a ValueError)
    ├── TestFileError       test file with one or more faults, all listed
    ├── UnknownNameError    unknown name; lists the known ones (also a KeyError)
    ├── ConnectionFault     two signals that cannot be connected
    ├── StepSizeError       step above the stability bound of a method or a part
    ├── ConvergenceError    iteration that did not converge
    ├── AnalysisError       analysis that is not possible for this system
    ├── LinkError           rig or other program that cannot be reached, or refuses
    ├── OutputError         folder or file that cannot be written or read
    └── ExhaustionError     process that is near a system limit

Expected ends of a run (a limit, an instability) are not errors: see `dovetail.testing.Outcome`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from dovetail.core.renamed import new_name, remark

MAX_LISTED_NAMES = 24  # in a message
MAX_FAULTS = 50  # of a file in a message
MAX_TEXT = 2000  # characters of one fault or name in a message
T = TypeVar("T")


class DovetailError(Exception):
    """Base of all errors that Dovetail raises on purpose."""


class ParameterError(DovetailError, ValueError):
    """Invalid value."""


class ConnectionFault(DovetailError):
    """Two signals that cannot be connected."""


class StepSizeError(DovetailError):
    """Step above a stability bound."""


class ConvergenceError(DovetailError):
    """Iteration that did not converge."""


class AnalysisError(DovetailError):
    """Analysis that is not possible for this system."""


class LinkError(DovetailError):
    """Rig or other program that cannot be reached, or refuses."""


class OutputError(DovetailError):
    """Folder or file that cannot be written or read."""


class ExhaustionError(DovetailError):
    """Process that is near a limit of the system."""


class UnknownNameError(DovetailError, KeyError):
    """Unknown name."""

    def __init__(
        self,
        what: str,
        name: str,
        known: Iterable[str],
        help: str = "",
        renamed: str = "",
        new: str | None = None,
    ) -> None:
        """`renamed` is the section of `renamed.toml` with names of this sort; `new` is the new name, if known."""
        self.what, self.name, self.known = what, shortened(name, 100), sorted(known)
        self.help = f"; {help}" if help else ""
        self.new_name = new or new_name(renamed, self.name)
        super().__init__(str(self))

    def __str__(self) -> str:
        hint = f"{remark(self.new_name)}; " if self.new_name else did_you_mean(self.name, self.known)
        return f'no {self.what} "{self.name}"; {hint}{self._known}{self.help}'

    @property
    def _known(self) -> str:
        """The known names, or the most similar ones if there are many."""
        if len(self.known) <= MAX_LISTED_NAMES:
            return f"known: {', '.join(self.known) or 'none'}"
        similar = difflib.get_close_matches(self.name, self.known, n=5, cutoff=0.0)
        return f"the most similar of {len(self.known)} known: {', '.join(similar)}"


@dataclass(frozen=True)
class Fault:
    """Fault in a file: path of the key, and a text with what was found and what is expected."""

    path: str
    text: str


class TestFileError(DovetailError):
    """Test file with one or more faults, all listed."""

    __test__ = False  # not a pytest class

    def __init__(self, source: str, faults: Iterable[Fault]) -> None:
        self.source, self.faults = source, list(faults)
        super().__init__(str(self))

    def __str__(self) -> str:
        count = len(self.faults)
        rows = [(shortened(f.path, 100), shortened(f.text, MAX_TEXT)) for f in self.faults[:MAX_FAULTS]]
        width = max((len(path) for path, _ in rows), default=0)
        lines = [f"{self.source}: {count} problem{'s' if count != 1 else ''}"]
        lines += [f"  {path:<{width}}   {text}" for path, text in rows]
        return "\n".join(lines + ["  ..."] * (count > MAX_FAULTS))


def collect_faults(path: str, check: Callable[[], Iterable[Fault]]) -> list[Fault]:
    """Return the faults that a check finds; an error of the check itself becomes a fault at `path`.

    A check calls the parts of a test, which cannot foresee every value. The text of the error is included, so that the
    check can be corrected if the values were valid.
    """
    try:
        return list(check())
    except TestFileError as error:
        return error.faults
    except DovetailError as error:
        return [Fault(path, str(error))]
    except Exception as error:
        return [Fault(path, unforeseen_error_text(error))]


def reason(error: BaseException) -> str:
    """Return the reason of an error in small letters, for a message about a file or a connection."""
    return (
        (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    ).lower()


def value_or_none(compute: Callable[[], T]) -> T | None:
    """Return a computed value; None if the analysis is not possible or does not converge."""
    return value_or_reason(compute)[0]


def value_or_reason(compute: Callable[[], T]) -> tuple[T | None, str]:
    """Return a computed value and an empty text, or None and the reason why it is not available."""
    try:
        return compute(), ""
    except (AnalysisError, StepSizeError, ConvergenceError) as error:
        return None, str(error)


def unforeseen_error_text(error: BaseException) -> str:
    """Return the text of a fault for values that caused an unforeseen error."""
    text = next((line for line in str(error).splitlines() if line.strip()), "")
    return f"these values cannot be used together ({type(error).__name__}: {text[:200]})"


def format_value(value: Any, max_length: int = 60) -> str:
    """Format a value for a message; long texts are shortened."""
    return shortened(f'"{value}"' if isinstance(value, str) else repr(value), max_length)


def shortened(text: str, max_length: int) -> str:
    """Return a text of at most about `max_length` characters for a message; a longer one with its length."""
    if len(text) <= max_length:
        return text
    return f"{text[: max_length - 20]}... ({len(text)} characters)"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `did you mean "duration"? ` for a similar name; empty if there is none."""
    similar = difflib.get_close_matches(name[:100], list(known), n=1, cutoff=0.6)
    return f'did you mean "{similar[0]}"? ' if similar else ""


def unknown_key(key: str, known: Iterable[str], new: str | None = None) -> str:
    """Return the text of a fault about a key that no field has; `new` is its new name, if it was renamed."""
    known = list(known)
    hint = remark(new) or did_you_mean(key, known).strip() or f"known: {', '.join(known)}"
    return f"unknown key; {hint}"
