"""Compute every published number again and keep what was got, for the tables of the documentation.

    python docs/reproduce.py [STUDY ...]

This takes minutes, so it is no part of building the documentation: the build reads `reproduced/STUDY.json`. A target
that was added or changed since shows as not computed yet.
"""

import json
import math
import sys
from pathlib import Path

from dovetail.studies import reproduce, studies

HERE = Path(__file__).resolve().parent / "reproduced"


def kept(value):
    """A value as the file has it: seven figures, so that a rounding of another machine changes no line."""
    if isinstance(value, list):
        return [kept(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else str(value)
    return value


def main(names):
    HERE.mkdir(exist_ok=True)
    for name in names or studies():
        rows = []
        for result in reproduce(name):
            record = result.record()
            rows.append({key: kept(record[key]) for key in ("id", "expected", "got", "status")})
            print(name, record["id"], record["status"], flush=True)
            lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
            (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n", "utf-8")  # what there is so far


if __name__ == "__main__":
    main(sys.argv[1:])
