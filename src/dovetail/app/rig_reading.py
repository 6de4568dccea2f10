"""Reading of a rig or a robot cell before a run: link, position, start of the test and limits. Nothing moves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.app.actions import Action
from dovetail.core.errors import LinkError
from dovetail.core.si_prefix import value_text
from dovetail.links.address import read_key
from dovetail.links.link_check import check
from dovetail.links.remote_cell import RemoteCell
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.limits import rotary_axes
from dovetail.testing.modes import mode_named
from dovetail.testing.pseudodynamic.pose_conversion import PoseConversion

EXCHANGE_TIME, MIN_EXCHANGES = 0.3, 10  # [s], number of exchanges with a rig at rest
MAX_LOSS = 0.01  # fraction of exchanges without an answer in time, of a link that is fast enough
RESOLUTION = 1e-9  # [m], [rad] below which a position is zero
LIMITS = {"displacement": "m", "velocity": "m/s", "force": "N"}  # limits of a test in view, with their unit


@dataclasses.dataclass(frozen=True)
class RigReading:
    """What a rig or a cell answers at rest, beside what the test asks of it; all as text."""

    name: str
    link: str
    position: str  # measured
    start: str  # of the test
    approach: str  # motion from position to start
    limits: tuple[tuple[str, str, str], ...]  # quantity, limit of the test, limit of the rig
    is_slow: bool = False  # whether the link is too slow for the rate of the test


def read_rig(action: Action) -> RigReading:
    """Return the reading of the rig or the cell at the address of an action.

    Raises
    ------
    LinkError
        If it does not answer, refuses the test, or is in its safe state.
    """
    assert action.document is not None
    assert action.address is not None
    test: Any = action.document.test
    key = read_key(Path(action.key) if action.key else None)
    read = _read_cell if action.name == "pseudodynamic" else _read_rig
    return read(test, mode_named(action.name)().prepare(test), action.address, key)


def _read_rig(test: Any, prepared: Any, address: str, key: bytes | None) -> RigReading:
    start = _start(prepared)
    count = max(round(EXCHANGE_TIME * test.rate), MIN_EXCHANGES)
    report = check(address, rate=test.rate, axes=start.size, count=count, key=key)
    if not len(report.round_trips):
        raise LinkError(f"{address}: none of {count} messages had an answer in time; check the network")
    in_time = len(report.round_trips)
    link = f"answers in {1e6 * report.median:.0f} µs; {in_time} of {count} in time at {test.rate:g} Hz"
    is_slow = report.loss > MAX_LOSS
    distance = np.abs(start - report.position).max()
    approach = _motion(float(distance), float(test.limits.approach_time))
    return RigReading(
        report.name,
        link,
        _pose(test, report.position),
        _pose(test, start),
        approach,
        _limits(test, dict(report.limits)),
        is_slow,
    )


def _read_cell(test: Any, prepared: Any, address: str, key: bytes | None) -> RigReading:
    settings, start = prepared.pseudodynamic, _start(prepared)
    with RemoteCell(address, start.size, key) as cell:
        reply = cell.read()
    if not reply.ok:
        raise LinkError(f"{address}: {cell.name} has stopped ({reply.trip.name.lower().replace('_', ' ')})")
    home = settings.home_pose
    target = np.ravel(settings.command(start))
    pose = target if home is None else PoseConversion(np.array(home)).from_start(target)
    distance = float(np.linalg.norm((np.ravel(reply.position) - np.ravel(pose))[:3]))
    seconds = max(settings.times[0], distance / float(settings.max_speed))
    approach = _motion(distance, seconds)
    position, begin = (_pose(test, np.ravel(values)) for values in (reply.position, pose))
    return RigReading(cell.name, "answers; no motion", position, begin, approach, _limits(test, {}))


def _motion(distance: float, seconds: float) -> str:
    """Return a motion of a distance [m] as text."""
    return f"{value_text(distance, 'm')} in {seconds:.3g} s" if distance > RESOLUTION else "none"


def _start(prepared: Any) -> np.ndarray:
    """Return the first demand of a prepared test, by axis."""
    driven, shape = Driven(prepared.numerical, prepared.excitation), prepared.shape
    return np.ravel(driven.output(0.0, driven.init(), np.zeros(shape))["displacement"])


def _pose(test: Any, values: Sequence[float] | np.ndarray) -> str:
    """Return positions with their unit and axis."""
    rotary, names = rotary_axes(test), test.axes
    if len(values) == 6 and not any(rotary):
        rotary = (False,) * 3 + (True,) * 3
    texts = []
    for i, value in enumerate(values):
        value = 0.0 if abs(value) < RESOLUTION else float(value)
        text = value_text(value, "rad" if i < len(rotary) and rotary[i] else "m")
        texts.append(f"{names[i]} {text}" if i < len(names) else text)
    return ", ".join(texts)


def _limits(test: Any, rig: dict[str, Any]) -> tuple[tuple[str, str, str], ...]:
    def text(value: Any, unit: str) -> str:
        return (
            "none"
            if value is None or not np.isfinite(value).any()
            else value_text(float(np.min(value)), unit)
        )

    return tuple(
        (name, text(getattr(test.limits, name), unit), text(rig.get(name), unit))
        for name, unit in LIMITS.items()
    )
