"""Recorded signals over time as plain arrays with units.

A `Recording` has the part of the interface of `xarray.Dataset` that the package needs: names, `time`, `sizes`, `attrs`,
`isel`. It needs no import of xarray, which takes half a second with the libraries that it looks for. `to_dataset`
returns the dataset for a person (`run.data`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

Index = slice | np.ndarray | int


@dataclass(frozen=True, eq=False)
class RecordedSignal:
    """Values of a recorded signal; `attrs` has unit, symbol, label and frame."""

    values: np.ndarray
    dims: tuple[str, ...] = ("time",)
    attrs: dict[str, Any] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension."""
        return self.values.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.values.ndim

    @property
    def size(self) -> int:
        """Number of values."""
        return self.values.size

    @property
    def sizes(self) -> dict[str, int]:
        """Length of each dimension by its name."""
        return dict(zip(self.dims, self.values.shape, strict=True))

    def transpose(self, *dims: Any) -> RecordedSignal:
        """Return the values with dimensions in another order; an ellipsis stands for those that are not named."""
        others = [dim for dim in self.dims if dim not in dims]
        order = [dim for name in dims for dim in (others if name is ... else [name])]
        values = np.transpose(self.values, [self.dims.index(dim) for dim in order])
        return replace(self, values=values, dims=tuple(order))

    def isel(self, **at: Index) -> RecordedSignal:
        """Return the values at indices of named dimensions; a dimension that the signal does not have is ignored."""
        values, dims = self.values, self.dims
        for name, index in at.items():
            if name in dims:
                values = values[(*(slice(None),) * dims.index(name), index)]
                dims = tuple(dim for dim in dims if dim != name) if isinstance(index, int) else dims
        return replace(self, values=values, dims=dims)


@dataclass(frozen=True)
class SampleFile:
    """File of which the first `count` samples are those of a recording; the recording may have every n-th of them."""

    path: Path
    count: int


@dataclass(frozen=True, eq=False)
class Recording:
    """Signals by name, their coordinates (`time`, `axis`) and attributes of the whole."""

    signals: Mapping[str, RecordedSignal]
    coords: Mapping[str, RecordedSignal]
    attrs: dict[str, Any] = field(default_factory=dict)
    file: SampleFile | None = (
        None  # of a recording that was stored sample by sample, or is too large for the memory
    )

    def __getitem__(self, name: str) -> RecordedSignal:
        return self.signals[name] if name in self.signals else self.coords[name]

    def __contains__(self, name: object) -> bool:
        return name in self.signals or name in self.coords

    def __iter__(self) -> Iterator[str]:
        return iter(self.signals)

    @property
    def time(self) -> RecordedSignal:
        """Times of the samples [s]."""
        return self.coords["time"]

    @property
    def last_time(self) -> float:
        """Time of the last sample [s]; 0 without samples."""
        return float(self.time.values[-1]) if self.time.size else 0.0

    @property
    def axis(self) -> RecordedSignal:
        """Names of the axes of the interface, or their indices."""
        return self.coords.get("axis") or RecordedSignal(np.arange(self.sizes["axis"]), ("axis",))

    @property
    def dims(self) -> tuple[str, ...]:
        """Names of the dimensions."""
        return tuple(self.sizes)

    @property
    def sizes(self) -> dict[str, int]:
        """Length of each dimension by its name."""
        signals = (*self.coords.values(), *self.signals.values())
        return {name: size for signal in signals for name, size in signal.sizes.items()}

    def isel(self, **at: Index) -> Recording:
        """Return the samples at indices of named dimensions."""

        def select(signals: Mapping[str, RecordedSignal]) -> dict[str, RecordedSignal]:
            return {name: signal.isel(**at) for name, signal in signals.items()}

        return replace(self, signals=select(self.signals), coords=select(self.coords), file=None)

    def between(self, start: float, end: float = np.inf) -> Recording:
        """Return the samples from `start` to `end` [s]."""
        t = self.time.values
        return self.isel(time=np.flatnonzero((t >= start) & (t <= end)))

    def at_times(self, time: RecordedSignal) -> Recording:
        """Return the same samples at other times [s]."""
        return replace(self, coords={**self.coords, "time": time}, file=None)

    def with_signals(self, signals: Mapping[str, RecordedSignal]) -> Recording:
        """Return other signals over the same coordinates; coordinates of other dimensions are omitted."""
        dims = {name for signal in signals.values() for name in signal.dims}
        coords = {name: coord for name, coord in self.coords.items() if dims >= set(coord.dims)}
        return Recording(signals, coords)

    def with_attrs(self, **attrs: Any) -> Recording:
        """Return the recording with further attributes."""
        return replace(self, attrs={**self.attrs, **attrs})

    def to_dataset(self) -> xr.Dataset:
        """Return the recording as an `xarray.Dataset`."""
        import xarray

        def variables(signals: Mapping[str, RecordedSignal]) -> dict[str, Any]:
            return {name: (s.dims, s.values, dict(s.attrs)) for name, s in signals.items()}

        return xarray.Dataset(variables(self.signals), variables(self.coords), dict(self.attrs))

    @classmethod
    def from_dataset(cls, data: xr.Dataset) -> Recording:
        """Return a recording with the arrays of a dataset; time becomes the first dimension of each signal."""

        def signal(array: xr.DataArray) -> RecordedSignal:
            array = array.transpose("time", ...) if "time" in array.dims else array
            return RecordedSignal(array.values, tuple(map(str, array.dims)), dict(array.attrs))

        return cls(
            {str(name): signal(array) for name, array in data.data_vars.items()},
            {str(name): signal(array) for name, array in data.coords.items()},
            {str(name): value for name, value in data.attrs.items()},
        )
