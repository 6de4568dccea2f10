"""The points of a campaign while it fills: values of its axes, what was measured so far, and the test of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.app.document import Document, replace_text
from dovetail.campaign import Store, open_results
from dovetail.core.errors import OutputError, ParameterError, reason
from dovetail.testing.test_table import change


@dataclass(frozen=True)
class Column:
    """One value for each point of a campaign, NaN where it is not known yet; words of an axis of words."""

    name: str
    about: str
    unit: str
    values: np.ndarray


@dataclass(frozen=True)
class Points:
    """What a campaign's folder holds now."""

    title: str
    axes: tuple[Column, ...]
    measures: tuple[Column, ...]
    computed: int
    total: int
    failed: int


def points(folder: str | Path) -> Points:
    """All points of a campaign, computed or not. Raises `OutputError` where there is none.

    Of several seeds a measure is the mean, of several modes the last: the rehearsal, where there is one.
    """
    data, campaign = open_results(folder, flat=True), Store.resume(folder).campaign
    axes = tuple(
        Column(
            axis.name,
            axis.about or ", ".join(axis.paths),
            "" if axis.unit == "1" else axis.unit,
            data[axis.name].values,
        )
        for axis in campaign.axes
    )
    measures = []
    for name, values in data.data_vars.items():
        values = values.isel(mode=-1) if "mode" in values.dims else values
        values = values.mean("seed") if "seed" in values.dims else values
        if values.dims == ("point",) and values.dtype.kind == "f":
            unit = str(values.attrs.get("units", ""))
            about = str(values.attrs.get("long_name", name))
            measures.append(Column(str(name), about, "" if unit == "1" else unit, values.values))
    told = data.attrs
    return Points(str(told["title"]), axes, tuple(measures), told["computed"], told["points"], told["failed"])


def point_document(folder: str | Path, number: int) -> Document:
    """The test of one point of a campaign, as a document of its own in the campaign's folder (`points/NUMBER.toml`).

    Raises
    ------
    ParameterError
        If the campaign is not of a test, or has no such point.
    """
    campaign = Store.resume(folder).campaign
    if campaign.subject != "test":
        raise ParameterError(
            f"{campaign.of}: is no test but a function, whose points cannot be run one by one"
        )
    table = campaign.points()
    total = len(next(iter(table.values())))
    if not 0 <= number < total:
        raise ParameterError(f"point {number}: there are {total}, counted from 0")
    changes: dict[str, Any] = {}
    for axis in campaign.axes:
        value = table[axis.name][number]
        plain = value.item() if isinstance(value, np.generic) else value
        changes |= dict.fromkeys(axis.paths, plain)
    file = Path(folder) / "points" / f"{number}.toml"
    try:
        file.parent.mkdir(exist_ok=True)
        replace_text(file, tomli_w.dumps(change(campaign.table, changes, campaign.of)))
    except OSError as error:
        raise OutputError(f"{file}: cannot be written ({reason(error)})") from error
    return Document.open(str(file))
