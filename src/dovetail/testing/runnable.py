"""What can be run: the common ground of a hybrid test and of a simulation, which is a test whose rig is nothing.

Whoever runs, reports, shows, exports or varies one asks it, and need not know which of the two it is: in which modes
it can be run (`modes`), what is wrong with it (`faults`), what it would be without its rig (`ideal`), whether it would
work (`stability`), and how it advances (`start`, `advance`).
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Method, Part, constant, count
from dovetail.core.errors import AnalysisError, Fault, ParameterError, TestFileError
from dovetail.core.random import has_random, seeded
from dovetail.mechanics import Substructure
from dovetail.testing import paths, recorder
from dovetail.testing.acceptance import Accept
from dovetail.testing.excitation import Excitation, Rest
from dovetail.testing.limit_monitor import MODES, Limits
from dovetail.testing.tick_grid import length_faults

if TYPE_CHECKING:
    from dovetail.testing.assessment import Stability
    from dovetail.testing.coupled import Coupled
    from dovetail.testing.run import Progress, Run

NOT_A_TEST = "is a simulation without a rig"
STILL = 'make the run shorter, or it longer (of a ground record one may say after = "still")'


class Runnable(Part):
    """Something that is driven, watched and recorded at a rate for a while.

    It is a pytree: `eqx.tree_at` gives a variant.

    Attributes
    ----------
    excitation
        What drives it.
    limits
        What may not be exceeded.
    accept
        What its report holds it against, to say whether it can be believed; it changes nothing of the run.
    method, substeps
        How it is integrated, and in how many steps from one record to the next.
    rate, duration
        Ticks per second [Hz]; length [s].
    record_every
        Ticks from one record to the next; all are computed and watched (`dovetail.testing.recorder`).
    seed
        Every random number of the run follows from it.
    axes
        Names of its axes where there are several.
    title, source
        What it is, in a line; where its numbers come from.
    """

    USUAL: ClassVar[str]  # the mode that is meant where none is said
    PIECES: ClassVar[tuple[int, int]]  # records of the shortest piece in which it is computed; most pieces
    numerical: ClassVar[Any]  # what is simulated
    rig: ClassVar[Any]  # what is not; None where there is nothing
    dials: ClassVar[Any] = {}  # what may be turned while it runs, by path

    _: dataclasses.KW_ONLY
    excitation: Excitation = Rest()
    limits: Limits = Limits()
    accept: Accept | None = None
    method: Method = RK4()
    rate: float = constant("Hz", "ticks per second", default=1000.0, above=0.0)
    duration: float = constant("s", "length of the test", default=10.0, above=0.0)
    substeps: int = count("integration steps in a tick", default=1, at_least=1)
    record_every: int = count("ticks from one record to the next", default=1, at_least=1)
    seed: int = count("from which every random number of the run follows", default=0)
    title: str = eqx.field(default="", static=True)
    axes: tuple[str, ...] = eqx.field(default=(), static=True)
    source: str = eqx.field(default="", static=True)

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
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
    def turning(self) -> tuple[bool, ...]:
        """For each axis of the interface, whether it is an angle, where what is simulated says so; else empty."""
        return tuple(self.numerical.turning) if isinstance(self.numerical, Substructure) else ()

    @property
    def excitation_unit(self) -> str | None:
        """What the excitation is to what is simulated, where it says so."""
        return self.numerical.excitation_unit if isinstance(self.numerical, Substructure) else None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of its vectors: () for one axis, (n,) for n."""

    # what it can do

    def modes(self) -> dict[str, str]:
        """Every mode, with the sentence that says why it cannot be run in it; empty where it can."""
        return {mode: self.why_not(mode) for mode in MODES}

    @abstractmethod
    def why_not(self, mode: str) -> str:
        """Why it cannot be run in a mode, as what is said of it; empty where it can."""

    def equations(self) -> Coupled | None:
        """All of it as one system of equations, where it is computed so; None where it is sampled."""
        return None

    def ideal(self, progress: Progress | None = None) -> Run | None:
        """What it would be without its rig; None where there is no such thing."""
        return None

    def stability(self) -> Stability:
        """Would it work? Raises `AnalysisError` where the question has no answer."""
        raise AnalysisError(f"{self.title or 'it'}: {NOT_A_TEST}; there is no loop to be stable")

    def remarks(self) -> list[str]:
        """What was understood in a way worth knowing, each with its place."""
        every = self.record_every
        return [recorder.in_words(self.tick_count, every, self.dt)] if every > 1 else []

    def end_faults(self) -> list[Fault]:
        """An excitation that ends before the run does."""
        ends = float(self.excitation.ends)
        if ends >= self.duration * (1 - 1e-12):
            return []
        text = f"it ends at {ends:g} s, before the run does at {self.duration:g} s; "
        return [Fault("excitation", text + STILL)]

    def length_faults(self, tick: str) -> list[Fault]:
        """A length that is no whole number of ticks, however they are called, or of records."""
        found = length_faults(self.duration, self.rate, tick)
        return found or recorder.faults(self.tick_count, self.record_every)

    # checked once, prepared once

    def faults(self) -> list[Fault]:
        """All that is wrong with it as a whole, beyond what each part checks for itself; looked for once."""
        return list(self._faults)

    @cached_property
    def _faults(self) -> tuple[Fault, ...]:
        # where it starts may hang on random numbers, a deck in a sea say
        drawn = seeded(self, _key(self.seed)) if has_random(self.numerical) else self
        return tuple(drawn._look())

    @abstractmethod
    def _look(self) -> list[Fault]:
        """Look for faults."""

    def checked(self) -> Self:
        """Itself, if nothing is wrong with it.

        Raises
        ------
        TestFileError
            With all faults at once.
        """
        if faults := self.faults():
            raise TestFileError(self.title or "test", faults)
        return self

    def sized(self, shape: tuple[int, ...] | None = None, seed: Any = None) -> Self:
        """With its shapes fixed and its random keys drawn: what its loop takes. Both may be given, as to a batch."""
        sampled = self.sampled_at(self.dt, self.shape if shape is None else shape)
        return seeded(sampled, _key(self.seed if seed is None else seed))

    def prepared(self) -> Self:
        """Checked and sized. Raises `TestFileError` with all faults."""
        return self.checked().sized()

    # how it advances, once prepared: pure functions, for batches too

    @abstractmethod
    def start(self) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """State before the first tick, and the first record. `state["watch"]` is what the supervisor has seen."""

    @abstractmethod
    def advance(
        self, state: dict[str, Any], first: jax.Array, number: int, ahead: bool = False
    ) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """`number` ticks from tick `first` on: the state after, and the records; not cut where a limit was met.

        With `ahead`, what depends on time alone may be computed before them.
        """

    def whole(self) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        """All of it as one pure function: the state at the end, and the records after the first."""
        return self.advance(self.start()[0], jnp.zeros((), dtype=int), self.tick_count)

    def adapted(self, state: dict[str, Any]) -> tuple[Self, dict[str, Any]] | None:
        """What it is from here on and its state, where that changes between pieces of a run; else None."""
        return None

    def with_values(self, **values: Any) -> Self:
        """A variant with other values at paths: `test.with_values(**{"rig.actuator.delay": 9e-3})`."""
        changed = self
        for path, value in values.items():
            if isinstance(paths.get(changed, path), jax.Array):
                changed = paths.spread(changed, path, value)
            elif "." in path:
                raise ParameterError(f'"{path}" is no numeric parameter; build the part anew instead')
            else:
                changed = dataclasses.replace(changed, **{path: value})
        return changed

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import test_html

        return test_html(self)


_key = jax.jit(jax.random.key)  # one program for all seeds
