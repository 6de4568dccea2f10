"""Check of a link: round trip, jitter, loss and supported rate. The rig does not move."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.connection import connect
from dovetail.links.handshake import Bounds, Hello
from dovetail.links.native import NativeTick, available
from dovetail.links.rig_protocol import RigState
from dovetail.links.tick import NOTES, PythonTick, TickSettings

MAX_TICK_FRACTION = 0.7  # fraction of a tick that is available for the answer; the remainder is for the loop
MAX_RATE = 20_000.0  # [Hz] largest reported rate


@dataclasses.dataclass(frozen=True)
class LinkReport:
    """Result of a number of exchanges with a rig at rest."""

    name: str
    rate: float  # [Hz] rate of the exchanges
    round_trips: np.ndarray  # [s] of exchanges that were answered in time
    lateness: np.ndarray  # [s] of all exchanges: wake-up delay of this machine
    exchange_count: int
    native: bool
    limits: Bounds
    position: np.ndarray = dataclasses.field(default_factory=lambda: np.zeros(0))  # [m], [rad] of each axis

    @property
    def loss(self) -> float:
        """Fraction of exchanges that were not answered in time."""
        return 1 - len(self.round_trips) / self.exchange_count

    @property
    def median(self) -> float:
        """Median round trip [s]."""
        return float(np.median(self.round_trips))

    @property
    def jitter(self) -> float:
        """99.9 % round trip minus the median [s]."""
        return float(np.quantile(self.round_trips, 0.999)) - self.median

    @property
    def max_rate(self) -> float:
        """Largest rate [Hz] with 99.9 % of the round trips within 70 % of a tick; zero without answers."""
        if not len(self.round_trips):
            return 0.0
        worst = float(np.quantile(self.round_trips, 0.999) + np.quantile(self.lateness, 0.999))
        return min(MAX_TICK_FRACTION / worst, MAX_RATE)

    @property
    def supported_rate(self) -> float:
        """Largest rate [Hz], rounded down to 1, 2 or 5 times a power of ten."""
        rate = self.max_rate
        decade = 10.0 ** math.floor(math.log10(rate))
        return max(step * decade for step in (1, 2, 5) if step * decade <= rate)

    def __str__(self) -> str:
        if not len(self.round_trips):
            return f"{self.name}: none of {self.exchange_count} exchanges at {self.rate:g} Hz was answered in time"
        trips = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}
        lines = [
            f"{self.name}: {self.exchange_count} exchanges at {self.rate:g} Hz, "
            f"{'native' if self.native else 'Python'} tick; the rig did not move",
            "round trip      " + _row(self.round_trips, trips),
            "lateness here   " + _row(self.lateness, trips),
            f"jitter          {1e6 * self.jitter:.0f} us (99.9 % minus the median)",
            f"loss            {100 * self.loss:.2g} %",
            f"supports        {self.supported_rate:g} Hz: 99.9 % of the answers within 70 % of a tick",
        ]
        limits = ", ".join(
            f"{name} {' '.join(f'{v:g}' for v in np.ravel(value))}" for name, value in self.limits.items()
        )
        return "\n".join([*lines, f"rig limits      {limits or 'none'}"])


def _row(values: np.ndarray, quantiles: dict[str, float]) -> str:
    return ", ".join(f"{word} {1e6 * np.quantile(values, q):.0f} us" for word, q in quantiles.items())


def check(
    url: str,
    *,
    rate: float = 1000.0,
    axes: int = 1,
    count: int = 2000,
    key: bytes | None = None,
    native: bool | None = None,
) -> LinkReport:
    """Exchange `count` datagrams with a rig at rest, at a `rate` [Hz]."""
    hello = Hello(axes=axes, rate=rate, link_timeout=max(count, 1))
    with connect(Address.parse(url), hello, key) as connection:
        welcome = connection.welcome
        settings = TickSettings(welcome.session, axes, welcome.count, round(1e9 / rate), count + 1, key=key)
        kind = PythonTick if native is False or available() else NativeTick
        tick = kind(settings, connection.datagrams)
        zero = np.zeros(axes)
        readings, notes = map(
            np.array, zip(*(tick.step(RigState.READY, zero) for _ in range(count)), strict=True)
        )
        if tick.rig_state == RigState.SAFE:
            raise LinkError(f"{url}: the rig is in its safe state; check the rig and repeat")
    columns = dict(zip(NOTES, notes.T, strict=True))
    answered = columns["measurement_age"] == 0
    names = [name for name, size in welcome.signals for _ in range(size)]
    return LinkReport(
        welcome.name,
        rate,
        columns["exchange_time"][answered],
        np.maximum(columns["tick_lateness"], 0.0),
        count,
        kind is NativeTick,
        welcome.limits,
        readings[-1][np.array(names) == "measured_displacement"],
    )
