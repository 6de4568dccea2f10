r"""Linearly implicit steps that end at contact events: a Rosenbrock method of order three with frozen contacts.

Inside a step the set of touched surfaces is held, so the equation is smooth whatever the contacts; a step after which
a node would be through a surface that it did not touch (or out of one it did) by more than `event` is taken again,
shorter, so that it ends at the surface. A node that grazes never stalls it: what stays within `event` is simply
accepted. Each stage solves :math:`(1 - \gamma h J)k = \ldots` with the matrix that the flow itself provides; the method
keeps its order with an inexact one (a W-method), so that only what is stiff need be in it.

The coefficients are those of ROS34PW2 [Rang & Angermann 2005]: four stages, L-stable, stiffly accurate, with an
embedded estimate of the error, which is filtered by the same matrix so that vibration faster than the step, which the
method damps, does not shorten it. `control = "fixed"` takes one step a call, or two that meet at a first touch, without
an estimate: a known cost for real time. `switching = "automatic"` takes an explicit step where the flow is not stiff
for the step that accuracy allows; see `switching`.

What a flow brings: `shifted(t, x, g)`, a function that solves :math:`(1 - gJ)k = b`; `time_rate(t, x)`, the part of
:math:`\partial f/\partial t` worth having; `guards(t, x)`, gaps that are positive where they should be;
`settled(t, x)`, the state after an accepted step; `scales()`, sizes for the error. State under the key `"held"` is not
integrated.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from dovetail.core import roles
from dovetail.core.block import Flow, Input, Method, State, Time
from dovetail.core.kinds import kind
from dovetail.core.parameter import check, choice, parameter
from dovetail.mechanics.collision import switching

_G = 0.435866521508459
_ALPHA = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [0.87173304301691801, 0.0, 0.0, 0.0],
        [0.84457060015369423, -0.11299064236484185, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
    ]
)
_GAMMA = np.array(
    [
        [_G, 0.0, 0.0, 0.0],
        [-0.87173304301691801, _G, 0.0, 0.0],
        [-0.90338057013044082, 0.054180672388095326, _G, 0.0],
        [0.24212380706095346, -1.2232505839045147, 0.54526025533510214, _G],
    ]
)
_B = np.array([0.24212380706095346, -1.2232505839045147, 1.5452602553351020, _G])
_B_HAT = np.array([0.37810903145819369, -0.096042292212423178, 0.5, 0.2179332607542295])
_INVERSE = np.linalg.inv(_GAMMA)
_A, _C = _ALPHA @ _INVERSE, np.eye(4) / _G - _INVERSE
_M, _E = _B @ _INVERSE, (_B - _B_HAT) @ _INVERSE
_TIMES, _SLOPES = _ALPHA.sum(1), _GAMMA.sum(1)


@kind("contact-rosenbrock")
class ContactRosenbrock(Method):
    """Steps for stiff systems with contact; see the module."""

    rtol: float = parameter("1", "relative tolerance", default=1e-4, above=0.0)
    atol: float = parameter("1", "tolerance in units of the flow's scales", default=1e-4, above=0.0)
    event: float = parameter("m", "depth to which a first touch is located", default=1e-7, above=0.0)
    smallest: float = parameter("s", "step below which everything is accepted", default=1e-8, above=0.0)
    largest: float = parameter("s", "step that is never exceeded", default=1e-2, above=0.0)
    restart: float = parameter("s", "longest step after an event", default=1e-4, above=0.0)
    control: str = choice("adaptive", "fixed", about="who chooses the step", default="adaptive")
    switching: str = choice(
        "never", "automatic", about="whether explicit steps are taken where they will do", default="never"
    )
    order: ClassVar[int] = 3
    contact: ClassVar[bool] = True  # it calls `settled`

    def __check_init__(self):
        check(self)

    def init(self, flow: Flow, x: State) -> Any:
        first = jnp.asarray(self.restart, float)  # the next step to try [s]
        return (first, switching.begun(_flat(flow, x)[0].size)) if self._switches else first

    @property
    def _switches(self) -> bool:
        return self.control == "adaptive" and self.switching == "automatic"

    def step(self, flow: Any, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        if not isinstance(flow, roles.Implicit):
            flow = flow.flow  # with an excitation around it, which what moves by itself has no use for
        if self.control == "fixed":
            return self._fixed(flow, t, dt, x, u), memory
        return self._adaptive(flow, t, dt, x, u, memory)

    def _fixed(self, flow, t, dt, x, u):
        """One step, or two that meet at the first touch inside it: three solves at most."""
        new, _ = single(flow, t, dt, x, u)
        before, gap = flow.guards(t, x), flow.guards(t + dt, new)
        through = gap < -self.event
        share = jnp.min(
            jnp.where(through, (before + self.event) / jnp.where(through, before - gap, 1.0), 1.0)
        )
        share = jnp.clip(share, 1e-3, 1.0)

        def whole(_):
            return _counted(_settled(flow, t + dt, new), 1, 0, 0)

        def parted(_):
            first, _ = single(flow, t, share * dt, x, u)
            first = _settled(flow, t + share * dt, first)
            # the impact is over within the step: stages that overshoot it would be pushed about by the law's clamp
            second = euler(flow, t + share * dt, (1 - share) * dt, first, u)
            return _counted(_settled(flow, t + dt, second), 2, 1, 1)

        return jax.lax.cond(jnp.any(through), parted, whole, None)

    def _attempt(self, flow, t, h, x, u, scale, choice):
        """A step and its error, implicit or, where one may choose, explicit if that will do."""
        if choice is None:
            return *single(flow, t, h, x, u), None
        y, unravel = _flat(flow, x)

        def f(share, y):
            return _flat(flow, flow.derivative(t + share * h, unravel(y), u))[0]

        rate = f(0.0, y)
        choice = switching.chosen(choice, lambda y: f(0.0, y), y, rate, scale, h)

        def implicit(_):
            new, error = single(flow, t, h, x, u)
            return _flat(flow, new)[0], error

        new, error = jax.lax.cond(choice.stiff, implicit, lambda _: switching.explicit(f, y, rate, h), None)
        return unravel(new), error, choice

    def _adaptive(self, flow, t, dt, x, u, memory):
        memory, choice = memory if self._switches else (memory, None)
        end = t + dt
        scale = _flat(flow, flow.scales())[0]
        quantum = 1e-12 * jnp.maximum(1.0, jnp.abs(end))

        def going(carry):
            return carry[0] < end - quantum

        def attempt(carry):
            t, x, h, before, choice = carry
            left = end - t
            reaches_end = h >= left * (1 - 1e-9)
            h_now = jnp.where(reaches_end, left, jnp.where(h > left / 2, left / 2, h))
            new, error, choice = self._attempt(flow, t, h_now, x, u, scale, choice)
            size = scale * self.atol + self.rtol * jnp.maximum(
                jnp.abs(_flat(flow, x)[0]), jnp.abs(_flat(flow, new)[0])
            )
            ratio = jnp.sqrt(jnp.mean((error / size) ** 2))
            ratio = jnp.where(jnp.isfinite(ratio), ratio, 1e6)
            gap = flow.guards(t + h_now, new)
            through = gap < -self.event
            share = jnp.where(
                through, (before + 0.5 * self.event) / jnp.where(through, before - gap, 1.0), 1.0
            )
            crossed, tiny = jnp.any(through), h_now <= self.smallest
            accept = ((ratio <= 1) & ~crossed) | tiny
            # a finite state is kept even if the step was tiny and bad
            factor = jnp.clip(0.9 * ratio ** (-1 / 3), 0.15, 4.0)
            shorter = h_now * jnp.clip(jnp.min(share), 1e-3, 0.95)
            h_next = jnp.where(crossed & (ratio <= 1), shorter, h_now * factor)
            settled = _settled(flow, t + h_now, new)
            after = flow.guards(t + h_now, settled)
            # a guard that flips its sign says that a contact has begun or ended
            event = jnp.any(jnp.abs(after - gap) > 0) & accept
            h_next = jnp.where(event, jnp.minimum(h_next, self.restart), h_next)
            h_next = jnp.where(
                accept & ~reaches_end, h_next, jnp.where(accept, jnp.maximum(h_next, h), h_next)
            )
            h_next = jnp.where(event, jnp.minimum(h_next, self.restart), h_next)
            h_next = jnp.clip(h_next, self.smallest, self.largest)
            settled = _counted(settled, 1, 0, event.astype(float))
            kept = jax.tree.map(lambda a, b: jnp.where(accept, a, b), settled, _counted(x, 0, 1, 0))
            return (
                jnp.where(accept, jnp.where(reaches_end, end, t + h_now), t),
                kept,
                h_next,
                jnp.where(accept, after, before),
                choice,
            )

        start = (jnp.asarray(t, float), x, memory, flow.guards(t, x), choice)
        _, x, h, _, choice = jax.lax.while_loop(going, attempt, start)
        return x, (h, choice) if self._switches else h


def single(flow: Any, t: Time, h: Any, x: State, u: Input) -> tuple[State, jax.Array]:
    """One step of length h, and the estimate of its error (flat)."""
    y, unravel = _flat(flow, x)
    solve = flow.shifted(t, x, _G * h)
    slope = _flat(flow, flow.time_rate(t, x))[0]
    A, C, times, slopes = (jnp.asarray(a) for a in (_A, _C, _TIMES, _SLOPES))

    def stage(i, stages):
        """Compiled once: four copies of a large flow would take minutes to compile."""
        rate = _flat(flow, flow.derivative(t + times[i] * h, unravel(y + A[i] @ stages), u))[0]
        b = _G * h * (rate + slopes[i] * h * slope) + _G * (C[i] @ stages)
        return stages.at[i].set(_flat(flow, solve(unravel(b)))[0])

    stages = jax.lax.fori_loop(0, 4, stage, jnp.zeros((4, y.size)))
    # what the implicit matrix damps anyway does not count: otherwise every ringing of a beam would set the step
    error = _flat(flow, solve(unravel(jnp.asarray(_E) @ stages)))[0]
    return unravel(y + jnp.asarray(_M) @ stages), error


def euler(flow: Any, t: Time, h: Any, x: State, u: Input) -> State:
    """One linearly implicit Euler step: of order one, monotone where a transient is shorter than the step."""
    y, unravel = _flat(flow, x)
    rate = _flat(flow, flow.derivative(t, x, u))[0] + h * _flat(flow, flow.time_rate(t, x))[0]
    return unravel(y + _flat(flow, flow.shifted(t, x, h)(unravel(h * rate)))[0])


def _flat(flow, x):
    """The integrated part of a state as a vector, and the way back to a whole state."""
    held = x.get("held")
    y, unravel = ravel_pytree({name: value for name, value in x.items() if name != "held"})
    return y, lambda flat: {**unravel(flat), "held": held}


def _settled(flow, t, x):
    return flow.settled(t, x)


def _counted(x, steps, rejected, events):
    held = x["held"]
    return {**x, "held": {**held, "count": held["count"] + jnp.array([steps, rejected, events], float)}}
