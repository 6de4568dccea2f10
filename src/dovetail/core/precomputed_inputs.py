"""A loop over time in which what depends on time alone is computed ahead, for many ticks at once.

The excitation of a test, the noise of its sensors and the profile of a schedule do not depend on the loop's
state. Inside a compiled loop they cost one slow call after another (half the time of a simple rehearsal went
into sines); outside of it the processor computes several at a time. `scan` finds them by itself: it reads the
program of one tick, sets apart what follows from the tick's number only and contains something costly, and
evaluates that for all ticks before it steps through them.

Nothing but the order of computing changes. It takes memory for what is computed ahead, so a long loop is given in
pieces, and a batch, whose members are computed several at a time anyway, is better off with `jax.lax.scan`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var, jaxpr_as_fun

WIDEST = 32  # numbers a tick that are worth keeping for it; a larger field is computed in its tick

# What costs much more than fetching its result does.
COSTLY = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "logistic", "pow"}
COSTLY |= {"exp", "exp2", "expm1", "log", "log1p", "erf", "erf_inv", "threefry2x32", "random_bits"}


def scan(body: Callable[[Any, jax.Array], tuple[Any, Any]], state: Any, numbers: jax.Array) -> Any:
    """`jax.lax.scan(body, state, numbers)` over a vector of tick numbers, with time's own part ahead."""
    flat, structure = jax.tree.flatten(state)
    program, shape = jax.make_jaxpr(lambda x, k: body(x, k), return_shape=True)(state, numbers[0])
    split = _Split(program.jaxpr)
    if not split.given:
        return jax.lax.scan(body, state, numbers)
    early, late = split.programs(program.consts)
    width = len(flat)

    def one(x, given):
        out = late(x, *given)
        return list(out[:width]), out[width:]

    flat, records = jax.lax.scan(one, flat, (numbers, jax.vmap(early)(numbers)))
    return jax.tree.unflatten(structure, flat), jax.tree.unflatten(jax.tree.structure(shape[1]), records)


class _Split:
    """The program of a tick, `(*state, k) -> ...`, apart: what is computed ahead, and the rest."""

    def __init__(self, jaxpr: Jaxpr):
        self.jaxpr = jaxpr
        fixed = set(jaxpr.constvars)
        timely: dict[Var, bool] = {
            jaxpr.invars[-1]: False
        }  # from k alone; whether something costly was in it
        same: dict[
            Var, Var
        ] = {}  # a value that is computed twice (an end of one stage is a start of the next)
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

    def programs(self, consts: list[Any]) -> tuple[Callable, Callable]:
        """`k -> values ahead` and `state, k, values -> results`."""
        whole, ahead = self.jaxpr, list(dict.fromkeys(self.given.values()))

        def program(inputs, outputs, given, speaking):
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
    """What makes two equations one: the operation and its inputs, each under its first name."""
    inputs = tuple(same.get(v, v) if isinstance(v, Var) else (str(v), str(v.aval)) for v in eqn.invars)
    return eqn.primitive.name, str(eqn.params), inputs


def _needed(jaxpr: Jaxpr, wanted: Iterable[Any], given: Iterable[Var], speaking: bool) -> list[JaxprEqn]:
    """The equations behind the wanted values, in order; those behind the given ones are not needed.

    `speaking`: what speaks to the world outside is needed too, whatever becomes of it.
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
    return math.prod(v.aval.shape)  # type: ignore[attr-defined]  # what an array is, where it is one


def _costs(eqn: JaxprEqn) -> bool:
    if eqn.primitive.name in COSTLY:
        return True
    return any(_costs(inner) for jaxpr in _inside(eqn) for inner in jaxpr.eqns)


def _inside(eqn: JaxprEqn):
    for value in jax.tree.leaves(dict(eqn.params), is_leaf=lambda v: isinstance(v, Jaxpr | ClosedJaxpr)):
        if isinstance(value, ClosedJaxpr):
            yield value.jaxpr
        elif isinstance(value, Jaxpr):
            yield value
