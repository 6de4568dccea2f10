"""One point of the operating envelope, as a model for campaigns."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from dovetail.campaign import returns
from dovetail.sea.operating_envelope import SecuringEnvelope
from dovetail.sea.response import BoxShip


@returns(
    outcome="1",
    securing_load="N",
    overloaded="1",
    foot_load="N",
    slip="m",
    lift="m",
    tilt="rad",
    load_angle="rad",
)
def envelope_point(
    sea_state: Any = 5.0,
    heading: Any = 90.0,
    wind_speed: Any = 10.0,
    wind_from: Any = 0.0,
    strength: float = 250.0,
    duration: float = 60.0,
    roll_period: Any = 10.0,
    roll_damping: Any = 0.08,
) -> dict[str, Any]:
    """Simulate the aircraft on deck: outcome unsecured, device load secured; `heading` and `wind_from` in degrees.

    The ship is that of the operating envelope of the study: 120 m x 11 m x 4.5 m at 6 m/s.
    """
    ship = BoxShip(length=120.0, beam=11.0, draught=4.5, roll_period=roll_period, roll_damping=roll_damping)
    envelope = SecuringEnvelope(response=ship, strength=strength, duration=float(duration))
    measures = envelope.point(sea_state, jnp.radians(heading), wind_speed, jnp.radians(wind_from))
    return {name: jnp.asarray(value, float) for name, value in measures.items()}
