"""`make fuzz`: all readers for as long as is asked, in a process that may die without taking the findings along.

A child draws and judges; it writes each case down before it reads it. When a child ends by a signal, or says nothing
for minutes, the case that it was at is the finding, and another child goes on after it. Ctrl-C ends it; what was found
is kept in the corpus.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .harness import CORPUS, LONGEST, WAITING, Finding, fuzz, keep, text_of, unpacked

MOST = 4e9  # [B] of a child, beyond which another one goes on


def main() -> int:
    """Run for the time that is asked; the exit code is 1 if something was found."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", help="readers whose name holds this")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    return work(given) if given.child else supervise(given)


def supervise(given: argparse.Namespace) -> int:
    """Children one after another until the time is over."""
    end, first, found = time.monotonic() + given.seconds, given.first, set()
    print(
        f"fuzzing for {given.seconds:g} s with seed {given.seed}; findings are kept in {given.corpus}",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="dovetail-fuzz-") as place:
        notes = Path(place)
        while (left := end - time.monotonic()) > 0:
            words = ["--seconds", str(left), "--seed", str(given.seed), "--only", given.only]
            words += ["--corpus", str(given.corpus), "--child", place, "--first", str(first)]
            child = subprocess.Popen([sys.executable, "-m", "fuzz", *words])
            try:
                silent = watch(child, notes)
            except KeyboardInterrupt:
                child.wait()
                break
            finally:
                if child.poll() is None:
                    child.kill()
                    child.wait()
            with contextlib.suppress(OSError, ValueError):
                found |= set(json.loads((notes / "found.json").read_text("utf-8")))
            number = int((notes / "number").read_text() or first) if (notes / "number").exists() else first
            if child.returncode not in (0, 75):
                at = json.loads((notes / "case.json").read_text("utf-8"))
                why = "silent for minutes" if silent else f"the process ended with {child.returncode}"
                file = keep(Finding(at["reader"], why, f"case {number}"), unpacked(at["case"]), given.corpus)
                print(f"FOUND {at['reader']}: {why}: {file.name}", flush=True)
                found.add(file.name)
            first = number + 1
    print(
        f"{first - given.first} rounds of all readers, {len(found)} findings: {', '.join(sorted(found)) or 'none'}"
    )
    return 1 if found else 0


def watch(child: subprocess.Popen, notes: Path) -> bool:
    """Wait for a child; True if it was ended because it said nothing for minutes."""
    while True:
        try:
            child.wait(timeout=5)
            return False
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                if time.time() - (notes / "case.json").stat().st_mtime > 1.5 * WAITING * LONGEST:
                    child.kill()
                    child.wait()
                    return True


def work(given: argparse.Namespace) -> int:
    """What a child does; exit code 75 asks for another one, as this one has grown too large."""
    from . import files, protocols

    readers = [r for r in (*files.readers(quick=False), *protocols.readers()) if given.only in r.name]
    known = {file.name for file in given.corpus.glob("*.json")}
    found: dict[str, int] = {}
    count, last = 0, time.monotonic()

    def before(reader, number, case):
        nonlocal count, last
        count += 1
        (given.child / "case.json").write_text(text_of(reader.name, case), "utf-8")
        (given.child / "number").write_text(str(number))
        if time.monotonic() - last > 30:
            last = time.monotonic()
            print(
                f"{count} cases, round {number}, {len(found)} findings, {resident() / 1e9:.1f} GB", flush=True
            )
            if resident() > MOST:
                raise TooLarge

    def tell(finding, case):
        file = keep(finding, case, given.corpus)
        found[file.name] = found.get(file.name, 0) + 1
        (given.child / "found.json").write_text(json.dumps(sorted(found)), "utf-8")
        if found[file.name] == 1:
            again = " (in the corpus already)" if file.name in known else ""
            print(f"FOUND {finding}: {file.name}{again}", flush=True)

    try:
        fuzz(readers, given.seed, given.seconds, first=given.first, before=before, found=tell)
    except TooLarge:
        return 75
    except KeyboardInterrupt:
        return 0
    print(f"{count} cases", flush=True)
    return 0


class TooLarge(BaseException):
    """This process holds more memory than it should."""


def resident() -> float:
    """Memory this process holds [B]."""
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
