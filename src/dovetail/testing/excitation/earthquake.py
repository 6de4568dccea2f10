r"""Ground accelerations: random record with a given spectrum, recorded ground motion, scaled excitation.

The random record has the spectrum of bedrock noise filtered by a soil layer [1]_ [2]_. A high-pass filter removes the
lowest frequencies, so that the ground displacement returns to zero [3]_:

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

from dovetail.core import Parameter, choice, constant, count, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays, all_concrete, file_name
from dovetail.testing.excitation.base import Excitation
from dovetail.testing.excitation.record_file import AUTO, SEPARATORS, UNITS, read_record


@kind("ground-motion")
class GroundMotion(Excitation):
    """Excitation of unit amplitude scaled to a ground acceleration: `GroundMotion(Sweep(1.0, ...), 0.4)`."""

    excitation: Excitation
    scale: Parameter = parameter("m/s^2", "ground acceleration for an excitation of 1", default=1.0)

    @property
    def valid_until(self) -> float:
        return self.excitation.valid_until

    def value(self, t: Time) -> jax.Array:
        return self.scale * self.excitation(t)


@kind("kanai-tajimi")
class KanaiTajimi(Excitation):
    r"""Random ground acceleration with the Kanai-Tajimi spectrum and an envelope with build-up and decay.

    The record is a sum of sines with random phases. The frequency of sine i is random in the i-th part of the band,
    and its power is that of the spectrum in this part. The sum is sampled every `sample_time` with linear
    interpolation. The envelope rises with the square of time until `rise_time`, is constant until `decay_start` and
    then decays with the time constant `decay_time`; after `duration` the acceleration is zero. `rms` is the value of
    the strong part; the peak is about three times as large. The record depends on its own `seed`, not on that of the
    test: a test with other noise has the same earthquake.
    """

    references: ClassVar[dict[str, str]] = {
        "kanai1957": "ground spectrum",
        "tajimi1960": "ground spectrum",
        "clough1993": "high-pass filter of the spectrum",
    }

    rms: Parameter = parameter("m/s^2", "rms of the strong part", at_least=0.0)
    seed: int = count("seed of the record", default=1)
    duration: float = constant("s", "duration of the record", default=30.0, above=0.0)
    rise_time: float = constant("s", "end of the build-up", default=3.0, above=0.0)
    decay_start: float = constant("s", "start of the decay", default=12.0, above=0.0)
    decay_time: float = constant("s", "time constant of the decay", default=3.0, above=0.0)
    ground_omega: float = constant("rad/s", "natural frequency of the soil", default=15.6, above=0.0)
    ground_damping: float = constant("1", "damping ratio of the soil", default=0.6, above=0.0)
    low_omega: float = constant("rad/s", "natural frequency of the high-pass filter", default=1.5, above=0.0)
    low_damping: float = constant("1", "damping ratio of the high-pass filter", default=0.6, above=0.0)
    max_frequency: float = constant("Hz", "upper edge of the band", default=25.0, above=0.0)
    sample_time: float = constant("s", "sample time", default=0.005, above=0.0)
    sine_count: int = count("number of sines", default=256, at_least=8)

    def __check_init__(self) -> None:
        if self.rise_time > self.decay_start:
            raise ParameterError(
                f"KanaiTajimi.decay_start: got {self.decay_start:g} s; give at least rise_time, "
                f"{self.rise_time:g} s"
            )
        if self.max_frequency * self.sample_time > 0.25:
            raise ParameterError(
                f"KanaiTajimi.sample_time: got {self.sample_time:g} s; {self.max_frequency:g} Hz needs four samples "
                f"per cycle: give at most {0.25 / self.max_frequency:g} s"
            )

    def value(self, t: Time) -> jax.Array:
        return self.rms * _interpolate(jnp.asarray(self.samples()), jnp.asarray(t, float) / self.sample_time)

    def samples(self) -> np.ndarray:
        """Return the record at 0, dt, 2 dt, ... with dt = `sample_time`, for an rms of 1."""
        fixed = [f.name for f in dataclasses.fields(self) if f.metadata.get("static") and f.name != "shape"]
        return _samples(type(self), tuple((name, getattr(self, name)) for name in fixed))

    def spectrum(self, omega: np.ndarray) -> np.ndarray:
        """Return the power at `omega` [rad/s], relative to that of the bedrock."""
        soil, high_pass = self.ground_omega, self.low_omega
        damping = (2 * self.ground_damping * soil * omega) ** 2
        filtered = (soil**4 + damping) / ((soil**2 - omega**2) ** 2 + damping)
        low = (high_pass**2 - omega**2) ** 2 + (2 * self.low_damping * high_pass * omega) ** 2
        return np.asarray(filtered * omega**4 / low)

    def envelope(self, t: np.ndarray) -> np.ndarray:
        """Return the envelope at t [s], as a fraction of the strong part."""
        build_up = np.clip(np.asarray(t) / self.rise_time, 0.0, 1.0) ** 2
        return build_up * np.exp(-np.maximum(t - self.decay_start, 0.0) / self.decay_time)


@lru_cache(maxsize=32)
def _samples(cls: type[KanaiTajimi], fixed: tuple[tuple[str, Any], ...]) -> np.ndarray:
    """Return the record of a set of static parameters, computed once."""
    part = cls(**{"rms": 1.0, **dict(fixed)})
    t = part.sample_time * np.arange(int(part.duration / part.sample_time) + 1)
    width = 2 * np.pi * part.max_frequency / part.sine_count
    position, phase = np.random.default_rng(part.seed).random((2, part.sine_count))
    omega = (np.arange(part.sine_count) + position) * width
    power = part.spectrum((np.arange(part.sine_count) + 0.5) * width)
    sines = np.sin(omega * t[:, None] + 2 * np.pi * phase) @ np.sqrt(2 * power / power.sum())
    record = part.envelope(t) * sines
    record.setflags(write=False)  # cached and shared
    return np.asarray(record)


@kind("ground-record")
class GroundRecord(Excitation):
    """Recorded ground acceleration with linear interpolation; zero before the first sample.

    The record is read from a file (`file = "record.at2"`, or a table of times and accelerations, see `read_record`) or
    given as samples. `column` is the column of the accelerations, as a number counted from 1 or a heading;
    `sample_time` is needed if the file has no times; `start` is added to the time of the first sample. A resolved test
    contains the samples and does not need the file. A test longer than the record is an error, unless `after_end` is
    "zero".
    """

    file: str = file_name(default="")
    samples: Parameter = parameter("m/s^2", "accelerations from `start` on, one per sample time", default=())
    sample_time: Parameter = parameter("s", "sample time", default=0.0, at_least=0.0)
    start: Parameter = parameter("s", "time of the first sample", default=0.0)
    scale: Parameter = parameter("1", "factor on the record", default=1.0)
    after_end: str = choice(
        "error", "zero", about="acceleration after the end of the record", default="error"
    )
    column: Any = eqx.field(static=True, converter=str, default="")
    unit: str = choice(AUTO, *UNITS, about="unit of the accelerations in the file", default=AUTO)
    separator: str = choice(AUTO, *SEPARATORS, about="column separator in the file", default=AUTO)

    def __post_init__(self) -> None:
        if isinstance(self.samples, tuple | list) and not len(self.samples):
            if not self.file:
                return
            first_time, self.sample_time, self.samples = read_record(
                self.file, self.column, self.unit, self.separator, self.sample_time
            )
            self.start = self.start + first_time

    def __check_init__(self) -> None:
        samples, sample_time = self.samples, self.sample_time
        file_options = {"column": self.column or AUTO, "unit": self.unit, "separator": self.separator}
        set_options = [name for name, value in file_options.items() if value != AUTO and not self.file]
        if set_options:
            raise ParameterError(
                f"GroundRecord.{set_options[0]}: applies to a file only; give a file, or samples in m/s^2"
            )
        if not all_arrays(samples, sample_time):
            return
        if samples.ndim != 1 or samples.shape[0] < 2:
            raise ParameterError("GroundRecord: has no samples; give a file, or at least two samples")
        if all_concrete(sample_time) and float(sample_time) <= 0:
            raise ParameterError("GroundRecord.sample_time: got 0 s; give the time between samples")

    @property
    def valid_until(self) -> float:
        return (
            math.inf
            if self.after_end == "zero"
            else float(self.start + (len(self.samples) - 1) * self.sample_time)
        )

    def value(self, t: Time) -> jax.Array:
        return self.scale * _interpolate(
            self.samples, (jnp.asarray(t, float) - self.start) / self.sample_time
        )


def _interpolate(samples: jax.Array, position: jax.Array) -> jax.Array:
    """Return the linearly interpolated value at a position in samples; zero outside."""
    last = samples.shape[0] - 1
    i = jnp.clip(jnp.floor(position).astype(int), 0, last - 1)
    value = samples[i] + (position - i) * (samples[i + 1] - samples[i])
    return jnp.where((position >= 0) & (position <= last), value, 0.0)
