"""How golden.py runs the tests of this tree: the only part of it that names the interface of Dovetail.

Change it with the interface. `golden_interface_baseline.py` does the same for the baseline commit.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from dovetail import testing
from dovetail.core.errors import AnalysisError
from dovetail.studies.registry import find_test

MODES = (
    "reference",
    "rehearse",
    "replay",
    "pseudodynamic",
    "simulate",
)  # in this order: a replay needs the rehearsal
SLOW_MODE = "pseudodynamic"  # every step is a move of the cell: fewer ticks
UNWATCHED = {
    "limits.contact_energy_gain": float("inf")
}  # a limit that this mode cannot watch: taken away for it


def load(name: str, ticks: int, changes: dict[str, Any] | None = None) -> Any:
    """Return a test of a study, shortened to a number of ticks, or to those that its longest delay needs."""
    test = testing.load(find_test(name), changes)
    delays = [leaf for path, leaf in jax.tree_util.tree_leaves_with_path(test) if str(path[-1]) == ".delay"]
    longest = max((float(np.max(delay)) for delay in delays), default=0.0)
    ticks = min(max(ticks, int(np.ceil(1.2 * longest * test.rate))), test.tick_count)
    ticks = max(ticks // test.record_every, 1) * test.record_every
    return dataclasses.replace(test, duration=ticks / test.rate)


def runs(name: str, ticks: int, slow_ticks: int) -> Iterator[tuple[str, Any]]:
    """Yield every mode with its run, with the reason why there is none (a text), or with the error."""
    rehearsal: Any = None
    for mode in MODES:
        test = load(name, slow_ticks if mode == SLOW_MODE else ticks)
        why = test.mode_faults(mode)
        if why and mode == SLOW_MODE and why.startswith(next(iter(UNWATCHED))):
            test = load(name, slow_ticks, UNWATCHED)
            why = test.mode_faults(mode)
        if why:
            yield mode, why
            continue
        try:
            method = {SLOW_MODE: "run_pseudodynamic"}.get(mode, mode)
            run = test.replay(rehearsal) if mode == "replay" else getattr(test, method)()
        except Exception as error:
            yield mode, error
            continue
        rehearsal = run if mode == "rehearse" else rehearsal
        yield mode, run


def stability(name: str) -> dict[str, Any] | str:
    """Return the fields of the stability assessment of the whole test, or why there is none."""
    test = testing.load(find_test(name))
    try:
        assessed = test.stability()
    except AnalysisError as error:
        return str(error)
    return {field.name: getattr(assessed, field.name) for field in dataclasses.fields(assessed)}


def recorded(run: Any) -> tuple[dict[str, Any], dict[str, str], str, dict[str, Any] | None]:
    """Return signals, their units, the name of the outcome, and the limit that was met."""
    signals = {str(name): np.asarray(values.values) for name, values in run.data.data_vars.items()}
    signals["time"] = np.asarray(run.data.time.values)
    units = {str(name): str(run.data[name].attrs.get("units", "")) for name in run.data.data_vars}
    return signals, units, run.outcome.name, dataclasses.asdict(run.trip) if run.trip else None
