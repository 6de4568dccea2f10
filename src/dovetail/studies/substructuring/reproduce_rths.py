"""Published properties of the plant of the benchmark, and results of the best compensator, recomputed."""

from __future__ import annotations

from functools import cache

import numpy as np
import xarray as xr

from dovetail.assess import growth_rates
from dovetail.studies.substructuring import rths
from dovetail.studies.substructuring.rths_compensators import BEST

SHORT = 41 / 4096  # [s] of a test whose poles alone are asked for: whole ticks at its rate


def plant_delay() -> float:
    """B01: delay of slow motion [s]."""
    return float(rths.plant_of(rths.benchmark()).linear().low_frequency_delay)


def plant_gain() -> float:
    """B02: gain at rest of the position loop, without the gain outside it."""
    plant = rths.plant_of(rths.benchmark())
    return float(np.abs(plant.linear()(0j)) / plant.gain)


def bare_loop_is_unstable() -> list[bool]:
    """B03: in cases 1 to 4, without compensation."""
    tests = [rths.COMPENSATORS["none"].build(rths.benchmark(case, duration=SHORT)) for case in rths.CASES]
    return (growth_rates(tests) > 0).tolist()


def nominal_errors() -> list[float]:
    """B04: the largest J2 and J4 [%] of cases 1 to 4 on the nominal plant."""
    criteria = _best()["criteria"].isel(plant=0).sel(criterion=["J2", "J4"])
    return criteria.max("case").values.tolist()


def stable_plants() -> int:
    """B05: how many of the eighty perturbed runs are stable."""
    return int(_best()["stable"].isel(plant=slice(1, None)).sum())


def perturbed_errors() -> list[float]:
    """B06: the largest J2 and J4 [%] of all perturbed runs."""
    criteria = _best()["criteria"].isel(plant=slice(1, None)).sel(criterion=["J2", "J4"])
    return criteria.max(("case", "plant")).values.tolist()


@cache
def _best() -> xr.Dataset:
    """The row of our best compensator: four cases, the nominal and twenty perturbed plants."""
    return rths.table([BEST]).isel(compensator=0)
