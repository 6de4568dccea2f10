"""Try a sample of mutations: print the survivors and a table of the packages, write the results as JSON.

    PYTHONPATH=tests python -m mutation --seed 1 --number 300 --workers 2 --seconds 3600

Each mutation runs in a copy of its own, first against the test file of its module, then against the folder of that
file, without the slow tests. Results are written after each mutation, so nothing is lost when the process is stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .changes import Mutation
from .sample import belongs, equivalents, sample
from .trees import ROOT, Trees

COLUMNS = ("sampled", "by file", "by package", "by time", "survived", "equivalent", "untested")
COLUMN = {
    "killed by file": "by file",
    "killed by package": "by package",
    "killed by time limit": "by time",
}


def main() -> None:
    options = _options()
    if options.summary:
        results = [r for file in options.summary for r in json.loads(file.read_text("utf-8"))["results"]]
        for result in results:
            if result["outcome"] == "survived":
                print(_line(result))
        print(table(results))
        return
    sources = {
        str(file.relative_to(ROOT / "src/dovetail")): file.read_text("utf-8")
        for file in (ROOT / "src/dovetail").rglob("*.py")
    }
    if options.packages:
        sources = {file: text for file, text in sources.items() if belongs(file, options.packages)}
    if options.again:
        mutations = list(survivors(json.loads(options.again.read_text("utf-8"))["results"], sources))
    else:
        mutations = sample(sources, options.number, options.seed)
    part, parts = map(int, options.part.split("/"))
    work = Work(sources, mutations[part - 1 :: parts], options)
    try:
        work.run()
    finally:
        work.trees.close()
        print(table(work.results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default: 1)")
    parser.add_argument("--number", type=int, default=300, help="number of mutations (default: 300)")
    parser.add_argument("--packages", nargs="+", default=[], help="only these, such as links transfer/robot")
    parser.add_argument("--part", default="1/1", help="part i of n of the sample, i/n (default: 1/1)")
    parser.add_argument("--workers", type=int, default=2, help="number of test processes (default: 2)")
    parser.add_argument("--seconds", type=float, default=3600.0, help="stop after this time (default: 3600)")
    parser.add_argument("--out", type=Path, default=ROOT / "build/mutations.json", help="results file")
    parser.add_argument(
        "--again", type=Path, help="run the survivors of this results file instead of a sample"
    )
    parser.add_argument("--summary", type=Path, nargs="+", help="print these results files; run nothing")
    return parser.parse_args()


def survivors(results: list[dict[str, Any]], sources: dict[str, str]) -> Iterator[Mutation]:
    """Find the survivors of an earlier run in the source of today; lines may have moved."""
    from .changes import mutations

    wanted = {(r["place"], r["change"]) for r in results if r["outcome"] == "survived"}
    files = {place.partition("::")[0] for place, _ in wanted}
    for file in sorted(files & sources.keys()):
        names = {name for name, _ in wanted if name.startswith(f"{file}::")}
        for mutation in (m for place in mutations(sources[file], file) for m in place):
            key = mutation.place, mutation.change(sources[file]) if mutation.place in names else ""
            if key in wanted:
                wanted.discard(key)
                yield mutation
    for place, change in sorted(wanted):
        print(f"not in the source any more: {place}: {change}")


class Work:
    """The mutations of a run, and what became of each."""

    def __init__(self, sources: dict[str, str], mutations: list[Mutation], options: argparse.Namespace):
        self.sources, self.mutations, self.options = sources, mutations, options
        self.known = equivalents()
        self.results: list[dict[str, Any]] = []
        self.lock = threading.Lock()
        self.trees = Trees()
        self.end = time.monotonic() + options.seconds

    def run(self) -> None:
        options = self.options
        self.trees.check()
        print(f"{len(self.mutations)} mutations, seed {options.seed}, {options.workers} workers", flush=True)
        timer = threading.Timer(options.seconds, self.trees.ended.set)
        timer.daemon = True
        timer.start()
        with ThreadPoolExecutor(options.workers) as pool:
            try:
                list(pool.map(self.one, self.mutations))
            except BaseException:
                self.trees.ended.set()
                raise
        timer.cancel()
        left = len(self.mutations) - len(self.results)
        if left:
            print(f"{left} mutations were not tried: the time of {options.seconds:g} s was over")
        for target, baseline in sorted(self.trees.baselines.items()):
            for test in baseline.failing:
                print(f"fails without any mutation, left out: {test} (of {target})")

    def one(self, mutation: Mutation) -> None:
        if self.trees.ended.is_set():
            return
        source, begin = self.sources[mutation.file], time.monotonic()
        change = mutation.change(source)
        try:
            known = (mutation.place, change) in self.known
            outcome = "equivalent" if known else self.trees.run(mutation)
        except InterruptedError:
            return
        except RuntimeError as error:  # a dependency of these tests is not installed
            print(error)
            outcome = "untested"
        result = {
            "place": mutation.place,
            "line": mutation.line,
            "kind": mutation.kind,
            "change": change,
            "outcome": outcome,
            "seconds": round(time.monotonic() - begin, 1),
            "diff": mutation.diff(source),
        }
        with self.lock:
            self.results.append(result)
            self.write()
            if outcome == "survived":
                print(f"{_line(result)}\n{result['diff']}", flush=True)
            elif len(self.results) % 10 == 0:
                print(f"{len(self.results)} of {len(self.mutations)}", flush=True)

    def write(self) -> None:
        """Replace the results file, which is whole at any time."""
        out = self.options.out
        out.parent.mkdir(parents=True, exist_ok=True)
        failing = sorted({test for b in self.trees.baselines.values() for test in b.failing})
        about = {"seed": self.options.seed, "number": self.options.number, "part": self.options.part}
        beside = out.with_suffix(".part")
        beside.write_text(
            json.dumps({**about, "failing": failing, "results": self.results}, indent=1), "utf-8"
        )
        os.replace(beside, out)


def _line(result: dict[str, Any]) -> str:
    file = result["place"].partition("::")[0]
    return f"survived: src/dovetail/{file}:{result['line']} {result['place']}: {result['change']}"


def table(results: list[dict[str, Any]]) -> str:
    """Sampled, killed and survived mutations of each package; the rate leaves equivalents and untested out."""
    counts: dict[str, Counter[str]] = {}
    for result in results:
        parts = result["place"].partition("::")[0].split("/")
        package = "/".join(parts[: min(2, len(parts) - 1)]) or parts[0]
        for name in (package, "all"):
            outcome = COLUMN.get(result["outcome"], result["outcome"])
            counts.setdefault(name, Counter()).update(["sampled", outcome])
    width = max(map(len, counts), default=7)
    lines = [f"{'package':<{width}}  {'  '.join(COLUMNS)}  survived of tried"]
    for name in sorted(counts, key=lambda name: (name == "all", name)):
        count = counts[name]
        tried = count["sampled"] - count["equivalent"] - count["untested"]
        share = f"{100 * count['survived'] / tried:.0f} %" if tried else ""
        numbers = "  ".join(f"{count[column]:>{len(column)}}" for column in COLUMNS)
        lines.append(f"{name:<{width}}  {numbers}  {share:>17}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
