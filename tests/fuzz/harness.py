"""Draws cases, judges what a reader does with each, and keeps what was found as a case file.

Good is what was read, or an error of our own tree whose text can be shown. Anything else is a finding: another
exception, a hang, the end of the process by a signal. A case is plain data, and so is its file: JSON, bytes as base64.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import gc
import hashlib
import json
import random
import signal
import tempfile
import time
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dovetail.core.errors import DovetailError

CORPUS = Path(__file__).resolve().parent / "corpus"
LONGEST = (
    120  # [s] of the processor for one case, far beyond what any takes: what is still busy then does not end
)
WAITING = 10  # times as long by the clock: on a busy machine a case takes that long, and what waits then waits for ever
LONGEST_TEXT = 20_000  # characters of a message that somebody should read


@dataclasses.dataclass(frozen=True)
class Reader:
    """One reader: `draw` makes a case, `read` gives it to the reader; `folder` is an empty one for it to use."""

    name: str
    draw: Callable[[random.Random], Any]
    read: Callable[[Any, Path], Any]
    every: int = (
        1  # takes part in one of so many rounds: a case that starts a process costs as much as a hundred
    )


@dataclasses.dataclass(frozen=True)
class Finding:
    """What went wrong with a case."""

    reader: str
    what: str  # exception and text
    where: str  # the innermost line of ours
    trace: str = ""

    def __str__(self) -> str:
        return f"{self.reader}: {self.what} ({self.where})"


class Hung(BaseException):
    """A case that does not end."""


def judge(reader: Reader, case: Any, longest: float = LONGEST) -> Finding | None:
    """What is wrong with how a reader takes a case; None if nothing is."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), bounded(longest):
        warnings.simplefilter("ignore")
        try:
            reader.read(case, Path(folder))
        except DovetailError as error:
            text = str(error)
            if not text.strip() or len(text) > LONGEST_TEXT:
                return Finding(reader.name, f"a message of {len(text)} characters", type(error).__name__)
        except (Exception, Hung, SystemExit) as error:
            frames = [f for f in traceback.extract_tb(error.__traceback__) if "dovetail" in f.filename]
            where = f"{Path(frames[-1].filename).stem}.{frames[-1].name}" if frames else "outside"
            told = f"{type(error).__name__}: {str(error)[:200]}"
            return Finding(reader.name, told, where, "".join(traceback.format_exception(error))[-4000:])
    return None


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise `Hung` in a block that takes longer: so much of the processor, or many times as long by the clock."""

    def stop(*_: Any) -> None:
        raise Hung(f"busy for more than {seconds:g} s")

    timers = {signal.SIGPROF: (signal.ITIMER_PROF, 1), signal.SIGALRM: (signal.ITIMER_REAL, WAITING)}
    before = {number: signal.signal(number, stop) for number in timers}
    left = {timer: signal.setitimer(timer, times * seconds)[0] for timer, times in timers.values()}
    try:
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])
            signal.setitimer(timer, left[timer])  # the time limit of a test begins anew


def drawn(reader: Reader, seed: int, number: int) -> Any:
    """The case of that number: the same for the same seed."""
    return reader.draw(random.Random(f"{seed} {reader.name} {number}"))


def fuzz(
    readers: list[Reader],
    seed: int,
    seconds: float,
    *,
    first: int = 0,
    before: Callable[[Reader, int, Any], None] = lambda reader, number, case: None,
    found: Callable[[Finding, Any], None] = lambda finding, case: None,
) -> int:
    """Cases of all readers in turn, until the time is over; how many of each there were."""
    end, number = time.monotonic() + seconds, first
    while time.monotonic() < end:
        for reader in readers:
            if number % reader.every:
                continue
            case = drawn(reader, seed, number)
            before(reader, number, case)
            finding = judge(reader, case)
            if finding is not None:
                found(finding, case)
        number += 1
        if number % 500 == 0:
            gc.collect()
    return number - first


# case files


def packed(case: Any) -> Any:
    """A case as JSON has it: bytes, and what JSON has no word for, as tables."""
    if isinstance(case, bytes):
        return {"bytes": base64.b64encode(zlib.compress(case, 9)).decode("ascii")}
    if isinstance(case, dict):
        return {key: packed(entry) for key, entry in case.items()}
    return [packed(entry) for entry in case] if isinstance(case, list | tuple) else case


def unpacked(case: Any) -> Any:
    """The case that `packed` packed."""
    if isinstance(case, dict):
        if set(case) == {"bytes"}:
            return zlib.decompress(base64.b64decode(case["bytes"]))
        return {key: unpacked(entry) for key, entry in case.items()}
    return [unpacked(entry) for entry in case] if isinstance(case, list) else case


def text_of(reader: str, case: Any, found: str = "") -> str:
    """What stands in a case file."""
    return json.dumps({"reader": reader, "found": found, "case": packed(case)}, indent=1) + "\n"


def keep(finding: Finding, case: Any, corpus: Path = CORPUS) -> Path:
    """Save a finding; its file is named after where it was found, so that the same one is kept once."""
    mark = hashlib.sha256(f"{finding.what.partition(':')[0]} {finding.where}".encode()).hexdigest()[:8]
    file = corpus / f"{finding.reader.replace(' ', '-')}-{mark}.json"
    if not file.exists():
        corpus.mkdir(parents=True, exist_ok=True)
        told = f"{finding.what} ({finding.where})".replace(
            f"{CORPUS.parents[2]}/", ""
        )  # no folder of one machine
        file.write_text(text_of(finding.reader, case, told), "utf-8")
    return file


def load(file: Path) -> tuple[str, Any]:
    """Reader and case of a case file."""
    table = json.loads(file.read_text("utf-8"))
    return table["reader"], unpacked(table["case"])
