"""What may vary: named parameters with a default and a range, grouped by what they belong to.

A `DesignSpace` says nothing about what is done with a point; a point is a mapping from names to values. The
published tool has three groups: the bodies, the instruments, the contact [Bondoky 2020, ch. 3].
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dovetail.core.errors import ParameterError, UnknownNameError

Point = dict[str, Any]


@dataclass(frozen=True)
class Variable:
    """One parameter: its default, the values it may take, and its unit.

    Values are numbers, or words for choices (a material, a law). `group` is what it belongs to.
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
            raise ParameterError(f"{self.name}: a value is given twice in {list(self.values)}")

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in self.values)


@dataclass(frozen=True)
class DesignSpace:
    """Variables by name, in order."""

    variables: tuple[Variable, ...] = field(default=())

    def __post_init__(self):
        object.__setattr__(self, "variables", tuple(self.variables))
        names = [v.name for v in self.variables]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ParameterError(
                f"{', '.join(sorted(twice))}: named twice; every variable needs its own name"
            )

    def __getitem__(self, name: str) -> Variable:
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise UnknownNameError("variable", name, self.names)

    def __add__(self, other: DesignSpace) -> DesignSpace:
        """Both together."""
        return DesignSpace((*self.variables, *other.variables))

    @property
    def names(self) -> list[str]:
        """All names, in order."""
        return [variable.name for variable in self.variables]

    @property
    def groups(self) -> dict[str, list[str]]:
        """Names by group."""
        found: dict[str, list[str]] = {}
        for variable in self.variables:
            found.setdefault(variable.group, []).append(variable.name)
        return found

    @property
    def default(self) -> Point:
        """Every variable at its default."""
        return {variable.name: variable.default for variable in self.variables}

    def with_values(self, name: str, values: Sequence[Any]) -> DesignSpace:
        """The same space with other values of one variable."""
        old = self[name]
        new = Variable(old.name, old.default, tuple(values), old.unit, old.about, old.group)
        return DesignSpace(tuple(new if v is old else v for v in self.variables))

    def point(self, changes: Mapping[str, Any]) -> Point:
        """The default with some values changed; an unknown name lists the known ones."""
        for name in changes:
            self[name]
        return self.default | dict(changes)

    def one_at_a_time(self, names: Sequence[str] | None = None) -> Iterator[Point]:
        """The default first, then each variable through its values, all others at their default."""
        yield self.default
        for name in names or self.names:
            for value in self[name].values:
                if value != self[name].default:
                    yield self.point({name: value})

    def factorial(self, *names: str) -> Iterator[Point]:
        """Every combination of some variables' values (of all, if none are named)."""
        chosen = names or tuple(self.names)
        for values in itertools.product(*(self[name].values for name in chosen)):
            yield self.point(dict(zip(chosen, values, strict=True)))
