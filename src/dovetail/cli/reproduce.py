"""Command `dovetail reproduce`: compute published results and compare them with their targets.

Each result is printed and cached as soon as it is computed. A target that cannot be computed is reported as failed and
the others are computed. After an interruption, the same command computes only the remaining targets. The exit code is
0 if all targets were printed and met, 1 if a target missed or failed, and 130 after an interruption.
"""

from __future__ import annotations

import json
import os
import sys

from dovetail.cli.run import EXIT_INTERRUPTED
from dovetail.core.cache_folder import user_cache
from dovetail.core.errors import UnknownNameError
from dovetail.studies import targets
from dovetail.studies.target_cache import TargetCache
from dovetail.studies.target_counts import as_text, count_targets
from dovetail.studies.targets import MANY, Result, Target


def reproduce(study: str | None, target_names: list[str], as_json: bool, recompute: bool) -> int:
    """Compute the targets and print a table; return the exit code."""
    selected = _select_targets(targets.load_targets(study), target_names)
    cached = None if target_names else TargetCache(user_cache() / "reproduced", study)
    if cached and recompute:
        cached.delete()
    if cached and (cached_count := cached.count(selected)):
        _print_remark(
            f"{cached_count} of {len(selected)} results are cached from an interrupted command; "
            "--recompute ignores them"
        )
    done: list[Result] = []
    interrupted = False
    print("[" if as_json else "", end="")
    try:
        for target in selected:
            _print_status(
                f"{len(done)} of {len(selected)} computed; {target.study} {target.id}: {target.description}"
            )
            result = (cached and cached.result(target)) or targets.compute_target(target)
            if cached:
                cached.add(result)
            done.append(result)
            _print_status("")
            print(_json_row(result, len(done)) if as_json else _row(result), end="", flush=True)
            if as_json:
                _print_remark(f"{len(done)} of {len(selected)}: {target.study} {target.id} {result.status}")
    except KeyboardInterrupt:
        interrupted = True
        _print_status("")
    print(
        "\n]" if as_json else _summary(done), flush=True
    )  # an error here leads to an exit code other than 0
    if cached and cached.fault:
        _print_remark(
            f"results cannot be cached ({cached.fault}); an interrupted table is computed again from the start"
        )
    if interrupted:
        advice = (
            "the same command computes the remaining targets"
            if cached and not cached.fault
            else "the remaining targets are not computed"
        )
        _print_remark(f"interrupted after {len(done)} of {len(selected)} targets; {advice}")
        return EXIT_INTERRUPTED
    if cached:
        cached.delete()
    return int(any(result.status in ("missed", "failed") for result in done))


def _select_targets(targets: list[Target], target_names: list[str]) -> list[Target]:
    """Return the named targets in the order of the table; all targets if no name is given."""
    for name in target_names:
        if name not in (names := [target.id for target in targets]):
            raise UnknownNameError("target", name, names)
    return [target for target in targets if not target_names or target.id in target_names]


def _row(result: Result) -> str:
    row = result.record()
    mark = row["status"].upper() if row["status"] in ("missed", "failed") else row["status"]
    text = (
        f"{row['study']} {row['id']:<6} {mark:<7} {row['origin']:<7} {row['kind']:<12} {row['description']}\n"
    )
    text += (
        f"{'':<8}expected {_short(row['expected'])}; computed {_short(row['value'])}; {row['tolerance']}\n"
    )
    if row["note"]:
        text += f"{'':<8}{row['note']}\n"
    if row["programs"] > MANY:
        text += f"{'':<8}{row['programs']} programs compiled: {row['compile_reason'] or 'no reason given'}\n"
    return text


def _json_row(result: Result, number: int) -> str:
    return ("\n" if number == 1 else ",\n") + json.dumps(result.record(), ensure_ascii=False)


def _summary(done: list[Result]) -> str:
    counts = as_text(count_targets((result.target, result.status) for result in done))
    return f"\ntargets met, by origin of the expected value and by kind of evidence\n{counts}"


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, list):
        return ", ".join(_short(v) for v in value)
    return "-" if value is None else str(value)


def _print_remark(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print_status(text: str) -> None:
    """Print a status line that the next one replaces, if the error stream is a terminal."""
    if sys.stderr.isatty():
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        print(f"\r\x1b[K{text[: width - 1]}", end="", file=sys.stderr, flush=True)
