"""Simulation without a rig: system, integration method and limits.

Studies that precede a hybrid test, such as a towed rope, have no interface. They use the same file format and run
folder. The file has `kind = "simulation"` and a `system`, which can be any part that is a flow.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import numpy as np

from dovetail.core import Flow, constant, roles
from dovetail.core.errors import Fault, collect_faults
from dovetail.core.shapes import shapes
from dovetail.core.system import Signals, System
from dovetail.testing import limits, modes
from dovetail.testing.limits import TENSION
from dovetail.testing.run import Progress, Run
from dovetail.testing.runnable import Runnable
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

    def _find_faults(self) -> list[Fault]:
        faults = self.length_faults("record") + axis_faults(self.axes, self.shape)
        faults += limits.faults(self.limits, self.axes, (), len(self.axes), modes.Simulate)
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
        outputs = shapes(_first_output, modes.Simulate().system(self.with_shapes())) if limited else {}
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
        return modes.run(self, modes.Simulate(), progress)


def _first_output(system: System) -> Signals:
    return system.start()[1]
