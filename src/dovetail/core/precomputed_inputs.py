"""Time loop that computes values depending on time only in advance, for many ticks at once.

The excitation of a test, the noise of its sensors and the profile of a schedule do not depend on the state of the
loop. Inside a compiled loop each of them costs a slow call per tick: sines took half the time of a simple rehearsal.
Outside the loop the processor computes several values at a time. `scan` reads the program of one tick and separates
the costly operations that depend on the tick number only. It evaluates these for all ticks before the loop.

Only the order of computation changes. The values computed in advance need memory, so divide a long loop into several
calls. For a batch use `jax.lax.scan`: it computes several members at a time in any case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var, jaxpr_as_fun

WIDEST = 32  # largest array [values per tick] computed in advance; a larger one is computed in its tick

# Operations that cost much more than reading their stored result.
COSTLY = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "logistic", "pow"}
COSTLY |= {"exp", "exp2", "expm1", "log", "log1p", "erf", "erf_inv", "threefry2x32", "random_bits"}


def scan(body: Callable[[Any, jax.Array], tuple[Any, Any]], state: Any, numbers: jax.Array) -> Any:
    """Return `jax.lax.scan(body, state, numbers)` for tick numbers; time-only values are computed in advance."""
    flat, structure = jax.tree.flatten(state)
    program, shape = jax.make_jaxpr(lambda x, k: body(x, k), return_shape=True)(state, numbers[0])
    split = _Split(program.jaxpr)
    early, late = split.programs(program.consts)
    width = len(flat)

    def one(
        x: list[jax.Array], given: tuple[jax.Array, list[jax.Array]]
    ) -> tuple[list[jax.Array], list[jax.Array]]:
        out = late(x, *given)
        return list(out[:width]), out[width:]

    values = jax.vmap(early)(numbers) if split.given else []
    flat, records = jax.lax.scan(one, flat, (numbers, values))
    return jax.tree.unflatten(structure, flat), jax.tree.unflatten(jax.tree.structure(shape[1]), records)


class _Split:
    """Program of a tick, `(*state, k) -> ...`, split into an advance part and a part inside the loop."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self.jaxpr = jaxpr
        fixed = set(jaxpr.constvars)
        timely: dict[Var, bool] = {
            jaxpr.invars[-1]: False
        }  # values that depend on k only: True if their computation is costly
        same: dict[Var, Var] = {}  # first of equal values (the end of one stage is the start of the next)
        seen: dict[Any, list[Var]] = {}
        for eqn in jaxpr.eqns:
            inputs = [v for v in eqn.invars if isinstance(v, Var)]
            if eqn.effects or not all(v in timely or v in fixed for v in inputs):
                continue
            if any(v in timely for v in inputs):
                costly = _costs(eqn) or any(timely.get(v, False) for v in inputs)
                timely.update(dict.fromkeys(eqn.outvars, costly))
            else:
                fixed.update(eqn.outvars)
            first = seen.setdefault(_meaning(eqn, same), eqn.outvars)
            same.update(zip(eqn.outvars, first, strict=True))
        used_late = {v for v in jaxpr.outvars if isinstance(v, Var)}
        for eqn in jaxpr.eqns:
            if not all(v in timely or v in fixed for v in eqn.outvars):
                used_late.update(v for v in eqn.invars if isinstance(v, Var))
        self.given = {v: same[v] for v in timely if timely[v] and v in used_late and _size(v) <= WIDEST}

    def programs(self, consts: list[Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """Return the functions `k -> advance values` and `state, k, values -> results`."""
        whole, ahead = self.jaxpr, list(dict.fromkeys(self.given.values()))

        def program(
            inputs: Sequence[Any], outputs: Sequence[Any], given: Iterable[Var], speaking: bool
        ) -> Any:
            return jaxpr_as_fun(
                ClosedJaxpr(
                    whole.replace(
                        invars=inputs,
                        outvars=outputs,
                        eqns=_needed(whole, outputs, given, speaking),
                        debug_info=whole.debug_info.with_unknown_names(),
                    ),
                    consts,
                )
            )

        late = program([*whole.invars, *self.given], whole.outvars, self.given, speaking=True)
        order = [ahead.index(first) for first in self.given.values()]
        return (
            program(whole.invars[-1:], ahead, (), speaking=False),
            lambda x, k, values: late(*x, k, *(values[i] for i in order)),
        )


def _meaning(eqn: JaxprEqn, same: dict[Var, Var]) -> Any:
    """Return the key under which two equations are equal: the operation and the first variables of its inputs."""
    inputs = tuple(same.get(v, v) if isinstance(v, Var) else (str(v), str(v.aval)) for v in eqn.invars)
    return eqn.primitive.name, str(eqn.params), inputs


def _needed(jaxpr: Jaxpr, wanted: Iterable[Any], given: Iterable[Var], speaking: bool) -> list[JaxprEqn]:
    """Return the equations that compute the wanted values, in order, except those of the given values.

    `speaking`: include the equations with side effects, even if their results are not used.
    """
    given = set(given)
    missing = {v for v in wanted if isinstance(v, Var) and v not in given}
    kept = []
    for eqn in reversed(jaxpr.eqns):
        if (speaking and eqn.effects) or any(v in missing for v in eqn.outvars):
            kept.append(eqn)
            missing.update(v for v in eqn.invars if isinstance(v, Var) and v not in given)
    return kept[::-1]


def _size(v: Var) -> int:
    return math.prod(v.aval.shape)  # type: ignore[attr-defined]  # the attribute exists for arrays


def _costs(eqn: JaxprEqn) -> bool:
    if eqn.primitive.name in COSTLY:
        return True
    return any(_costs(inner) for jaxpr in _inside(eqn) for inner in jaxpr.eqns)


def _inside(eqn: JaxprEqn) -> Iterator[Jaxpr]:
    for value in jax.tree.leaves(dict(eqn.params), is_leaf=lambda v: isinstance(v, Jaxpr | ClosedJaxpr)):
        if isinstance(value, ClosedJaxpr):
            yield value.jaxpr
        elif isinstance(value, Jaxpr):
            yield value
