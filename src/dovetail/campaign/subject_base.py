"""Base of the subjects of a campaign: evaluates points, in chunks, and returns measures with failure reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.campaign.axes import VariedParameter

if TYPE_CHECKING:
    from dovetail.campaign.plan import Campaign

CPU_BATCH, GPU_BATCH = 500, 65_536  # points computed together: fits the cache of a processor; fills a GPU
MEMORY = 256 * 2**20  # [B] for a batch if the memory of the device is not known


@dataclass
class Values:
    """Values of one measure over points: dimensions after the first, the array, its attributes."""

    dims: tuple[str, ...]
    array: np.ndarray
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass
class ChunkResult:
    """Measures of a chunk by name, and failure reasons by index of the point in the chunk."""

    values: dict[str, Values]
    reasons: dict[int, str]


class Subject(ABC):
    """Evaluates points; the same chunk of points gives bit-identical results.

    A point in another chunk, or alone, agrees to rounding only: batches of other sizes round differently in the last
    digits.
    """

    @abstractmethod
    def default(self, parameter: VariedParameter) -> Any:
        """Return the value of a parameter that is not varied; None if it has none."""

    def names(self) -> list[str] | None:
        """Return parameters and measures, named as in `analysis_results.rows`; None if undetermined."""
        return None

    @abstractmethod
    def evaluate(self, columns: Mapping[str, np.ndarray]) -> ChunkResult:
        """Return the measures of points. A point that cannot be computed is NaN, with its reason."""

    def sizes(self, total: int) -> tuple[int, int]:
        """Return the default numbers of points stored together and computed together."""
        batch = min(CPU_BATCH if jax.default_backend() == "cpu" else GPU_BATCH, total)
        # writing a chunk costs about as much as computing one batch; eight chunks keep every core busy
        return max(1, min(8, total // (8 * batch))) * batch, batch


def common_columns(campaign: Campaign) -> list[str]:
    """Return the columns that every campaign has."""
    seeds = ["seed"] if len(campaign.seeds) > 1 else []
    return ["point", *(parameter.name for parameter in campaign.parameters), *seeds]


def groups(columns: Mapping[str, np.ndarray], names: list[str]):
    """Return groups of points that agree in some columns: the common values and the indices, in order."""
    size = len(next(iter(columns.values())))
    if not names:
        return [((), np.arange(size))]
    indices: dict[tuple, list[int]] = {}
    for i in range(size):
        indices.setdefault(tuple(python_value(columns[name][i]) for name in names), []).append(i)
    return [(key, np.array(group)) for key, group in indices.items()]


def pad_column(column: np.ndarray, size: int) -> np.ndarray:
    """Return a column padded with its last value, so that one compiled shape is enough."""
    return np.concatenate([column, np.repeat(column[-1:], size - len(column), axis=0)])


def with_failures(values: dict[str, Values]) -> ChunkResult:
    """Mark points with a non-finite measure as failed; record which measure."""
    reasons: dict[int, str] = {}
    for name, entry in values.items():
        bad = ~np.isfinite(entry.array.reshape(len(entry.array), -1)).all(axis=1)
        for i in np.flatnonzero(bad):
            reasons.setdefault(int(i), f"{name} is not finite")
    return ChunkResult(values, reasons)


def python_value(value: Any) -> Any:
    """Return the value of a column as a Python number or text."""
    return value.item() if isinstance(value, np.generic) else value
