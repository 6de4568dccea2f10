"""What a campaign says in words: ranges of its measures, why points failed, and the answers its file asks for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from dovetail.campaign.store import Store, open_results


def answers(folder: str | Path, name: str = "") -> list[str]:
    """Lines for people to read; `name` is how the campaign is called on the command line."""
    store = Store.resume(folder)
    data = open_results(folder, flat=True)
    return [*_ranges(store, data), *_failures(store)]


def _ranges(store: Store, data: xr.Dataset) -> list[str]:
    lines = []
    for key, array in data.data_vars.items():
        if "time" in array.dims:
            continue
        for label, values in _parts(str(key), array):
            finite = values[np.isfinite(values)]
            if not len(finite):
                lines.append(f"  {label:<34} no point has a value")
                continue
            unit = array.attrs.get("units", "1")
            told = f"{finite.min():.4g} to {finite.max():.4g}{'' if unit == '1' else ' ' + unit}"
            lines.append(f"  {label:<34} {told}, median {np.median(finite):.4g}")
    return lines


def _parts(key: str, array: xr.DataArray) -> list[tuple[str, Any]]:
    if "mode" not in array.dims:
        return [(key, array.values.ravel())]
    return [(f"{key}, {mode}", array.sel(mode=mode).values.ravel()) for mode in array.mode.values]


def _failures(store: Store) -> list[str]:
    """Failed points by cause, the most frequent first."""
    reasons = store.reasons()
    if not reasons:
        return []
    lines = [f"{len(reasons)} points failed:"]
    for text, number in Counter(reasons.values()).most_common(5):
        first = next(i for i, reason in reasons.items() if reason == text)
        lines.append(f"  {number:>6}  {text} (first: point {first})")
    return lines
