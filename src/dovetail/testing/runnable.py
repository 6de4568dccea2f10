"""Runnable: base class of hybrid tests and simulations; a simulation is a test without a rig.

Runs, reports, views, exports and campaigns use this interface for both: available modes (`modes`), faults (`faults`),
reference solution (`reference`), stability (`stability`) and time stepping (`start`, `advance`).
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import equinox as eqx
import jax

from dovetail.core import RK4, Method, Part, constant, count
from dovetail.core.errors import AnalysisError, Fault, ParameterError, TestFileError
from dovetail.core.extensions import display
from dovetail.core.random import assign_keys, has_random
from dovetail.mechanics import Substructure
from dovetail.testing import paths, recorder
from dovetail.testing.acceptance import Accept
from dovetail.testing.excitation import Excitation, Zero
from dovetail.testing.limits import Limits
from dovetail.testing.modes import NOT_A_TEST, all_modes
from dovetail.testing.tick_grid import length_faults

if TYPE_CHECKING:
    from dovetail.testing.assessment import Stability
    from dovetail.testing.continuous import ReferenceSettings
    from dovetail.testing.run import Progress, Run

AFTER_END = 'shorten the run or extend the excitation (for a ground record, set after_end = "zero")'


class Runnable(Part):
    """Test or simulation: excited, monitored and recorded at a fixed rate.

    It is a pytree: `eqx.tree_at` returns a variant.

    Attributes
    ----------
    excitation
        Excitation of the numerical substructure.
    limits
        Limits that stop the run.
    accept
        Acceptance criteria for the report; they do not affect the run.
    method, substeps
        Integration method and number of integration steps in a tick.
    rate, duration
        Ticks per second [Hz]; duration [s].
    record_every
        Ticks from one record to the next; all ticks are computed and monitored (`dovetail.testing.recorder`).
    seed
        Seed of all random numbers of the run.
    axes
        Names of the axes, if there are several.
    title, source
        One-line title; source of the parameter values.
    """

    DEFAULT_MODE: ClassVar[str]  # default mode
    numerical: ClassVar[Any]  # numerical substructure
    rig: ClassVar[Any]  # rig, or None
    tunable: ClassVar[Any] = {}  # tunable parameters by path

    _: dataclasses.KW_ONLY
    excitation: Excitation = Zero()
    limits: Limits = Limits()
    accept: Accept | None = None
    method: Method = RK4()
    rate: float = constant("Hz", "ticks per second", default=1000.0, above=0.0)
    duration: float = constant("s", "duration of the test", default=10.0, above=0.0)
    substeps: int = count("integration steps in a tick", default=1, at_least=1)
    record_every: int = count("ticks from one record to the next", default=1, at_least=1)
    seed: int = count("seed of all random numbers of the run", default=0)
    title: str = eqx.field(default="", static=True)
    axes: tuple[str, ...] = eqx.field(default=(), static=True)
    source: str = eqx.field(default="", static=True)

    @property
    def dt(self) -> float:
        """Duration of a tick [s]."""
        return 1.0 / self.rate

    @property
    def tick_count(self) -> int:
        """Number of ticks."""
        return round(self.duration * self.rate)

    @property
    def record_count(self) -> int:
        """Number of records after the first."""
        return self.tick_count // self.record_every

    @property
    def rotary_axes(self) -> tuple[bool, ...]:
        """For each axis of the interface, whether it is rotary; empty if the substructure does not define it."""
        return tuple(self.numerical.rotary_axes) if isinstance(self.numerical, Substructure) else ()

    @property
    def excitation_unit(self) -> str | None:
        """Unit of the excitation, if the substructure defines it."""
        return self.numerical.excitation_unit if isinstance(self.numerical, Substructure) else None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the interface signals: () for one axis, (n,) for n."""

    # capabilities

    def modes(self) -> dict[str, str]:
        """Return for each mode why it cannot be used; an empty string if it can."""
        return {name: self.mode_faults(name) for name in all_modes()}

    def mode_faults(self, mode: str) -> str:
        """Return why a mode cannot be used, as a predicate; an empty string if it can."""
        return all_modes()[mode]().reason_against(self)

    def reference(
        self, settings: ReferenceSettings | None = None, progress: Progress | None = None
    ) -> Run | None:
        """Return the reference solution, or None if there is none."""
        return None

    def stability(self) -> Stability:
        """Return the stability of the loop; raise `AnalysisError` if it cannot be determined."""
        raise AnalysisError(f"{self.title or 'untitled simulation'}: {NOT_A_TEST}, so there is no loop")

    def remarks(self) -> list[str]:
        """Return remarks on defaults that the user should check, each with its path."""
        every = self.record_every
        return [recorder.interval_remark(self.tick_count, every, self.dt)] if every > 1 else []

    def end_faults(self) -> list[Fault]:
        """Return a fault if the excitation ends before the run."""
        end = float(self.excitation.valid_until)
        if end >= self.duration * (1 - 1e-12):
            return []
        text = f"ends at {end:g} s, before the end of the run at {self.duration:g} s; "
        return [Fault("excitation", text + AFTER_END)]

    def length_faults(self, tick: str) -> list[Fault]:
        """Return a fault if the duration is not a whole number of ticks or of records."""
        return length_faults(self.duration, self.rate, tick) or recorder.faults(
            self.tick_count, self.record_every
        )

    # checks and preparation

    def faults(self) -> list[Fault]:
        """Return the faults of the test as a whole, beyond the checks of each part; computed once."""
        return list(self._faults)

    @cached_property
    def _faults(self) -> tuple[Fault, ...]:
        # the initial state may depend on random numbers, for example a deck in waves
        drawn = assign_keys(self, _key(self.seed)) if has_random(self.numerical) else self
        return tuple(drawn._find_faults())

    @abstractmethod
    def _find_faults(self) -> list[Fault]:
        """Return all faults."""

    def validate(self) -> Self:
        """Return the test itself if it has no faults.

        Raises
        ------
        TestFileError
            With all faults.
        """
        if faults := self.faults():
            raise TestFileError(self.title or "test", faults)
        return self

    def with_shapes(self, shape: tuple[int, ...] | None = None, seed: Any = None) -> Self:
        """Return the test with shapes and random keys, as the loop needs it; a batch passes both."""
        sampled = self.with_sample_time(self.dt, self.shape if shape is None else shape)
        return assign_keys(sampled, _key(self.seed if seed is None else seed))

    def prepare(self) -> Self:
        """Return the validated test with shapes; raise `TestFileError` with all faults."""
        return self.validate().with_shapes()

    def with_values(self, **values: Any) -> Self:
        """Return a variant with other values at paths: `test.with_values(**{"rig.actuator.delay": 9e-3})`."""
        variant = self
        for path, value in values.items():
            if isinstance(paths.get(variant, path), jax.Array):
                variant = paths.replace_all(variant, path, value)
            elif "." in path:
                raise ParameterError(f'"{path}" is not a numeric parameter; replace the part instead')
            else:
                variant = dataclasses.replace(variant, **{path: value})
        return variant

    def _repr_html_(self) -> str:
        return str(display("test", self))


_key = jax.jit(jax.random.key)  # compiled once for all seeds
