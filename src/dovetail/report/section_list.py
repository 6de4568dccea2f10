"""List of the sections of a page, for all pages that report a run; users add sections to it.

A section is a function from a run (`Reported`) to blocks; without blocks the section is omitted.
A file of user parts adds one:

>>> from dovetail.report import Paragraph, section
>>> @section("Duration")
... def duration(run):
...     return [Paragraph(f"{float(run.data.time[-1]):.3g} s")]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dovetail.report.page import Block, PageSection, Paragraph
from dovetail.report.page_subject import Reported

SectionFunction = Callable[[Reported], Sequence[Block]]
_user_sections: dict[str, SectionFunction] = {}  # by title


def section(title: str) -> Callable[[SectionFunction], SectionFunction]:
    """Add a function as section with this title to the report on every run; the same title replaces it."""

    def add(function: SectionFunction) -> SectionFunction:
        _user_sections[title] = function
        return function

    return add


def page_sections(run: Any, sections: Iterable[tuple[str, Sequence[Block]]]) -> list[Block]:
    """Return the sections of a page that have blocks, then those of users for its run."""
    reported = Reported.from_run(run)
    users = ((title, _user_blocks(title, function, reported)) for title, function in _user_sections.items())
    return [PageSection(title, blocks) for title, blocks in (*sections, *users) if blocks]


def _user_blocks(title: str, function: SectionFunction, run: Reported) -> Sequence[Block]:
    """Return the blocks of a user section, or its error: a report is written in any case."""
    try:
        return function(run)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        return [Paragraph(f"Section “{title}” ({function.__module__}) failed: {reason}.", "bad")]
