"""Recompute all targets and store the values for the tables of the documentation.

    python docs/compute_targets.py [STUDY ...]     # all studies without a name
    python docs/compute_targets.py --count         # count the stored results only

This takes minutes and is not part of the documentation build, which reads `target_results/STUDY.json`. Targets that
were added or changed since are shown as not computed yet. The table of counts in the README is updated.
"""

import json
import math
import re
import sys
from pathlib import Path

from dovetail.studies import reproduce, studies
from dovetail.studies.target_counts import as_markdown

DOCS = Path(__file__).resolve().parent
HERE = DOCS / "target_results"
README = DOCS.parent / "README.md"
COUNT = re.compile(r"(?<=<!-- count of targets -->\n).*?(?=\n<!-- end -->)", re.S)


def rounded(value):
    """Round to seven digits, so that rounding on another machine changes no line."""
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else str(value)
    return value


def with_counts(text):
    """Return the README with the current table of counts."""
    sys.path.insert(0, str(DOCS / "_ext"))
    from target_results import counts

    return COUNT.sub(as_markdown(counts()), text)


def main(names):
    HERE.mkdir(exist_ok=True)
    for name in names or studies():
        rows = []
        for result in reproduce(name):
            record = result.record()
            rows.append(
                {key: rounded(record[key]) for key in ("id", "expected", "tolerance", "value", "status")}
            )
            print(name, record["id"], record["status"], flush=True)
            lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
            (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")  # results so far


if __name__ == "__main__":
    if sys.argv[1:] != ["--count"]:
        main(sys.argv[1:])
    README.write_text(with_counts(README.read_text("utf-8")), "utf-8")
