"""Size of the benchmarks: full for a measurement, small for a check that every benchmark still runs.

    DOVETAIL_BENCH_SMALL=1 python -m pytest bench/bench_chain.py -s

The small size has fewer points, steps or seconds and compares fewer alternatives. Its rates are no measurement:
they are neither compared with targets nor stored.
"""

import os
from typing import TypeVar

Size = TypeVar("Size")
SMALL = os.environ.get("DOVETAIL_BENCH_SMALL", "") not in ("", "0")


def sized(full: Size, small: Size) -> Size:
    """Return the number, or the selection of cases, for the chosen size."""
    return small if SMALL else full
