"""Result of an exploration: signals, outcome and stability, as plain data for a page."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from dovetail.core.decimate import decimate
from dovetail.core.quantities import QUANTITIES
from dovetail.fidelity.impacts import ContactEnergy

POINTS = 700  # points per trace: enough for a plot 1000 pixels wide


@dataclass(frozen=True)
class Trace:
    """Signal over time, decimated for display."""

    label: str
    unit: str
    t: np.ndarray  # [s]
    y: np.ndarray

    @classmethod
    def from_signal(cls, label: str, unit: str, t: np.ndarray, y: np.ndarray) -> Trace:
        """Decimate a signal to minimum and maximum per interval; of several axes, take the one that moves most."""
        y = np.asarray(y, dtype=float).reshape(len(y), -1)
        axis = int(np.argmax(np.nanmax(np.abs(np.where(np.isfinite(y), y, np.nan)), axis=0, initial=0.0)))
        times, values = decimate(t, y[:, axis], POINTS)
        return cls(label, unit, times.astype(np.float32), values.astype(np.float32))


@dataclass(frozen=True)
class ExploreResult:
    """Result of a test for a set of values."""

    number: int  # request number
    values: dict[str, float]  # in the declared units
    traces: dict[str, Trace] = field(default_factory=dict)  # response, reference, error, command, achieved
    outcome: str = ""  # sentence of the outcome
    completed: bool = True
    end_time: float = 0.0  # [s]
    stable: bool | None = None  # None if not determined
    word: str = ""  # verdict of the assessment in one to four words
    validity: str = ""  # what that verdict is valid for
    stability_text: str = ""  # stability assessment, as printed by the command line
    critical_delay: float = math.nan  # [s]
    margin: float = math.nan  # [s]
    delay: float = math.nan  # [s] total loop delay
    growth: float = math.nan  # [1/s]
    frequency: float = math.nan  # [Hz] of the dominant pole
    poles: tuple[tuple[float, float], ...] = ()  # poles: real part [1/s], frequency [Hz]; dominant pole first
    error: float = math.nan  # response error of the computed time, as in `fidelity.compare`
    error_tone: str = ""  # colour of the error by the acceptance criteria; none for a part of the test
    tracking: float = math.nan  # tracking error, likewise
    contacts: ContactEnergy | None = None  # whether the contacts gain energy; None without contacts
    reference_pending: bool = False  # the reference solution is that of earlier values
    seconds: float = 0.0  # [s] computing time
    computed_time: float = 0.0  # [s] computed part of the test
    duration: float = 0.0  # [s] of the test
    remarks: tuple[str, ...] = ()
    fault: str = ""  # error message if there is no result

    @property
    def is_partial(self) -> bool:
        """True if only the first part of the test was computed."""
        return self.completed and self.computed_time < self.duration * (1 - 1e-9)

    def texts(self) -> dict[str, str]:
        """Return the quantities as text by name; errors of a part of the test state which part."""
        values = {
            "critical_delay": self.critical_delay,
            "loop_delay": self.delay,
            "margin": self.margin,
            "loop_growth_rate": self.growth,
            "rms.e1": self.error,
            "rms.e2": self.tracking,
        }
        texts = {QUANTITIES[name].name: QUANTITIES[name].text(value) for name, value in values.items()}
        if self.is_partial:
            for name in ("rms.e1", "rms.e2"):
                texts[QUANTITIES[name].name] += (
                    f" in the first {self.computed_time:.3g} of {self.duration:.3g} s"
                )
        return texts
