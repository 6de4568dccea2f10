"""Compute every published number again and keep what was got, for the tables of the documentation.

    python docs/compute_targets.py [STUDY ...]     # all studies without a name
    python docs/compute_targets.py --count         # computes nothing, only counts what is kept

This takes minutes, so it is no part of building the documentation: the build reads `reproduced/STUDY.json`. A target
that was added or changed since shows as not computed yet. The README's count of what is met is written anew.
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


def kept(value):
    """A value as the file has it: seven figures, so that a rounding of another machine changes no line."""
    if isinstance(value, list):
        return [kept(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else str(value)
    return value


def counted(text):
    """The README with the count of what is kept."""
    sys.path.insert(0, str(DOCS / "_ext"))
    from target_results import counts

    return COUNT.sub(as_markdown(counts()), text)


def main(names):
    HERE.mkdir(exist_ok=True)
    for name in names or studies():
        rows = []
        for result in reproduce(name):
            record = result.record()
            rows.append({key: kept(record[key]) for key in ("id", "expected", "tolerance", "got", "status")})
            print(name, record["id"], record["status"], flush=True)
            lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
            (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")  # what there is so far


if __name__ == "__main__":
    if sys.argv[1:] != ["--count"]:
        main(sys.argv[1:])
    README.write_text(counted(README.read_text("utf-8")), "utf-8")
