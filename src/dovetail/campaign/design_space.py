"""Design space: named variables with a default, values and a group.

A point is a mapping from names to values; its evaluation is defined elsewhere. The published tool has three groups:
bodies, instruments and contact [Bondoky 2020, ch. 3].
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dovetail.core.errors import ParameterError, UnknownNameError

Point = dict[str, Any]


@dataclass(frozen=True)
class DesignVariable:
    """Variable of a design space: default, values and unit.

    Values are numbers, or texts for choices (a material, a law). `group` names the part it belongs to.
    """

    name: str
    default: Any
    values: tuple[Any, ...]
    unit: str = "1"
    about: str = ""
    group: str = ""

    def __post_init__(self):
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values:
            raise ParameterError(f"{self.name}: has no values; give at least one")
        if len(set(self.values)) != len(self.values):
            raise ParameterError(f"{self.name}: got a repeated value in {list(self.values)}; remove it")

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)


@dataclass(frozen=True)
class DesignSpace:
    """Variables by name, in order."""

    variables: tuple[DesignVariable, ...] = field(default=())

    def __post_init__(self):
        object.__setattr__(self, "variables", tuple(self.variables))
        names = [v.name for v in self.variables]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise ParameterError(
                f"{', '.join(sorted(repeated))}: names two variables; every variable needs its own name"
            )

    def __getitem__(self, name: str) -> DesignVariable:
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise UnknownNameError("variable", name, self.names)

    def __add__(self, other: DesignSpace) -> DesignSpace:
        """Return a space with the variables of both."""
        return DesignSpace((*self.variables, *other.variables))

    @property
    def names(self) -> list[str]:
        """All names, in order."""
        return [variable.name for variable in self.variables]

    @property
    def groups(self) -> dict[str, list[str]]:
        """Names by group."""
        groups: dict[str, list[str]] = {}
        for variable in self.variables:
            groups.setdefault(variable.group, []).append(variable.name)
        return groups

    @property
    def default(self) -> Point:
        """Point with every variable at its default."""
        return {variable.name: variable.default for variable in self.variables}

    def with_values(self, name: str, values: Sequence[Any]) -> DesignSpace:
        """Return the space with other values of one variable."""
        old = self[name]
        new = DesignVariable(old.name, old.default, tuple(values), old.unit, old.about, old.group)
        return DesignSpace(tuple(new if v is old else v for v in self.variables))

    def point(self, changes: Mapping[str, Any]) -> Point:
        """Return the default point with some values changed."""
        for name in changes:
            self[name]
        return self.default | dict(changes)

    def one_at_a_time(self, names: Sequence[str] | None = None) -> Iterator[Point]:
        """Yield the default, then each variable through its values with all others at their default."""
        yield self.default
        for name in names or self.names:
            for value in self[name].values:
                if value != self[name].default:
                    yield self.point({name: value})

    def full_factorial(self, *names: str) -> Iterator[Point]:
        """Yield every combination of the values of some variables (all, if none are named)."""
        chosen = names or tuple(self.names)
        for values in itertools.product(*(self[name].values for name in chosen)):
            yield self.point(dict(zip(chosen, values, strict=True)))
