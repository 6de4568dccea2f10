"""A simulation without a rig: a system, how it is integrated, what may not be exceeded.

Not everything that precedes a hybrid test has an interface yet. A rope that is towed, settles and is steered is
simulated as a whole, from a file of the same form, with the same run folder. Such a file says
`kind = "simulation"` and has a `system`, any flow that test files can name.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Flow, constant, roles
from dovetail.core.errors import Fault, guarded
from dovetail.core.methods.rolled import rolled
from dovetail.testing import limit_monitor
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.limit_monitor import TENSION, Watch
from dovetail.testing.run import Progress, Run
from dovetail.testing.runnable import NOT_A_TEST, Runnable
from dovetail.testing.tick_grid import axis_faults


class Simulation(Runnable):
    """A system that is simulated as a whole.

    Attributes
    ----------
    system
        The flow. It may say what is wrong with itself: `faults(method, step)` and `time_faults(duration)` give
        lists of `Fault`. It may change between pieces of a run: `adapted(x)` gives the flow and its state from there.
        No interface force acts on it.
    limits
        `displacement`, `velocity`, `acceleration` (of its output) and `force` (its `tension`); a run ends where one
        is met. Others are refused: there is no rig, and no interface.
    axes
        Names of the axes of its vectors.
    """

    USUAL: ClassVar[str] = "simulate"
    PIECES: ClassVar[tuple[int, int]] = (100, 200)
    rig: ClassVar[None] = None

    system: Flow
    _: dataclasses.KW_ONLY
    rate: float = constant("Hz", "records per second", default=100.0, above=0.0)
    axes: tuple[str, ...] = eqx.field(default=("x", "y", "z"), static=True)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of vectors in the recording."""
        return (len(self.axes),) if self.axes else ()

    @property
    def numerical(self) -> Flow:
        """The system: all of it is simulated."""
        return self.system

    def why_not(self, mode: str) -> str:
        """It is simulated; for the other modes it would need a rig."""
        return "" if mode == "simulate" else NOT_A_TEST

    def _look(self) -> list[Fault]:
        faults = self.length_faults("record") + axis_faults(self.axes, self.shape)
        faults += limit_monitor.faults(self.limits, self.axes, (), len(self.axes), "simulate")
        faults += guarded("excitation", self.end_faults)
        system = self.system
        if isinstance(system, roles.Checked):
            faults += guarded("system", lambda: system.faults(self.method, self.dt / self.substeps))
        if isinstance(system, roles.Prescribed):
            faults += guarded("system", lambda: system.time_faults(self.duration))
        return faults or guarded("limits", self._unseen)

    def _unseen(self) -> list[Fault]:
        """Limits on what the system does not show."""
        signals = {name: name for name in ("displacement", "velocity", "acceleration")} | {"force": TENSION}
        said = [name for name in signals if np.any(np.isfinite(getattr(self.limits, name)))]
        shown = eqx.filter_eval_shape(lambda s: s.start()[1], self.sized()) if said else {}
        return [
            Fault(f"limits.{name}", f"cannot be watched: the system shows no {signals[name]}; leave it out")
            for name in said
            if signals[name] not in shown
        ]

    def sized(self, shape: tuple[int, ...] | None = None, seed: Any = None) -> Simulation:
        """With its shapes fixed and its random keys drawn; nothing of it has the shape of an interface."""
        return super().sized((), seed)

    def simulate(self, progress: Progress | None = None) -> Run:
        """Run it. What was computed until a limit, a number that is not finite, or an interrupt is kept."""
        from dovetail.testing.rehearse import rehearse

        return rehearse(self, progress)

    def start(self) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """State at the start, and the first record."""
        flow = self._driven()
        x = flow.init()
        shown = flow.output(0.0, x, jnp.zeros(()))
        seen = self._judged(0.0, 0.0, Watch.of(self, "simulate").blank(), shown)
        return {"system": (x, self.method.init(flow, x)), "watch": seen}, shown

    def advance(self, state, first, number, ahead=False):
        """Records from record `first` on."""
        flow, dt, steps = self._driven(), self.dt, self.substeps
        h = dt / steps
        force, method = jnp.zeros(()), rolled(self.method)

        def one(state, k):
            def sub(carry, i):
                return method.advance(flow, k * dt + i * h, h, carry[0], force, carry[1]), None

            if steps == 1:
                carry, _ = sub(state["system"], 0)
            else:
                carry, _ = jax.lax.scan(sub, state["system"], jnp.arange(steps))
            shown = flow.output((k + 1) * dt, carry[0], force)
            return {"system": carry, "watch": self._judged((k + 1) * dt, dt, state["watch"], shown)}, shown

        return jax.lax.scan(one, state, first + jnp.arange(number))

    def adapted(self, state: dict[str, Any]) -> tuple[Simulation, dict[str, Any]] | None:
        """Simulation and state from here on, where the system wants to change, as with its elements."""
        if not isinstance(self.system, roles.Adapting):
            return None
        system, x = self.system.adapted(state["system"][0])
        if system is self.system:
            return None
        now = dataclasses.replace(self, system=system)
        return now, {**state, "system": (x, now.method.init(now._driven(), x))}

    def _driven(self) -> Driven:
        """The system with its excitation attached; its input is an interface force that is zero."""
        return Driven(self.system, self.excitation)

    def _judged(self, t, dt, seen, shown) -> dict[str, Any]:
        """What the supervisor has seen after a record: all of it is to be finite, some of it has limits."""
        watch = Watch.of(self, "simulate")
        still = {"displacement": jnp.zeros(())}  # of a system that shows none
        seen = watch.demand(t, dt, seen, {**still, **shown})
        return watch.reading(dt, seen, shown, {TENSION: shown[TENSION]}) if TENSION in shown else seen
