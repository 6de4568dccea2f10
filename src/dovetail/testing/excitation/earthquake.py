r"""Ground accelerations: a random record with a spectrum, a recorded one, any signal scaled to one.

The random record has the spectrum of bedrock noise seen through a layer of soil [1]_ [2]_, with the part
below its own corner taken away, so that the ground comes back to where it was [3]_:

.. math:: S(\omega) = S_0\,
   \frac{\omega_g^4 + 4\zeta_g^2\omega_g^2\omega^2}{(\omega_g^2-\omega^2)^2 + 4\zeta_g^2\omega_g^2\omega^2}\,
   \frac{\omega^4}{(\omega_f^2-\omega^2)^2 + 4\zeta_f^2\omega_f^2\omega^2}

References
----------
.. [1] Kanai, Bull. Earthquake Research Institute, University of Tokyo 35, 309-325, 1957.
.. [2] Tajimi, Proc. Second World Conf. Earthquake Eng., Tokyo, 781-797, 1960.
.. [3] Clough and Penzien, Dynamics of Structures, McGraw-Hill, 2nd ed. 1993, section 27-2.
"""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import choice, constant, count, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import arrived, file_name, known
from dovetail.testing.excitation.base import Excitation
from dovetail.testing.excitation.record_file import FOUND, SEPARATORS, UNITS, read_record


@kind("ground-motion")
class GroundMotion(Excitation):
    """Any excitation of unit size as an acceleration of the ground: `GroundMotion(Sweep(1.0, ...), 0.4)`."""

    of: Excitation
    scale: jax.Array = parameter("m/s^2", "acceleration for a value of one", default=1.0)

    @property
    def ends(self) -> float:
        return self.of.ends

    def value(self, t: Time) -> jax.Array:
        return self.scale * self.of(t)


@kind("kanai-tajimi")
class KanaiTajimi(Excitation):
    r"""Random ground acceleration with the Kanai-Tajimi spectrum and the build-up and decay of a record.

    A sum of sines of random phase, line i at random in the i-th part of the band, each of the power that the
    spectrum has in its part, sampled every `spacing` and straight in between, as records are. The envelope
    rises with the square of time until `rise`, stays until `decay` and then dies with the time constant
    `fade`; after `length` there is nothing. `rms` is that of the strong part; its peak is about three times
    as large. A record belongs to its `seed`, not to that of the test: repeating a test with other noise
    repeats the earthquake.
    """

    references: ClassVar[dict[str, str]] = {
        "kanai1957": "the spectrum of the ground",
        "tajimi1960": "the spectrum of the ground",
        "clough1993": "the filter that takes away its lowest part",
    }

    rms: jax.Array = parameter("m/s^2", "rms of the strong part", at_least=0.0)
    seed: int = count("of the record", default=1)
    length: float = constant("s", "after which the ground is still", default=30.0, above=0.0)
    rise: float = constant("s", "until which it builds up", default=3.0, above=0.0)
    decay: float = constant("s", "from which on it dies away", default=12.0, above=0.0)
    fade: float = constant("s", "time constant of the decay", default=3.0, above=0.0)
    ground_omega: float = constant("rad/s", "of the soil", default=15.6, above=0.0)
    ground_damping: float = constant("1", "damping ratio of the soil", default=0.6, above=0.0)
    low_omega: float = constant("rad/s", "below which power is taken away", default=1.5, above=0.0)
    low_damping: float = constant("1", "damping ratio of that filter", default=0.6, above=0.0)
    highest: float = constant("Hz", "upper edge of the band", default=25.0, above=0.0)
    spacing: float = constant("s", "time from one sample to the next", default=0.005, above=0.0)
    lines: int = count("number of sines", default=256, at_least=8)

    def __check_init__(self):
        if self.rise > self.decay:
            raise ParameterError(
                f"KanaiTajimi.decay: got {self.decay:g} s; must not be before the rise ends "
                f"at {self.rise:g} s"
            )
        if self.highest * self.spacing > 0.25:
            raise ParameterError(
                f"KanaiTajimi.spacing: got {self.spacing:g} s; {self.highest:g} Hz need four samples a "
                f"cycle, at most {0.25 / self.highest:g} s"
            )

    def value(self, t: Time) -> jax.Array:
        return self.rms * _between(jnp.asarray(self.samples()), jnp.asarray(t, float) / self.spacing)

    def samples(self) -> np.ndarray:
        """The record at 0, spacing, 2 spacing ..., for an rms of one."""
        fixed = [f.name for f in dataclasses.fields(self) if f.metadata.get("static") and f.name != "shape"]
        return _samples(type(self), tuple((name, getattr(self, name)) for name in fixed))

    def spectrum(self, omega: np.ndarray) -> np.ndarray:
        """Power at `omega` [rad/s], relative to that of the bedrock."""
        soil, cut = self.ground_omega, self.low_omega
        spread = (2 * self.ground_damping * soil * omega) ** 2
        filtered = (soil**4 + spread) / ((soil**2 - omega**2) ** 2 + spread)
        return filtered * omega**4 / ((cut**2 - omega**2) ** 2 + (2 * self.low_damping * cut * omega) ** 2)

    def envelope(self, t: np.ndarray) -> np.ndarray:
        """Share of the strong part's size at t [s]."""
        building = np.clip(np.asarray(t) / self.rise, 0.0, 1.0) ** 2
        return building * np.exp(-np.maximum(t - self.decay, 0.0) / self.fade)


@lru_cache(maxsize=32)
def _samples(cls: type[KanaiTajimi], fixed: tuple[tuple[str, Any], ...]) -> np.ndarray:
    """The record of a set of compiled-in parameters, made once."""
    part = cls(**{"rms": 1.0, **dict(fixed)})
    t = part.spacing * np.arange(int(part.length / part.spacing) + 1)
    width = 2 * np.pi * part.highest / part.lines
    place, turn = np.random.default_rng(part.seed).random((2, part.lines))
    omega = (np.arange(part.lines) + place) * width
    power = part.spectrum((np.arange(part.lines) + 0.5) * width)
    waves = np.sin(omega * t[:, None] + 2 * np.pi * turn) @ np.sqrt(2 * power / power.sum())
    record = part.envelope(t) * waves
    record.setflags(write=False)  # cached and shared
    return record


@kind("ground-record")
class GroundRecord(Excitation):
    """A recorded ground acceleration, straight between its samples; before the first the ground is still.

    From a file (`file = "record.at2"`, or a table of times and accelerations, see `read_record`), or from samples
    given outright. Of a file, `column` names the accelerations by number, counted from 1, or by heading; `spacing` is
    given where it has no times, and `start` is added to the time of its first sample. A resolved test holds the
    samples, so that it needs the file no more. A test that lasts longer than the record is refused, unless `after`
    says that the ground is still then.
    """

    file: str = file_name(default="")
    samples: jax.Array = parameter("m/s^2", "acceleration at start, start + spacing ...", default=())
    spacing: jax.Array = parameter("s", "time from one sample to the next", default=0.0, at_least=0.0)
    start: jax.Array = parameter("s", "time of the first sample", default=0.0)
    scale: jax.Array = parameter("1", "factor on the record", default=1.0)
    after: str = choice(
        "refused", "still", about="a test that lasts longer than the record", default="refused"
    )
    column: Any = eqx.field(static=True, converter=str, default="")
    unit: str = choice(FOUND, *UNITS, about="of the accelerations in the file", default=FOUND)
    separator: str = choice(FOUND, *SEPARATORS, about="of the columns in the file", default=FOUND)

    def __post_init__(self):
        if isinstance(self.samples, tuple | list) and not len(self.samples):
            if not self.file:
                return
            first, self.spacing, self.samples = read_record(
                self.file, self.column, self.unit, self.separator, self.spacing
            )
            self.start = self.start + first

    def __check_init__(self):
        samples, spacing = self.samples, self.spacing
        said = {"column": self.column or FOUND, "unit": self.unit, "separator": self.separator}
        alone = [name for name, value in said.items() if value != FOUND and not self.file]
        if alone:
            raise ParameterError(
                f"GroundRecord.{alone[0]}: is of a file, and none is named; samples are given in m/s^2"
            )
        if not arrived(samples, spacing):
            return
        if samples.ndim != 1 or samples.shape[0] < 2:
            raise ParameterError("GroundRecord: has no samples; name a file, or give two samples or more")
        if known(spacing) and float(spacing) <= 0:
            raise ParameterError("GroundRecord.spacing: got 0 s; give the time between samples")

    @property
    def ends(self) -> float:
        return (
            math.inf if self.after == "still" else float(self.start + (len(self.samples) - 1) * self.spacing)
        )

    def value(self, t: Time) -> jax.Array:
        return self.scale * _between(self.samples, (jnp.asarray(t, float) - self.start) / self.spacing)


def _between(samples: jax.Array, place: jax.Array) -> jax.Array:
    """Value at a place counted in samples, on the straight line between two; zero outside."""
    last = samples.shape[0] - 1
    i = jnp.clip(jnp.floor(place).astype(int), 0, last - 1)
    value = samples[i] + (place - i) * (samples[i + 1] - samples[i])
    return jnp.where((place >= 0) & (place <= last), value, 0.0)
