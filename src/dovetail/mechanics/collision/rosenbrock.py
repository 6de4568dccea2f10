r"""Linearly implicit steps that end at contact events: Rosenbrock method of order three.

The set of touched surfaces is constant within a step, so the equations are smooth (`core.events`). Each stage solves
:math:`(1 - \gamma h J)k = \ldots` with the matrix of the flow. The order does not depend on an exact matrix
(W-method), so it needs to contain the stiff terms only.

The coefficients are those of ROS34PW2 [Rang & Angermann 2005]: four stages, L-stable, stiffly accurate, with an
embedded error estimate. The estimate is filtered by the same matrix, so vibration faster than the step, which the
method damps, does not reduce the step. With `control = "fixed"` the step after a first touch is one linearly implicit
Euler step. `switching = "automatic"` takes an explicit step if the flow is not stiff at the step that accuracy allows;
see `switching`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from dovetail.core import roles
from dovetail.core.block import Flow, Input, State, Time
from dovetail.core.events import EventSteps, StepMemory, error_ratio
from dovetail.core.kinds import kind
from dovetail.core.parameter import Parameter, choice, parameter
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
class ContactRosenbrock(EventSteps):
    """Step method for stiff systems with contact."""

    event_tolerance: Parameter = parameter(
        "m", "penetration to which a first touch is located", default=1e-7, above=0.0
    )
    switching: str = choice(
        "never", "automatic", about="explicit steps where the flow is not stiff", default="never"
    )
    order: ClassVar[int] = 3
    error_order: ClassVar[int] = 3

    def inner_memory(self, flow: Any, x: State) -> Any:
        return switching.initial_choice(_flat(flow, x)[0].size) if self._switches else ()

    @property
    def _switches(self) -> bool:
        return self.control == "adaptive" and self.switching == "automatic"

    def init(self, flow: Flow, x: State) -> StepMemory:
        return super().init(_implicit(flow), x)

    def step(
        self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: StepMemory
    ) -> tuple[State, StepMemory]:
        return super().step(_implicit(flow), t, dt, x, u, memory)

    def attempt(self, flow: Any, t: Time, h: Time, x: State, u: Input, inner: Any) -> tuple[State, Any, Any]:
        new, error, inner = self._step_and_error(flow, t, h, x, u, inner)
        before, after = (jnp.abs(_flat(flow, state)[0]) for state in (x, new))
        scale = _flat(flow, flow.scales())[0]
        return new, error_ratio(error, scale * self.atol + self.rtol * jnp.maximum(before, after)), inner

    def remainder(self, flow: Any, t: Time, h: Time, x: State, u: Input, inner: Any) -> State:
        # the impact ends within the step: stages beyond it would be disturbed by the clamped tension
        return euler(flow, t, h, x, u)

    def _step_and_error(
        self, flow: Any, t: Time, h: Time, x: State, u: Input, choice: Any
    ) -> tuple[State, jax.Array, Any]:
        """Return a step and its error; explicit if switching is automatic and the flow is not stiff."""
        if not self._switches:
            return *single(flow, t, h, x, u), choice
        y, unravel = _flat(flow, x)

        def f(share: float, y: jax.Array) -> jax.Array:
            return _flat(flow, flow.derivative(t + share * h, unravel(y), u))[0]

        rate = f(0.0, y)
        scale = _flat(flow, flow.scales())[0]
        choice = switching.choose_method(choice, lambda y: f(0.0, y), y, rate, scale, h)

        def implicit(_: None) -> tuple[jax.Array, jax.Array]:
            new, error = single(flow, t, h, x, u)
            return _flat(flow, new)[0], error

        new, error = jax.lax.cond(
            choice.stiff, implicit, lambda _: switching.explicit_step(f, y, rate, h), None
        )
        return unravel(new), error, choice


def _implicit(flow: Any) -> Any:
    """Return the flow with the matrix; the flow inside an excitation, which it does not use."""
    return flow if isinstance(flow, roles.Implicit) else flow.flow


def single(flow: Any, t: Time, h: Any, x: State, u: Input) -> tuple[State, jax.Array]:
    """Return one step of length h and its error estimate (flat)."""
    y, unravel = _flat(flow, x)
    solve = flow.shifted_solver(t, x, _G * h)
    slope = _flat(flow, flow.time_rate(t, x))[0]
    A, C, times, slopes = (jnp.asarray(a) for a in (_A, _C, _TIMES, _SLOPES))

    def stage(i: jax.Array, stages: jax.Array) -> jax.Array:
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


def _flat(flow: Any, x: dict[str, Any]) -> tuple[jax.Array, Callable[[jax.Array], dict[str, Any]]]:
    """Return the integrated part of a state as a vector, and the function that restores the state."""
    held = {name: x[name] for name in flow.held if name in x}
    y, unravel = ravel_pytree({name: value for name, value in x.items() if name not in flow.held})
    return y, lambda flat: {**unravel(flat), **held}
