"""Adaptive integration of a flow with events, for accurate offline references.

The module is an adapter to Diffrax. The error determines the step, so the cost is not known in advance; the real-time
loop uses the fixed-step methods instead. Explicit: Tsitouras 5(4), or Dormand-Prince 8(7) for a relative tolerance
below 1e-6. Stiff: Kvaerno's L-stable ESDIRK 5(4).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import optimistix as optx

from dovetail.core.block import Flow, Input, Output, State, Time
from dovetail.core.errors import ConvergenceError, ParameterError

Condition = Callable[[Time, State, Input], Any]


@dataclasses.dataclass(frozen=True)
class Crossing:
    """Event at a zero crossing of a real condition(t, x, u), in the direction `"up"`, `"down"` or `"both"`.

    A Boolean condition ends the run after the step in which it becomes true; its direction is ignored.
    """

    condition: Condition
    direction: str = "both"

    def __post_init__(self):
        if self.direction not in _DIRECTIONS:
            raise ParameterError(f'Crossing.direction: got "{self.direction}"; one of up, down, both')


_DIRECTIONS = {"up": True, "down": False, "both": None}


class Trajectory(eqx.Module):
    """States and outputs of a flow at given times; NaN at times after an event ended the run."""

    times: jax.Array  # [s], (n,)
    states: State  # leaves (n, ...)
    outputs: Output  # leaves (n, ...)
    end_time: jax.Array  # [s] requested end, or the time of the event
    end_state: State
    happened: dict[str, jax.Array]  # by event: whether it ended the run
    steps: jax.Array  # number of accepted and rejected steps

    @property
    def event(self) -> str | None:
        """Name of the event that ended the run, or None."""
        return next((name for name, it in self.happened.items() if bool(it)), None)


def solve(
    flow: Flow,
    t0: float,
    t1: float,
    *,
    times: Any = None,
    x0: State = None,
    u: Input | Callable[[Time], Input] = None,
    rtol: float = 1e-8,
    atol: float = 1e-10,
    stiff: bool = False,
    max_step: float | None = None,
    events: Mapping[str, Crossing | Condition] | None = None,
    max_steps: int = 100_000,
) -> Trajectory:
    """Integrate a flow from t0 to t1 [s], or to the first event, with error control.

    Parameters
    ----------
    times : array, optional
        Times [s] at which to return states and outputs, between t0 and t1.
        Default: 201 equally spaced times.
    x0 : pytree, optional
        State at t0. Default: `flow.init()`.
    u : pytree or callable
        Input: constant, or a function of time.
    rtol, atol : float
        Relative and absolute tolerance of the error per step.
    stiff : bool
        Use the implicit method, for time constants much shorter than the motion of interest.
    max_step : float, optional
        Maximum step [s]. It prevents a step over a short contact in a long flight.
    events : mapping
        Conditions(t, x, u) by name, as functions or as `Crossing`. The first event ends the run.

    Returns
    -------
    Trajectory

    Raises
    ------
    ConvergenceError
        If `max_steps` is reached or the step becomes too small. Under a JAX transformation no error can be
        raised, and the states are NaN instead.
    """
    crossings = {
        name: event if isinstance(event, Crossing) else Crossing(event)
        for name, event in (events or {}).items()
    }
    times = jnp.linspace(t0, t1, 201) if times is None else jnp.asarray(times, dtype=float)
    start = flow.init() if x0 is None else x0
    trajectory, failed, why = _solve(
        flow, t0, t1, times, start, u, rtol, atol, stiff, crossings, max_steps, max_step
    )
    if isinstance(failed, jax.core.Tracer):
        return trajectory
    if failed:
        reason = diffrax.RESULTS[why]  # type: ignore[type-arg, valid-type]  # an enumeration class with item access
        raise ConvergenceError(
            f"{type(flow).__name__}: integration from {float(t0):g} s to {float(t1):g} s did not arrive "
            f"after {int(trajectory.steps)} steps (most allowed: {max_steps}). {reason} "
            "Do: set stiff=True if the flow has very short time constants, loosen rtol and atol, "
            "or raise max_steps; if the motion runs away, end it with an event."
        )
    return trajectory


class _Bisection(optx.AbstractRootFinder):  # type: ignore[misc]  # the base class is untyped
    """Bisection for the time of an event inside a step; conditions that did not occur count as zero.

    The bisection of Optimistix accepts one condition only, and applies its tolerance to the condition too, whose
    unit is not known here.
    """

    rtol: float = 1e-14
    atol: float = 1e-14  # [s]
    norm: ClassVar[Callable] = jnp.abs  # type: ignore[misc]  # a field in the base class, a constant here

    def init(self, fn, y, args, options, f_struct, aux_struct, tags):
        lower, upper = options["lower"], options["upper"]
        return lower, upper, self._positive(fn, lower, args), jnp.asarray(False)

    def step(self, fn, y, args, options, state, tags):
        lower, upper, side, _ = state
        middle = 0.5 * (lower + upper)
        same = self._positive(fn, middle, args) == side
        lower, upper = jnp.where(same, middle, lower), jnp.where(same, upper, middle)
        done = upper - lower <= self.atol + self.rtol * jnp.abs(upper)
        return upper, (lower, upper, side, done), None

    def terminate(self, fn, y, args, options, state, tags):
        return state[3], optx.RESULTS.successful

    def postprocess(self, fn, y, aux, args, options, state, tags, result):
        return y, aux, {}

    @staticmethod
    def _positive(fn, t, args):
        return sum(jax.tree.leaves(fn(t, args)[0])) > 0


@eqx.filter_jit
def _solve(flow, t0, t1, times, x0, u, rtol, atol, stiff, crossings, max_steps, max_step):
    def given(t):
        return u(t) if callable(u) else u

    leaves, form = jax.tree.flatten(x0)  # Diffrax does not accept a state with empty subtrees

    def rate(t, y, _):
        return jax.tree.leaves(flow.derivative(t, form.unflatten(y), given(t)))

    def as_diffrax(crossing):
        return lambda t, y, args, **_: crossing.condition(t, form.unflatten(y), given(t))

    event = None
    if crossings:
        event = diffrax.Event(
            {name: as_diffrax(c) for name, c in crossings.items()},
            _Bisection(),
            {name: _DIRECTIONS[c.direction] for name, c in crossings.items()},
        )
    explicit = diffrax.Tsit5() if not isinstance(rtol, float) or rtol >= 1e-6 else diffrax.Dopri8()
    save = diffrax.SaveAt(subs=[diffrax.SubSaveAt(ts=times), diffrax.SubSaveAt(t1=True)])
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(rate),
        diffrax.Kvaerno5() if stiff else explicit,
        t0,
        t1,
        None,
        leaves,
        saveat=save,
        stepsize_controller=diffrax.PIDController(rtol=rtol, atol=atol, dtmax=max_step),
        event=event,
        max_steps=max_steps,
        throw=False,
    )
    failed = ~diffrax.is_okay(solution.result)
    states, end_state = (form.unflatten(y) for y in solution.ys)
    end_time = solution.ts[1][0]
    reached = (times <= end_time) & ~failed

    def blank(leaf, keep):
        keep = jnp.reshape(keep, keep.shape + (1,) * (leaf.ndim - keep.ndim))
        return jnp.where(keep, leaf, jnp.nan) if jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf

    states = jax.tree.map(lambda leaf: blank(leaf, reached), states)
    outputs = jax.vmap(lambda t, x: flow.output(t, x, given(t)))(times, states)
    trajectory = Trajectory(
        times=times,
        states=states,
        outputs=jax.tree.map(lambda leaf: blank(leaf, reached), outputs),
        end_time=end_time,
        end_state=jax.tree.map(lambda leaf: blank(leaf[0], ~failed), end_state),
        happened=solution.event_mask if crossings else {},
        steps=solution.stats["num_steps"],
    )
    return trajectory, failed, solution.result
