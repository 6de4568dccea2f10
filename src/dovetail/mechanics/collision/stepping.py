r"""Linearly implicit steps that end at contact events: Rosenbrock method of order three.

The set of touched surfaces is constant within a step, so the equations are smooth. If a step would move a node through
a surface it did not touch (or out of a surface it did touch) by more than `event_tolerance`, the step is repeated
shorter, so that it ends at the surface. Penetrations within `event_tolerance` are accepted, so grazing nodes do not
stall the integration. Each stage solves :math:`(1 - \gamma h J)k = \ldots` with the matrix of the flow. The order does
not depend on an exact matrix (W-method), so it needs to contain the stiff terms only.

The coefficients are those of ROS34PW2 [Rang & Angermann 2005]: four stages, L-stable, stiffly accurate, with an
embedded error estimate. The estimate is filtered by the same matrix, so vibration faster than the step, which the
method damps, does not reduce the step. `control = "fixed"` takes one step per call, or two at a first touch, without an
estimate: a known cost for real time. `switching = "automatic"` takes an explicit step if the flow is not stiff at the
step that accuracy allows; see `switching`.

The flow provides `shifted_solver(t, x, g)`, a function that solves :math:`(1 - gJ)k = b`; `time_rate(t, x)`, the
relevant part of :math:`\partial f/\partial t`; `guards(t, x)`, event functions; `accept_step(t, x)`, the state after an
accepted step; `scales()`, scales of the error. State under the key `"held"` is not integrated.
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
    """Step method for stiff systems with contact."""

    rtol: float = parameter("1", "relative tolerance", default=1e-4, above=0.0)
    atol: float = parameter("1", "tolerance in units of the flow's scales", default=1e-4, above=0.0)
    event_tolerance: float = parameter(
        "m", "penetration to which a first touch is located", default=1e-7, above=0.0
    )
    min_step: float = parameter("s", "step at which every result is accepted", default=1e-8, above=0.0)
    max_step: float = parameter("s", "largest step", default=1e-2, above=0.0)
    restart_step: float = parameter("s", "largest step after an event", default=1e-4, above=0.0)
    control: str = choice("adaptive", "fixed", about="adaptive or fixed step", default="adaptive")
    switching: str = choice(
        "never", "automatic", about="explicit steps where the flow is not stiff", default="never"
    )
    order: ClassVar[int] = 3
    contact: ClassVar[bool] = True  # calls `accept_step`

    def __check_init__(self):
        check(self)

    def init(self, flow: Flow, x: State) -> Any:
        first = jnp.asarray(self.restart_step, float)  # the next step to try [s]
        return (first, switching.initial_choice(_flat(flow, x)[0].size)) if self._switches else first

    @property
    def _switches(self) -> bool:
        return self.control == "adaptive" and self.switching == "automatic"

    def step(self, flow: Any, t: Time, dt: Time, x: State, u: Input, memory: Any) -> tuple[State, Any]:
        if not isinstance(flow, roles.Implicit):
            flow = flow.flow  # the flow inside an excitation, which it does not use
        if self.control == "fixed":
            return self._fixed(flow, t, dt, x, u), memory
        return self._adaptive(flow, t, dt, x, u, memory)

    def _fixed(self, flow, t, dt, x, u):
        """Return one step, or two at the first touch inside it; at most three solutions."""
        new, _ = single(flow, t, dt, x, u)
        before, gap = flow.guards(t, x), flow.guards(t + dt, new)
        through = gap < -self.event_tolerance
        share = jnp.min(
            jnp.where(through, (before + self.event_tolerance) / jnp.where(through, before - gap, 1.0), 1.0)
        )
        share = jnp.clip(share, 1e-3, 1.0)

        def one_step(_):
            return _counted(_accepted(flow, t + dt, new), 1, 0, 0)

        def two_steps(_):
            first, _ = single(flow, t, share * dt, x, u)
            first = _accepted(flow, t + share * dt, first)
            # the impact ends within the step: stages beyond it would be disturbed by the clamped tension
            second = euler(flow, t + share * dt, (1 - share) * dt, first, u)
            return _counted(_accepted(flow, t + dt, second), 2, 1, 1)

        return jax.lax.cond(jnp.any(through), two_steps, one_step, None)

    def _attempt(self, flow, t, h, x, u, scale, choice):
        """Return a step and its error; explicit if switching is automatic and the flow is not stiff."""
        if choice is None:
            return *single(flow, t, h, x, u), None
        y, unravel = _flat(flow, x)

        def f(share, y):
            return _flat(flow, flow.derivative(t + share * h, unravel(y), u))[0]

        rate = f(0.0, y)
        choice = switching.choose_method(choice, lambda y: f(0.0, y), y, rate, scale, h)

        def implicit(_):
            new, error = single(flow, t, h, x, u)
            return _flat(flow, new)[0], error

        new, error = jax.lax.cond(
            choice.stiff, implicit, lambda _: switching.explicit_step(f, y, rate, h), None
        )
        return unravel(new), error, choice

    def _adaptive(self, flow, t, dt, x, u, memory):
        memory, choice = memory if self._switches else (memory, None)
        end = t + dt
        scale = _flat(flow, flow.scales())[0]
        quantum = 1e-12 * jnp.maximum(1.0, jnp.abs(end))

        def not_finished(carry):
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
            through = gap < -self.event_tolerance
            share = jnp.where(
                through, (before + 0.5 * self.event_tolerance) / jnp.where(through, before - gap, 1.0), 1.0
            )
            crossed, tiny = jnp.any(through), h_now <= self.min_step
            accept = ((ratio <= 1) & ~crossed) | tiny
            # a finite state is accepted at the smallest step, even if inaccurate
            factor = jnp.clip(0.9 * ratio ** (-1 / 3), 0.15, 4.0)
            shorter = h_now * jnp.clip(jnp.min(share), 1e-3, 0.95)
            h_next = jnp.where(crossed & (ratio <= 1), shorter, h_now * factor)
            accepted = _accepted(flow, t + h_now, new)
            after = flow.guards(t + h_now, accepted)
            # a sign change of a guard is the start or end of a contact
            event = jnp.any(jnp.abs(after - gap) > 0) & accept
            h_next = jnp.where(event, jnp.minimum(h_next, self.restart_step), h_next)
            h_next = jnp.where(
                accept & ~reaches_end, h_next, jnp.where(accept, jnp.maximum(h_next, h), h_next)
            )
            h_next = jnp.where(event, jnp.minimum(h_next, self.restart_step), h_next)
            h_next = jnp.clip(h_next, self.min_step, self.max_step)
            accepted = _counted(accepted, 1, 0, event.astype(float))
            state = jax.tree.map(lambda a, b: jnp.where(accept, a, b), accepted, _counted(x, 0, 1, 0))
            return (
                jnp.where(accept, jnp.where(reaches_end, end, t + h_now), t),
                state,
                h_next,
                jnp.where(accept, after, before),
                choice,
            )

        start = (jnp.asarray(t, float), x, memory, flow.guards(t, x), choice)
        _, x, h, _, choice = jax.lax.while_loop(not_finished, attempt, start)
        return x, (h, choice) if self._switches else h


def single(flow: Any, t: Time, h: Any, x: State, u: Input) -> tuple[State, jax.Array]:
    """Return one step of length h and its error estimate (flat)."""
    y, unravel = _flat(flow, x)
    solve = flow.shifted_solver(t, x, _G * h)
    slope = _flat(flow, flow.time_rate(t, x))[0]
    A, C, times, slopes = (jnp.asarray(a) for a in (_A, _C, _TIMES, _SLOPES))

    def stage(i, stages):
        """Return the stages with stage i; compiled once, because four copies of a large flow compile for minutes."""
        rate = _flat(flow, flow.derivative(t + times[i] * h, unravel(y + A[i] @ stages), u))[0]
        b = _G * h * (rate + slopes[i] * h * slope) + _G * (C[i] @ stages)
        return stages.at[i].set(_flat(flow, solve(unravel(b)))[0])

    stages = jax.lax.fori_loop(0, 4, stage, jnp.zeros((4, y.size)))
    # exclude what the implicit matrix damps; otherwise every beam vibration would limit the step
    error = _flat(flow, solve(unravel(jnp.asarray(_E) @ stages)))[0]
    return unravel(y + jnp.asarray(_M) @ stages), error


def euler(flow: Any, t: Time, h: Any, x: State, u: Input) -> State:
    """Return one linearly implicit Euler step: order one, monotone if a transient is shorter than the step."""
    y, unravel = _flat(flow, x)
    rate = _flat(flow, flow.derivative(t, x, u))[0] + h * _flat(flow, flow.time_rate(t, x))[0]
    return unravel(y + _flat(flow, flow.shifted_solver(t, x, h)(unravel(h * rate)))[0])


def _flat(flow, x):
    """Return the integrated part of a state as a vector, and the function that restores the state."""
    held = x.get("held")
    y, unravel = ravel_pytree({name: value for name, value in x.items() if name != "held"})
    return y, lambda flat: {**unravel(flat), "held": held}


def _accepted(flow, t, x):
    return flow.accept_step(t, x)


def _counted(x, steps, rejected, events):
    held = x["held"]
    return {**x, "held": {**held, "count": held["count"] + jnp.array([steps, rejected, events], float)}}
