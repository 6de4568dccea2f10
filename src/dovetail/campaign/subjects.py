"""What a campaign evaluates at its points: a test, a model of one point, or a function of many.

A *model* is a function of named numbers that JAX can trace; it is batched here. An *evaluation* takes a list of
points and gives arrays, and may do what it likes inside. A *test* is a file (see `variants`). Words among a
model's axes are passed as they are, and points with the same words are one batch.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign.axes import Axis
from dovetail.campaign.measures import find_function
from dovetail.campaign.plan import Campaign
from dovetail.campaign.sweep import Giving, Taking
from dovetail.core.errors import AnalysisError, Fault, TestFileError, UnknownNameError

CPU_BATCH, GPU_BATCH = 500, 65_536  # points at once: what stays in a processor's cache; what fills a GPU
MEMORY = 256 * 2**20  # [B] that a batch may take where nothing is known of the device


@dataclass
class Values:
    """Values of one measure over points: dimensions after the first, the array, its attributes."""

    dims: tuple[str, ...]
    array: np.ndarray
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass
class ChunkResult:
    """Measures of a chunk by name, and why points failed, by place in the chunk."""

    values: dict[str, Values]
    reasons: dict[int, str]


class Subject(ABC):
    """Evaluates points; the same chunk of points gives the same bits.

    A point in another chunk, or alone, is equal to rounding only: what is computed several at a time is rounded
    differently in its last digits.
    """

    @abstractmethod
    def default(self, axis: Axis) -> Any:
        """Value of an axis where nothing is varied; None if there is none."""

    def names(self) -> list[str] | None:
        """What can be asked about: axes and measures, as `answers.rows` calls them; None if that is not known."""
        return None

    @abstractmethod
    def evaluate(self, columns: Mapping[str, np.ndarray]) -> ChunkResult:
        """Measures of some points. One that cannot be computed is NaN, with its reason."""

    def sizes(self, total: int) -> tuple[int, int]:
        """Points that are stored together, and points that are computed at once, where the file says nothing."""
        batch = min(CPU_BATCH if jax.default_backend() == "cpu" else GPU_BATCH, total)
        # writing a chunk costs about as much as computing one batch; eight chunks keep every core busy
        return max(1, min(8, total // (8 * batch))) * batch, batch


def subject_of(campaign: Campaign) -> Subject:
    """The subject of a campaign; building it compiles nothing."""
    if campaign.subject == "test":
        from dovetail.campaign.variants import TestSubject

        return TestSubject(campaign)
    return ModelSubject(campaign) if campaign.subject == "model" else EvaluationSubject(campaign)


class ModelSubject(Subject):
    """`model = "module:function"`: numbers of one point in, a dictionary of numbers out, traced and batched."""

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.function = find_function(campaign.of)
        self.parameters = inspect.signature(self.function).parameters
        open_ended = any(p.kind is p.VAR_KEYWORD for p in self.parameters.values())
        needed = [
            p.name for p in self.parameters.values() if p.default is p.empty and p.kind < p.VAR_POSITIONAL
        ]
        check_names(campaign, None if open_ended else self.parameters, needed)
        self._program = lru_cache(self._compiled)

    def names(self) -> list[str] | None:
        if not self.campaign.answers:
            return None
        first = {name: column[0] for name, column in self.campaign.points().items()}
        said = {p: first[axis.name] for axis in self.campaign.axes if not axis.numeric for p in axis.paths}
        numbers = {axis.name: jnp.asarray(first[axis.name]) for axis in self.campaign.axes if axis.numeric}
        return [*own_columns(self.campaign), *jax.eval_shape(self._of_one(said), numbers)]

    def default(self, axis: Axis) -> Any:
        if axis.paths[0] in self.campaign.table:
            return self.campaign.table[axis.paths[0]]
        value = self.parameters[axis.paths[0]].default if axis.paths[0] in self.parameters else None
        return None if value is inspect.Parameter.empty else value

    def evaluate(self, columns):
        words = [axis for axis in self.campaign.axes if not axis.numeric]
        numbers = [axis for axis in self.campaign.axes if axis.numeric]
        size = len(next(iter(columns.values())))
        found: dict[str, np.ndarray] = {}
        for key, places in groups(columns, [axis.name for axis in words]):
            said = {path: word for axis, word in zip(words, key, strict=True) for path in axis.paths}
            own = {axis.name: jnp.asarray(padded(columns[axis.name][places], size)) for axis in numbers}
            batch = min(self.campaign.batch or self.sizes(size)[1], size)
            for name, values in self._program(tuple(said.items()), batch)(own).items():
                values = np.asarray(values, float)
                found.setdefault(name, np.full((size, *values.shape[1:]), np.nan))[places] = values[
                    : len(places)
                ]
        return finite_or_failed(with_units(self.function, found))

    def _compiled(self, said, batch):
        one = self._of_one(dict(said))
        return jax.jit(lambda points: jax.lax.map(one, points, batch_size=batch))

    def _of_one(self, said: Mapping[str, Any]):
        """The model as a function of the numbers of a point, with its words said."""
        numbers = [axis for axis in self.campaign.axes if axis.numeric]

        def one(point):
            given = {path: point[axis.name] for axis in numbers for path in axis.paths}
            shown = self.function(**{**self.campaign.table, **said, **given})
            if not isinstance(shown, Mapping):
                raise AnalysisError(
                    f"{self.campaign.of}: gave {type(shown).__name__}; needs a dictionary of numbers"
                )
            for name, value in shown.items():
                if jnp.shape(value):
                    raise AnalysisError(
                        f"{self.campaign.of}: {name} has the shape {jnp.shape(value)}; needs one number"
                    )
            return dict(shown)

        return one


class EvaluationSubject(Subject):
    """`evaluate = "module:function"`: a list of points in, arrays out, as `sweep.Evaluation` has it.

    What it takes is known where it says so (`sweep.takes`); else every name is passed on.
    """

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.function = find_function(campaign.of)
        marked = self.function if isinstance(self.function, Taking) else None
        self.takes = None if marked is None else marked.takes
        check_names(campaign, self.takes, () if marked is None else marked.needs)

    def names(self) -> list[str] | None:
        if not isinstance(self.function, Giving):
            return None
        return [*own_columns(self.campaign), *self.function.gives]

    def default(self, axis: Axis) -> Any:
        return {**(self.takes or {}), **self.campaign.table}.get(axis.paths[0])

    def evaluate(self, columns):
        size = len(next(iter(columns.values())))
        points = [
            {
                **self.campaign.table,
                **{path: _plain(columns[axis.name][i]) for axis in self.campaign.axes for path in axis.paths},
            }
            for i in range(size)
        ]
        found: dict[str, np.ndarray] = {}
        reasons: dict[int, str] = {}
        self._attempt(points, list(range(size)), found, reasons)
        for array in found.values():
            array[list(reasons)] = np.nan
        result = finite_or_failed(with_units(self.function, found))
        return ChunkResult(result.values, {**result.reasons, **reasons})

    def _attempt(self, points, places, found, reasons):
        """All at once; where that raises, the halves, down to the points that are to blame."""
        try:
            shown = self.function([points[i] for i in places])
        except Exception as error:
            if len(places) == 1:
                reasons[places[0]] = f"{type(error).__name__}: {error}"
                return
            half = len(places) // 2
            self._attempt(points, places[:half], found, reasons)
            self._attempt(points, places[half:], found, reasons)
            return
        for name, values in shown.items():
            values = np.asarray(values, float)
            if values.shape != (len(places),):
                raise AnalysisError(
                    f"{name}: {values.shape} values for {len(places)} points; give one for each"
                )
            found.setdefault(name, np.full(len(points), np.nan))[places] = values


def own_columns(campaign: Campaign) -> list[str]:
    """Columns that every campaign has."""
    seeds = ["seed"] if len(campaign.seeds) > 1 else []
    return ["point", *(axis.name for axis in campaign.axes), *seeds]


def check_names(campaign: Campaign, known: Iterable[str] | None, needed: Iterable[str]) -> None:
    """Every axis and constant names something of the function, and nothing that it needs is left out.

    Raises
    ------
    TestFileError
        With the axis, the name, and those that are known.
    """
    of = f"parameter of {campaign.of}"
    places = {path: f"axis {axis.name}" for axis in campaign.axes for path in axis.paths}
    places |= {name: f"set.{name}" for name in campaign.table if name not in places}
    faults = [
        Fault(place, str(UnknownNameError(of, name, known)))
        for name, place in places.items()
        if known is not None and name not in known
    ]
    missing = [name for name in needed if name not in places]
    if missing:
        text = f"{campaign.of}: needs {', '.join(missing)}; give an axis, or a value under [set]"
        faults.append(Fault("axis", text))
    if faults:
        raise TestFileError("campaign", faults)


def with_units(function: Any, found: Mapping[str, np.ndarray]) -> dict[str, Values]:
    """Measures with the units that their function says (`sweep.gives`)."""
    units = function.gives if isinstance(function, Giving) else {}
    return {
        name: Values((), array, {"units": units[name]} if name in units else {})
        for name, array in found.items()
    }


def groups(columns: Mapping[str, np.ndarray], names: list[str]):
    """Places of the points that agree in some columns, with what they agree in, in order of appearance."""
    size = len(next(iter(columns.values())))
    if not names:
        return [((), np.arange(size))]
    found: dict[tuple, list[int]] = {}
    for i in range(size):
        found.setdefault(tuple(_plain(columns[name][i]) for name in names), []).append(i)
    return [(key, np.array(places)) for key, places in found.items()]


def padded(column: np.ndarray, size: int) -> np.ndarray:
    """A column filled up with its last value, so that one compiled shape serves."""
    return np.concatenate([column, np.repeat(column[-1:], size - len(column), axis=0)])


def finite_or_failed(values: dict[str, Values]) -> ChunkResult:
    """A point with a measure that is not finite has failed, and says which."""
    reasons: dict[int, str] = {}
    for name, entry in values.items():
        bad = ~np.isfinite(entry.array.reshape(len(entry.array), -1)).all(axis=1)
        for i in np.flatnonzero(bad):
            reasons.setdefault(int(i), f"{name} is not finite")
    return ChunkResult(values, reasons)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
