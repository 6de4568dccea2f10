"""Simulation without a rig: system, integration method and limits.

Studies that precede a hybrid test, such as a towed rope, have no interface. They use the same file format and run
folder. The file has `kind = "simulation"` and a `system`, which can be any part that is a flow.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Flow, constant, roles
from dovetail.core.errors import Fault, collect_faults
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.testing import limit_monitor
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.limit_monitor import TENSION, LimitMonitor
from dovetail.testing.run import Progress, Run
from dovetail.testing.runnable import NOT_A_TEST, Runnable
from dovetail.testing.tick_grid import axis_faults


class Simulation(Runnable):
    """Simulation of a system without a rig.

    Attributes
    ----------
    system
        Flow without interface force. Optional methods: `faults(method, step)` and `time_faults(duration)` return lists
        of `Fault`; `adapt(x)` returns a changed flow and its state between two chunks of a run.
    limits
        `displacement`, `velocity`, `acceleration` (of its output) and `force` (its `tension`) stop the run. Other
        limits are an error, because there is no rig and no interface.
    axes
        Names of the axes of its vectors.
    """

    DEFAULT_MODE: ClassVar[str] = "simulate"
    CHUNK_LENGTHS: ClassVar[tuple[int, int]] = (100, 200)
    rig: ClassVar[None] = None

    system: Flow
    _: dataclasses.KW_ONLY
    rate: float = constant("Hz", "records per second", default=100.0, above=0.0)
    axes: tuple[str, ...] = eqx.field(default=("x", "y", "z"), static=True)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the vectors in the recording."""
        return (len(self.axes),) if self.axes else ()

    @property
    def numerical(self) -> Flow:
        """The simulated system."""
        return self.system

    def mode_faults(self, mode: str) -> str:
        """Return why a mode cannot be used; all modes but `simulate` need a rig."""
        return "" if mode == "simulate" else NOT_A_TEST

    def _find_faults(self) -> list[Fault]:
        faults = self.length_faults("record") + axis_faults(self.axes, self.shape)
        faults += limit_monitor.faults(self.limits, self.axes, (), len(self.axes), "simulate")
        faults += collect_faults("excitation", self.end_faults)
        system = self.system
        if isinstance(system, roles.Checked):
            faults += collect_faults("system", lambda: system.faults(self.method, self.dt / self.substeps))
        if isinstance(system, roles.Prescribed):
            faults += collect_faults("system", lambda: system.time_faults(self.duration))
        return faults or collect_faults("limits", self._output_faults)

    def _output_faults(self) -> list[Fault]:
        """Return limits on signals that the system does not output."""
        signals = {name: name for name in ("displacement", "velocity", "acceleration")} | {"force": TENSION}
        limited = [name for name in signals if np.any(np.isfinite(getattr(self.limits, name)))]
        outputs = eqx.filter_eval_shape(lambda s: s.start()[1], self.with_shapes()) if limited else {}
        return [
            Fault(
                f"limits.{name}",
                f"cannot be monitored: the system does not output {signals[name]}; remove it",
            )
            for name in limited
            if signals[name] not in outputs
        ]

    def with_shapes(self, shape: tuple[int, ...] | None = None, seed: Any = None) -> Simulation:
        """Return the simulation with shapes and random keys; there is no interface shape."""
        return super().with_shapes((), seed)

    def simulate(self, progress: Progress | None = None) -> Run:
        """Run the simulation until its end, a limit, a value that is not finite, or an interrupt."""
        from dovetail.testing.rehearse import rehearse

        return rehearse(self, progress)

    def start(self) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """Return initial state and first record."""
        flow = self._driven_system()
        x = flow.init()
        outputs = flow.output(0.0, x, jnp.zeros(()))
        monitor_state = self._check_limits(
            0.0, 0.0, LimitMonitor.for_test(self, "simulate").empty_state(), outputs
        )
        return {"system": (x, self.method.init(flow, x)), "monitor": monitor_state}, outputs

    def advance(self, state, first, number, ahead=False):
        """Advance `number` records from record `first`."""
        flow, dt, steps = self._driven_system(), self.dt, self.substeps
        h = dt / steps
        force, method = jnp.zeros(()), with_stage_loop(self.method)

        def one(state, k):
            def sub(carry, i):
                return method.advance(flow, k * dt + i * h, h, carry[0], force, carry[1]), None

            if steps == 1:
                carry, _ = sub(state["system"], 0)
            else:
                carry, _ = jax.lax.scan(sub, state["system"], jnp.arange(steps))
            outputs = flow.output((k + 1) * dt, carry[0], force)
            return {
                "system": carry,
                "monitor": self._check_limits((k + 1) * dt, dt, state["monitor"], outputs),
            }, outputs

        return jax.lax.scan(one, state, first + jnp.arange(number))

    def adapt(self, state: dict[str, Any]) -> tuple[Simulation, dict[str, Any]] | None:
        """Return changed simulation and state if the system adapts, for example its number of elements."""
        if not isinstance(self.system, roles.Adapting):
            return None
        system, x = self.system.adapt(state["system"][0])
        if system is self.system:
            return None
        now = dataclasses.replace(self, system=system)
        return now, {**state, "system": (x, now.method.init(now._driven_system(), x))}

    def _driven_system(self) -> Driven:
        """Return the system with its excitation; the interface force is zero."""
        return Driven(self.system, self.excitation)

    def _check_limits(self, t, dt, monitor_state, outputs) -> dict[str, Any]:
        """Return the monitor state after a record: all signals must be finite, some have limits."""
        monitor = LimitMonitor.for_test(self, "simulate")
        rest = {"displacement": jnp.zeros(())}  # for a system without displacement output
        monitor_state = monitor.check_demand(t, dt, monitor_state, {**rest, **outputs})
        return (
            monitor.check_measurement(dt, monitor_state, outputs, {TENSION: outputs[TENSION]})
            if TENSION in outputs
            else monitor_state
        )
