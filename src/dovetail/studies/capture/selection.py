"""Choosing a rope: strong enough, then deep enough to clear the wake and quick enough to settle, then light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dovetail.air.settling import Settling


def strong_enough(ropes: Mapping[str, Mapping[str, Any]], load: float, factor: float) -> list[str]:
    """Names of the ropes whose breaking strength is `factor` times a load [N] or more.

    Source: [Mastrogiuseppe 2023, sec. 4.2.2]: four times the steady tension.
    """
    return [name for name, entry in ropes.items() if entry["strength"] >= factor * load]


def choose(
    candidates: Mapping[tuple[str, float], Settling],
    ropes: Mapping[str, Mapping[str, Any]],
    *,
    load: float = 125e3,
    factor: float = 4.0,
    depth: float = 50.0,
    margin: float = 10.0,
    window: float = 180.0,
) -> list[tuple[str, float, str]]:
    """Each candidate (rope, length [m]) with a verdict; what passes comes first, lightest first.

    A rope must bear `factor` times `load` [N], settle `margin` [m] below the wake's `depth` [m] and do so within a
    third of the capture `window` [s], which leaves time for two more attempts.
    """
    strong = set(strong_enough(ropes, load, factor))
    passed, failed = [], []
    for (name, length), found in candidates.items():
        reasons = []
        if name not in strong:
            reasons.append(
                f"breaks at {ropes[name]['strength'] / 1e3:.0f} kN, below {factor * load / 1e3:.0f} kN"
            )
        if found.final < depth + margin:
            reasons.append(f"settles at {found.final:.1f} m, above {depth + margin:.0f} m")
        if found.settling_time > window / 3:
            reasons.append(f"settles in {found.settling_time:.0f} s, later than {window / 3:.0f} s")
        mass = ropes[name]["mass_per_length"] * length
        (failed if reasons else passed).append(
            (mass, name, length, "; ".join(reasons) or f"passes, {mass:.0f} kg")
        )
    return [(name, length, text) for _, name, length, text in sorted(passed) + failed]
