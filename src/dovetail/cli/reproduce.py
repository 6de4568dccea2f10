"""`dovetail reproduce`: the published numbers row by row, each printed and kept as soon as it was computed.

A row that cannot be computed says so, and the others are computed all the same. An interrupted table shows what it has,
and the same command goes on with it. The exit status is 0 only if the whole table was printed and every row of it is
met, 1 if a row missed or failed, 130 after an interrupt.
"""

from __future__ import annotations

import json
import os
import sys

from dovetail.cli.run import EXIT_INTERRUPTED
from dovetail.core.errors import UnknownNameError
from dovetail.core.program_cache import cache
from dovetail.studies import targets
from dovetail.studies.target_cache import Kept
from dovetail.studies.target_counts import as_text, tally
from dovetail.studies.targets import MANY, Result, Target


def reproduce(study: str | None, only: list[str], as_json: bool, fresh: bool) -> int:
    """Compute and print a table; the exit code."""
    wanted = _chosen(targets.load_targets(study), only)
    kept = None if only else Kept(cache() / "reproduced", study)
    if kept and fresh:
        kept.forget()
    if kept and (there := kept.count(wanted)):
        _say(f"{there} of {len(wanted)} rows are those of a table that was interrupted; --fresh begins anew")
    done: list[Result] = []
    interrupted = False
    print("[" if as_json else "", end="")
    try:
        for target in wanted:
            _pass(f"{len(done)} of {len(wanted)} done; {target.study} {target.id}: {target.what}")
            result = (kept and kept.result(target)) or targets.judge(target)
            if kept:
                kept.add(result)
            done.append(result)
            _pass("")
            print(_json_row(result, len(done)) if as_json else _row(result), end="", flush=True)
            if as_json:
                _say(f"{len(done)} of {len(wanted)}: {target.study} {target.id} {result.status}")
    except KeyboardInterrupt:
        interrupted = True
        _pass("")
    print(
        "\n]" if as_json else _end(done), flush=True
    )  # raises where it cannot be written, and the exit is not 0
    if kept and kept.fault:
        _say(f"rows could not be kept ({kept.fault}); a table that is interrupted begins anew")
    if interrupted:
        again = (
            "the same command computes the rest" if kept and not kept.fault else "the others are not computed"
        )
        _say(f"interrupted after {len(done)} of {len(wanted)} rows; {again}")
        return EXIT_INTERRUPTED
    if kept:
        kept.forget()
    return int(any(result.status in ("missed", "failed") for result in done))


def _chosen(targets: list[Target], only: list[str]) -> list[Target]:
    """Those that were named, in the order of the table; all if none was."""
    for name in only:
        if name not in (known := [target.id for target in targets]):
            raise UnknownNameError("target", name, known)
    return [target for target in targets if not only or target.id in only]


def _row(result: Result) -> str:
    row = result.record()
    mark = row["status"].upper() if row["status"] in ("missed", "failed") else row["status"]
    told = f"{row['study']} {row['id']:<6} {mark:<7} {row['origin']:<7} {row['kind']:<12} {row['what']}\n"
    told += f"{'':<8}expected {_short(row['expected'])}; got {_short(row['got'])}; {row['tolerance']}\n"
    if row["note"]:
        told += f"{'':<8}{row['note']}\n"
    if row["programs"] > MANY:
        told += f"{'':<8}{row['programs']} programs compiled: {row['compiles'] or 'no reason is given'}\n"
    return told


def _json_row(result: Result, number: int) -> str:
    return ("\n" if number == 1 else ",\n") + json.dumps(result.record(), ensure_ascii=False)


def _end(done: list[Result]) -> str:
    counts = as_text(tally((result.target, result.status) for result in done))
    return f"\nmet, by the origin of the expected value and what agreement is worth\n{counts}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, list):
        return ", ".join(_short(v) for v in value)
    return "-" if value is None else str(value)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _pass(text: str) -> None:
    """One line on the terminal that the next replaces; what a table prints may go elsewhere, so not by its stream."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        print(f"\r\x1b[K{text[: width - 1]}", end="", file=sys.stderr, flush=True)
