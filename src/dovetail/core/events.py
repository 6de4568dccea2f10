r"""Steps that end at events: contact, sticking, latches, switches.

The equations of a flow may change at an event, for example when a gap closes. The flow gives event functions
(`Flow.guards`), continuous in time, which are zero at their events. If one of them changes sign in a step by more than
`event_tolerance`, the step is repeated shorter, so that it ends at the event: the equations are smooth within every
accepted step. Then `Flow.jump` acts. An event function within the tolerance is accepted, so that grazing does not stall
the integration.

The length of a step follows from an embedded error estimate. Error control continues after an event, because the
solution is often not smooth there: the force of a Hertz contact leaves zero with penetration^1.5, and fixed steps that
start at the touch converge with order 2.5 for any method. `control = "fixed"` takes one step per call, or two that meet
at the first event, without an estimate: a known cost for real time.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core.block import Flow, Input, Method, State, Time, repeat
from dovetail.core.parameter import Parameter, check, choice, count, parameter

RESOLUTION = 1e-14  # of the time, at least of 1 s: a remainder that is not integrated


class StepMemory(NamedTuple):
    """Memory of a method between two calls."""

    next_step: Float[Array, ""]  # [s] to try next
    steps: Float[Array, "3"]  # accepted and rejected steps, events
    inner: Any  # memory of the single step


class _Progress(NamedTuple):
    """State of the steps within one call."""

    t: Float[Array, ""]
    x: State
    memory: StepMemory


class EventSteps(Method):
    """Base of the methods whose steps end at events; a subclass gives a single step with its error.

    Forward derivatives (`jax.jvp`) need no setting. Reverse derivatives (`jax.grad`) need `max_attempts`.
    """

    rtol: Parameter = parameter("1", "relative tolerance", default=1e-4, above=0.0)
    atol: Parameter = parameter(
        "1", "absolute tolerance, in units of the flow's scales", default=1e-4, above=0.0
    )
    event_tolerance: Parameter = parameter(
        "1",
        "size of an event function, such as a penetration in m, to which an event is located",
        default=1e-7,
        above=0.0,
    )
    min_step: Parameter = parameter("s", "step at which every result is accepted", default=1e-8, above=0.0)
    max_step: Parameter = parameter("s", "largest step", default=1e-2, above=0.0)
    restart_step: Parameter = parameter("s", "largest step after an event", default=1e-4, above=0.0)
    control: str = choice("adaptive", "fixed", about="adaptive or fixed step", default="adaptive")
    max_attempts: int = count("largest number of attempts in a call; 0: no limit", default=0)

    def __check_init__(self) -> None:
        check(self)

    @abstractmethod
    def attempt(self, flow: Any, t: Time, h: Time, x: State, u: Input, inner: Any) -> tuple[State, Any, Any]:
        """Return the state after a step of h, the ratio of its error to its tolerance, and the next inner memory."""

    def remainder(self, flow: Any, t: Time, h: Time, x: State, u: Input, inner: Any) -> State:
        """Return the state after the step that follows an event, with fixed control."""
        return self.attempt(flow, t, h, x, u, inner)[0]

    def inner_memory(self, flow: Any, x: State) -> Any:
        """Return the memory of the single step."""
        return ()

    def init(self, flow: Flow, x: State) -> StepMemory:
        first = jnp.asarray(self.restart_step, float)
        return StepMemory(first, jnp.zeros(3), self.inner_memory(flow, x))

    def signals(self, memory: StepMemory) -> dict[str, Array]:
        return {"solver_steps": memory.steps}

    def advance(
        self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: StepMemory
    ) -> tuple[State, StepMemory]:
        return self.step(flow, t, dt, x, u, memory)  # which includes the jumps

    def step(
        self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: StepMemory
    ) -> tuple[State, StepMemory]:
        """Return the state at t + dt and the next memory, with the jumps at all events and accepted steps."""
        if self.control == "fixed":
            return self._fixed(flow, t, dt, x, u, memory)
        now = self._advance_to(flow, t + dt, _Progress(jnp.asarray(t, float), x, memory), u, jnp.inf)
        return now.x, now.memory

    def to_event(
        self, flow: Flow, t: Time, end: Time, x: State, u: Input, memory: StepMemory, number: Any = 1
    ) -> tuple[Time, State, StepMemory]:
        """Return time, state and next memory at the `number`-th event from t on, or at the end if there are fewer."""
        start = _Progress(jnp.asarray(t, float), x, memory)
        now = self._advance_to(flow, end, start, u, memory.steps[2] + number)
        return now.t, now.x, now.memory

    def _advance_to(self, flow: Flow, end: Time, start: _Progress, u: Input, events: Any) -> _Progress:
        """Return the progress at the end, or at a total number of events if it is reached before."""
        resolution = RESOLUTION * jnp.maximum(1.0, jnp.abs(end))

        def unfinished(now: _Progress) -> Any:
            return (now.t < end - resolution) & (now.memory.steps[2] < events)

        def attempt(now: _Progress) -> _Progress:
            return self._attempt(flow, end, now, u)

        if not self.max_attempts:
            return jax.lax.while_loop(unfinished, attempt, start)

        def attempt_if_unfinished(now: _Progress, _: Any) -> _Progress:
            after: _Progress = jax.lax.cond(unfinished(now), attempt, lambda now: now, now)
            return after

        now: _Progress = repeat(attempt_if_unfinished, start, self.max_attempts)
        return now._replace(x=jax.tree.map(lambda a: jnp.where(unfinished(now), jnp.nan, a), now.x))

    def _attempt(self, flow: Flow, end: Time, now: _Progress, u: Input) -> _Progress:
        """Return the progress after an attempt; it is rejected if its error is too large or it crosses an event."""
        t, (planned, total, inner) = now.t, now.memory
        left = end - t
        reaches_end = planned >= left * (1 - 1e-9)
        h = jnp.where(reaches_end, left, jnp.where(planned > left / 2, left / 2, planned))
        new, ratio, inner = self.attempt(flow, t, h, now.x, u, inner)
        ratio = jax.lax.stop_gradient(jnp.where(jnp.isfinite(ratio), ratio, 1e6))
        share, crossed, changed = self._event_in_step(flow, t, h, now.x, new, u)
        # a finite state is accepted at the smallest step, even if inaccurate
        accept = ((ratio <= 1) & ~crossed) | (h <= self.min_step)
        event = accept & changed
        factor = jnp.clip(0.9 * ratio ** (-1 / self.error_order), 0.15, 4.0)
        following = jnp.where(crossed & (ratio <= 1), h * jnp.clip(share, 1e-3, 0.95), h * factor)
        following = jnp.where(accept & reaches_end, jnp.maximum(following, planned), following)
        following = jnp.where(event, jnp.minimum(following, self.restart_step), following)
        following = jnp.clip(following, self.min_step, self.max_step)
        accepted = (jnp.where(reaches_end, end, t + h), flow.after_jump(t + h, new, u))
        reached = jax.tree.map(lambda a, b: jnp.where(accept, a, b), accepted, now[:2])
        total = total + jnp.stack([accept, ~accept, event])
        return _Progress(reached[0], reached[1], StepMemory(following, total, inner))

    def _fixed(
        self, flow: Flow, t: Time, dt: Time, x: State, u: Input, memory: StepMemory
    ) -> tuple[State, StepMemory]:
        """Return one step, or two that meet at the first event; at most three single steps."""
        new, _, inner = self.attempt(flow, t, dt, x, u, memory.inner)
        share, crossed, _ = self._event_in_step(flow, t, dt, x, new, u)

        def two_steps() -> tuple[State, Array]:
            h = jnp.maximum(share, 1e-3) * dt
            first = flow.after_jump(t + h, self.attempt(flow, t, h, x, u, memory.inner)[0], u)
            second = self.remainder(flow, t + h, dt - h, first, u, inner)
            return second, jnp.array([2.0, 1.0, 1.0])

        x, counted = jax.lax.cond(crossed, two_steps, lambda: (new, jnp.array([1.0, 0.0, 0.0])))
        return flow.after_jump(t + dt, x, u), StepMemory(memory.next_step, memory.steps + counted, inner)

    def _event_in_step(
        self, flow: Flow, t: Time, h: Time, x: State, new: State, u: Input
    ) -> tuple[Array, Array, Array]:
        """Return the share of a step up to the first event by linear interpolation, whether the step crosses an event
        by more than the tolerance, and whether an event function changes sign.
        """
        times, states = jax.tree.map(lambda *ends: jnp.stack(ends), (t, x), (t + h, new))
        # in one batch, because a large flow is compiled once for each call
        before, after = jax.vmap(lambda t, x: flow.guards(t, x, u))(times, states)
        side = jnp.where(before >= 0, 1.0, -1.0)
        changed = jnp.any((before >= 0) != (after >= 0))
        before, after = side * before, side * after
        crosses = after < -self.event_tolerance
        share = (before + 0.5 * self.event_tolerance) / jnp.where(crosses, before - after, 1.0)
        return jnp.min(jnp.where(crosses, share, 1.0), initial=1.0), jnp.any(crosses), changed

    @property
    @abstractmethod
    def error_order(self) -> int:
        """Order of the local error estimate in the step."""


def error_ratio(error: Array, tolerance: Array) -> Array:
    """Return the root mean square of an error estimate relative to the tolerance of each number."""
    return jnp.sqrt(jnp.mean((error / tolerance) ** 2))
