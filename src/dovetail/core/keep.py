"""What leaves the compiled loop over samples, and the interface of a recorder on the host."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

import equinox as eqx

from dovetail.core.block import Time
from dovetail.core.system import Signals


class Keep(eqx.Module):
    """What leaves the compiled loop: rows of signals, and running measures of all samples."""

    def start(self, shown: Signals) -> Any:
        """Return the running measures at t = 0."""
        return ()

    @abstractmethod
    def row(self, kept: Any, t: Time, h: Time, shown: Signals) -> tuple[Any, Any]:
        """Return the running measures after the sample at t, and its row."""

    def wants(self, kept: Any, row: Any) -> Any:
        """Return whether a row is recorded; in a loop that ends by its clock."""
        return True

    def send(self, kept: Any, row: Any) -> tuple[Any, Signals]:
        """Return the running measures, and the signals that are recorded as rows; a ring sends the row elsewhere."""
        return kept, row


class Rows(Keep):
    """Keeps all signals of every sample, as rows."""

    def row(self, kept: Any, t: Time, h: Time, shown: Signals) -> tuple[Any, Any]:
        return kept, shown


class Selected(Keep):
    """Keeps some of the signals as rows, or none."""

    names: tuple[str, ...] = eqx.field(default=(), static=True)

    def row(self, kept: Any, t: Time, h: Time, shown: Signals) -> tuple[Any, Any]:
        return kept, {name: shown[name] for name in self.names}


class Recorder(Protocol):
    """Keeps the samples of a run on the host, in memory or on disk."""

    def start(self, shown: Signals) -> None:
        """Keep the sample at t = 0."""

    def add(self, rows: Signals, count: int) -> None:
        """Keep the first `count` samples of a chunk."""
