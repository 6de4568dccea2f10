"""Check a link: round trip, jitter and loss, and what loop rate it supports. Nothing moves."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from dovetail.core.errors import LinkError
from dovetail.links.address import Address
from dovetail.links.connection import connect
from dovetail.links.handshake import Bounds, Hello
from dovetail.links.native import NativeTick, available
from dovetail.links.rig_protocol import State
from dovetail.links.tick import NOTES, PythonTick, Settings

SHARE = 0.7  # of a tick that an answer may take; the rest is for the loop's own work
HIGHEST = 20_000.0  # [Hz] nothing faster is promised


@dataclasses.dataclass(frozen=True)
class LinkReport:
    """What a number of exchanges with a rig at rest showed."""

    name: str
    rate: float  # [Hz] of the exchanges
    round_trips: np.ndarray  # [s] of those that were answered in time
    lateness: np.ndarray  # [s] of all: how late this machine woke up
    asked: int
    native: bool
    limits: Bounds

    @property
    def loss(self) -> float:
        """Share of exchanges that were not answered in time."""
        return 1 - len(self.round_trips) / self.asked

    @property
    def median(self) -> float:
        """Median round trip [s]."""
        return float(np.median(self.round_trips))

    @property
    def jitter(self) -> float:
        """99.9 % round trip less the median [s]."""
        return float(np.quantile(self.round_trips, 0.999)) - self.median

    @property
    def fastest(self) -> float:
        """Fastest loop [Hz] in 70 % of whose tick 99.9 % of the round trips fit; zero where nothing was answered."""
        if not len(self.round_trips):
            return 0.0
        worst = float(np.quantile(self.round_trips, 0.999) + np.quantile(self.lateness, 0.999))
        return min(SHARE / worst, HIGHEST)

    @property
    def supported_rate(self) -> float:
        """The same, in steps of 1, 2 and 5."""
        rate = self.fastest
        decade = 10.0 ** math.floor(math.log10(rate))
        return max(step * decade for step in (1, 2, 5) if step * decade <= rate)

    def __str__(self) -> str:
        if not len(self.round_trips):
            return f"{self.name}: none of {self.asked} exchanges at {self.rate:g} Hz was answered in time"
        trips = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "worst": 1.0}
        lines = [
            f"{self.name}: {self.asked} exchanges at {self.rate:g} Hz, "
            f"{'native' if self.native else 'Python'} tick; nothing moved",
            "round trip      " + _row(self.round_trips, trips),
            "lateness here   " + _row(self.lateness, trips),
            f"jitter          {1e6 * self.jitter:.0f} us (99.9 % less the median)",
            f"loss            {100 * self.loss:.2g} %",
            f"supports        {self.supported_rate:g} Hz: 99.9 % of the answers within 70 % of a tick",
        ]
        limits = ", ".join(
            f"{name} {' '.join(f'{v:g}' for v in np.ravel(value))}" for name, value in self.limits.items()
        )
        return "\n".join([*lines, f"rig's limits    {limits or 'none said'}"])


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
    """Exchange `count` datagrams with a rig that stays at rest, at the pace of a loop of `rate` [Hz]."""
    hello = Hello(axes=axes, rate=rate, silence=max(count, 1))
    with connect(Address.parse(url), hello, key) as connection:
        welcome = connection.welcome
        settings = Settings(welcome.session, axes, welcome.count, round(1e9 / rate), count + 1, key=key)
        kind = PythonTick if native is False or available() else NativeTick
        tick = kind(settings, connection.datagrams)
        rest = np.zeros(axes)
        notes = np.array([tick.step(State.READY, rest)[1] for _ in range(count)])
        if tick.rig_state == State.SAFE:
            raise LinkError(f"{url}: the rig is in its safe state; see to it and try again")
    shown = dict(zip(NOTES, notes.T, strict=True))
    answered = shown["reading_age"] == 0
    return LinkReport(
        welcome.name,
        rate,
        shown["exchange_time"][answered],
        np.maximum(shown["tick_lateness"], 0.0),
        count,
        kind is NativeTick,
        welcome.limits,
    )
