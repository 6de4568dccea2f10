"""What is felt of a test: traces, how it ended, and how stable it is; plain data that a page can send on."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

from dovetail.core.decimate import decimate

POINTS = 700  # of a trace: a stretch of a page a good thousand pixels wide


@dataclass(frozen=True)
class Trace:
    """A signal over time, with no more points than can be seen."""

    label: str
    unit: str
    t: np.ndarray  # [s]
    y: np.ndarray

    @classmethod
    def of(cls, label: str, unit: str, t: np.ndarray, y: np.ndarray) -> Trace:
        """Least and greatest of every stretch; of several axes the one that moves most."""
        y = np.asarray(y, dtype=float).reshape(len(y), -1)
        most = int(np.argmax(np.nanmax(np.abs(np.where(np.isfinite(y), y, np.nan)), axis=0, initial=0.0)))
        times, values = decimate(t, y[:, most], POINTS)
        return cls(label, unit, times.astype(np.float32), values.astype(np.float32))


@dataclass(frozen=True)
class Answer:
    """What a test does with some values."""

    number: int  # of the question
    values: dict[str, float]  # in the declared units
    traces: dict[str, Trace] = field(default_factory=dict)  # response, ideal, error, command, achieved
    outcome: str = ""  # the sentence
    completed: bool = True
    ended: float = 0.0  # [s]
    stable: bool | None = None  # None where that is not known
    words: str = ""  # of the outlook, as the command line prints it
    critical_delay: float = math.nan  # [s]
    margin: float = math.nan  # [s]
    delay: float = math.nan  # [s] all that the loop has
    growth: float = math.nan  # [1/s]
    frequency: float = math.nan  # [Hz] of the dominant root
    roots: tuple[tuple[float, float], ...] = ()  # real part [1/s], frequency [Hz]; rightmost first
    error: float = math.nan  # rms of response minus ideal, a share of the rms of the ideal
    tracking: float = math.nan  # rms of demand minus what the rig achieved, likewise of the demand
    behind: bool = False  # the ideal shown is that of earlier values; the right one is being computed
    seconds: float = 0.0  # that the answer took
    shown: float = 0.0  # [s] of the test that are computed
    duration: float = 0.0  # [s] of the test
    said: tuple[str, ...] = ()
    fault: str = ""  # why there is no answer, in the words of the command line

    def with_ideal(self, ideal: Trace | None, error: Trace | None, share: float) -> Answer:
        """The answer with its ideal, which may come later than the rest."""
        more = {name: trace for name, trace in (("ideal", ideal), ("error", error)) if trace is not None}
        return dataclasses.replace(self, traces={**self.traces, **more}, error=share, behind=False)
