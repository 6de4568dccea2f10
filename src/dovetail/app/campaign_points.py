"""Points of a campaign: parameter values, measures computed so far, and the test of each point."""

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
    """One value for each point of a campaign; NaN if not computed yet, text for a parameter with text values."""

    name: str
    about: str
    unit: str
    values: np.ndarray


@dataclass(frozen=True)
class Points:
    """Current content of a campaign folder."""

    title: str
    parameters: tuple[Column, ...]
    measures: tuple[Column, ...]
    computed: int
    total: int
    failed: int


def points(folder: str | Path) -> Points:
    """Return all points of a campaign, computed or not.

    A measure is the mean over all seeds, and the value of the last mode (rehearse, if the campaign has it).

    Raises
    ------
    OutputError
        If the folder contains no campaign.
    """
    data, campaign = open_results(folder, flat=True), Store.resume(folder).campaign
    parameters = tuple(
        Column(
            parameter.name,
            parameter.about or ", ".join(parameter.paths),
            "" if parameter.unit == "1" else parameter.unit,
            data[parameter.name].values,
        )
        for parameter in campaign.parameters
    )
    measures = []
    for name, values in data.data_vars.items():
        values = values.isel(mode=-1) if "mode" in values.dims else values
        values = values.mean("seed") if "seed" in values.dims else values
        if values.dims == ("point",) and values.dtype.kind == "f":
            unit = str(values.attrs.get("units", ""))
            about = str(values.attrs.get("long_name", name))
            measures.append(Column(str(name), about, "" if unit == "1" else unit, values.values))
    attrs = data.attrs
    return Points(
        str(attrs["title"]), parameters, tuple(measures), attrs["computed"], attrs["points"], attrs["failed"]
    )


def point_document(folder: str | Path, number: int) -> Document:
    """Write the test of one point to `points/NUMBER.toml` in the campaign folder and open it.

    Raises
    ------
    ParameterError
        If the campaign does not vary parameters of a test, or has no point of this number.
    """
    campaign = Store.resume(folder).campaign
    if campaign.subject != "test":
        raise ParameterError(
            f"{campaign.subject_name}: is a function, not a test; its points cannot be run individually"
        )
    table = campaign.points()
    total = len(next(iter(table.values())))
    if not 0 <= number < total:
        raise ParameterError(f"point {number} does not exist; expected 0 to {total - 1}")
    changes: dict[str, Any] = {}
    for parameter in campaign.parameters:
        value = table[parameter.name][number]
        plain = value.item() if isinstance(value, np.generic) else value
        changes |= dict.fromkeys(parameter.paths, plain)
    file = Path(folder) / "points" / f"{number}.toml"
    try:
        file.parent.mkdir(exist_ok=True)
        replace_text(file, tomli_w.dumps(change(campaign.table, changes, campaign.subject_name)))
    except OSError as error:
        raise OutputError(
            f"{file}: cannot be written ({reason(error)}); check permissions and disk space"
        ) from error
    return Document.open(str(file))
