"""Connection of blocks by named signals: a diagram of parts and wires that is itself a block.

Each part takes and returns a dictionary of named signals; a wire joins an output to an input. Everything is
checked at build: names, units, frames and shapes of both ends, inputs left open, and algebraic loops. Parts
are stepped in the order in which signals flow, so a signal crosses any number of parts within one step,
except over a wire marked `delayed`, which carries the value of the step before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.extend.core import Literal

from dovetail.core.block import Block, Part, State, Time
from dovetail.core.errors import ConnectionFault, UnknownNameError
from dovetail.core.signals import signal

Signals = dict[str, jax.Array]


def _ports(inputs: Any) -> tuple[tuple[str, tuple[int, ...]], ...]:
    if isinstance(inputs, Mapping):
        return tuple((name, tuple(shape)) for name, shape in inputs.items())
    return tuple((port, ()) if isinstance(port, str) else port for port in inputs)


class Node(Part):
    """A block in a diagram with its inputs: names, `Node(spring, ["displacement"])`, or names and shapes."""

    block: Block
    ports: tuple[tuple[str, tuple[int, ...]], ...] = eqx.field(static=True, converter=_ports, default=())

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the inputs by name."""
        return dict(self.ports)

    def zeros(self) -> Signals:
        """An input of zeros."""
        return {name: jnp.zeros(shape) for name, shape in self.inputs.items()}

    def dependence(self) -> dict[str, tuple[tuple[int, ...], bool]]:
        """For each output its shape, and whether it depends on the inputs of the same step."""

        def step(u, x):
            return self.block.step(0.0, 1e-3, x, u)[1]

        traced, shown = jax.make_jaxpr(step, return_shape=True)(self.zeros(), self.block.init())
        fed = _reached(traced.jaxpr, [i < len(self.inputs) for i in range(len(traced.jaxpr.invars))])
        return {name: (shown[name].shape, fed[i]) for i, name in enumerate(sorted(shown))}


@dataclasses.dataclass(frozen=True)
class Wire:
    """Joins `"part.output"`, or an input of the diagram by its bare name, to `"part.input"`."""

    source: str
    target: str
    delayed: bool = False  # carries the value of the step before
    initial: float = 0.0  # what a delayed wire carries in the first step


class Diagram(Block):
    """Parts joined by wires. Input: the signals that wires name without a part. Output: `"part.signal"`.

    A part of which no output depends on the input of the same step (a delay) breaks a loop by itself.
    Whether a loop is algebraic is judged part by part: two separate paths through one part count as joined.
    """

    parts: dict[str, Node]
    wires: tuple[Wire, ...] = eqx.field(static=True, converter=tuple)

    def __check_init__(self):
        outputs = {name: node.dependence() for name, node in self.parts.items()}
        for wire in self.wires:
            self._check(wire, outputs)
        targets = [wire.target for wire in self.wires]
        for target in targets:
            if targets.count(target) > 1:
                sources = ", ".join(w.source for w in self.wires if w.target == target)
                raise ConnectionFault(f"{target}: wired to {sources}; an input takes one wire")
        every = [f"{name}.{signal}" for name, node in self.parts.items() for signal in node.inputs]
        if left_open := [name for name in every if name not in targets]:
            raise ConnectionFault(
                f"inputs left open: {', '.join(left_open)}; wire each to an output, or to an input of the "
                'diagram by a bare name: Wire("excitation", "plant.excitation")'
            )
        self._order(outputs)

    def _check(self, wire: Wire, outputs: dict) -> None:
        """Names, then unit, frame and shape of both ends."""
        part, target = self._split(wire.target)
        inputs = self.parts[part].inputs
        if target not in inputs:
            raise UnknownNameError(f'input of "{part}"', target, inputs)
        shape = None
        name = wire.source
        if "." in wire.source:
            part, name = self._split(wire.source)
            if name not in outputs[part]:
                raise UnknownNameError(f'output of "{part}"', name, outputs[part])
            shape = outputs[part][name][0]
        a, b = signal(name), signal(target)
        ends: list[tuple[str, Any, Any]] = [
            ("unit", a.unit, b.unit),
            ("frame", a.frame or "none", b.frame or "none"),
        ]
        if shape is not None:
            ends.append(("shape", shape, tuple(inputs[target])))
        for what, at_source, at_target in ends:
            if at_source != at_target:
                raise ConnectionFault(
                    f"{wire.source} -> {wire.target}: {what} {at_source} at the source, {at_target} at the "
                    f"target; they must be the same. Do: put a part between them that converts the {what}"
                )

    def _split(self, end: str) -> tuple[str, str]:
        part, _, name = end.partition(".")
        if part not in self.parts:
            raise UnknownNameError("part", part, self.parts)
        return part, name

    def _order(self, outputs: dict) -> list[str]:
        """Parts in an order in which each finds its inputs ready; a loop is named."""
        needs: dict[str, set[str]] = {name: set() for name in self.parts}
        for wire in self.wires:
            if "." in wire.source and not wire.delayed:
                part, name = self._split(wire.source)
                if outputs[part][name][1]:  # else it is known before the part is stepped
                    needs[self._split(wire.target)[0]].add(part)
        try:
            return list(TopologicalSorter(needs).static_order())
        except CycleError as error:
            loop = error.args[1]
            hops = [self._between(a, b, outputs) for a, b in pairwise(loop)]
            raise ConnectionFault(
                f"algebraic loop: {', '.join(hops)}. Each signal depends on the others at the same instant; "
                "mark one of these wires delayed=True (one step old), or put a delay into the loop"
            ) from None

    def _between(self, source: str, target: str, outputs: dict) -> str:
        """The wire that makes `target` wait for `source`."""
        for wire in self._into(target):
            part, _, name = wire.source.partition(".")
            if part == source and not wire.delayed and outputs[part][name][1]:
                return f"{wire.source} -> {wire.target}"
        raise AssertionError("an order was asked for that no wire demands")

    def init(self) -> State:
        held = {}
        for wire in self.wires:
            if wire.delayed:
                part, name = self._split(wire.target)
                held[wire.target] = jnp.full(self.parts[part].inputs[name], float(wire.initial))
        return {name: node.block.init() for name, node in self.parts.items()}, held

    def step(self, t: Time, dt: Time, x: State, u: Signals | None) -> tuple[State, Signals]:
        states, held = x
        outputs = {name: node.dependence() for name, node in self.parts.items()}
        shown: Signals = dict(u or {})
        for name, node in self.parts.items():
            early = [signal for signal, (_, fed) in outputs[name].items() if not fed]
            if early:  # what no input touches is asked for first; the compiler drops the rest
                _, y = node.block.step(t, dt, states[name], node.zeros())
                shown |= {f"{name}.{signal}": y[signal] for signal in early}
        new = dict(states)
        for name in self._order(outputs):
            node = self.parts[name]
            given = {w.target.partition(".")[2]: self._carried(w, shown, held) for w in self._into(name)}
            new[name], y = node.block.step(t, dt, states[name], given)
            shown |= {f"{name}.{signal}": value for signal, value in y.items()}
        next_held = {w.target: self._value(w, shown) for w in self.wires if w.delayed}
        return (new, next_held), {name: value for name, value in shown.items() if "." in name}

    def _into(self, part: str) -> Iterable[Wire]:
        return (w for w in self.wires if w.target.partition(".")[0] == part)

    def _carried(self, wire: Wire, shown: Signals, held: Signals) -> jax.Array:
        return held[wire.target] if wire.delayed else self._value(wire, shown)

    def _value(self, wire: Wire, shown: Signals) -> jax.Array:
        if wire.source not in shown:
            raise UnknownNameError("input of the diagram", wire.source, [n for n in shown if "." not in n])
        return jnp.asarray(shown[wire.source], dtype=float)


def _reached(jaxpr: Any, marked: list[bool]) -> list[bool]:
    """Which results of a traced function depend on its marked arguments; loops count as one operation."""
    reached = {v for v, mark in zip(jaxpr.invars, marked, strict=True) if mark}
    for eqn in jaxpr.eqns:
        into = [not isinstance(v, Literal) and v in reached for v in eqn.invars]
        if not any(into):
            continue
        inner = eqn.params.get("jaxpr") if eqn.primitive.name in ("jit", "pjit") else None
        out = _reached(inner.jaxpr, into) if inner is not None else [True] * len(eqn.outvars)
        reached |= {v for v, mark in zip(eqn.outvars, out, strict=True) if mark}
    return [not isinstance(v, Literal) and v in reached for v in jaxpr.outvars]
