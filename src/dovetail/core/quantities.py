"""Quantities of a run: one name, one unit and one definition each.

Command line, report, comparison, studio and 3-D view print these names with `QuantityDefinition.text`, so that a
quantity has one number everywhere. The page *Quantities* of the documentation lists this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from dovetail.core.si_prefix import FRACTION, NOT_DETERMINED, value_text


@dataclass(frozen=True)
class QuantityDefinition:
    """Name, SI unit and definition of a number."""

    name: str
    unit: str  # `FRACTION`: printed in percent
    definition: str

    def text(self, value: float | str) -> str:
        """Return a value with its unit, or a text that is the value."""
        return (value or NOT_DETERMINED) if isinstance(value, str) else value_text(value, self.unit)


_ERRORS = {
    "e1": ("response error", "reference minus demand (e1): error of the numerical substructure"),
    "e2": (
        "tracking error",
        "demand minus measured displacement (e2): error of the rig, measurable in a test",
    ),
    "e": ("total error", "reference minus measured displacement (e = e1 + e2): error of the specimen motion"),
}
_NORMS = {
    "rms": ("", "rms over the common time of run and reference"),
    "peak": ("peak ", "largest magnitude"),
}

QUANTITIES: dict[str, QuantityDefinition] = {
    **{
        f"{norm}.{key}": QuantityDefinition(
            f"{prefix}{name}", FRACTION, f"{about}; {over}, divided by the rms reference displacement"
        )
        for key, (name, about) in _ERRORS.items()
        for norm, (prefix, over) in _NORMS.items()
    },
    "delay": QuantityDefinition(
        "delay of the measured displacement",
        "s",
        "delay after the demand with the best correlation; positive: late",
    ),
    "gain": QuantityDefinition(
        "amplitude ratio", "1", "measured displacement over demand after that delay; 1 for an ideal rig"
    ),
    "residual": QuantityDefinition(
        "residual",
        FRACTION,
        "rms of what delay and amplitude ratio leave (noise, friction, steps), over rms demand",
    ),
    "loop_direction": QuantityDefinition(
        "synchronisation loop",
        "",
        "loop of measured displacement over demand: late (anticlockwise, the rig adds energy), early (clockwise, the "
        "rig damps) or in phase (a line)",
    ),
    "growth_rate": QuantityDefinition(
        "growth rate of e1",
        "1/s",
        "slope of the logarithm of the envelope of e1 in the last two thirds of the run",
    ),
    "energy_added": QuantityDefinition(
        "energy added by the rig",
        "J",
        "work of the fed back force on the numerical substructure minus work of the specimen force",
    ),
    "added_energy_fraction": QuantityDefinition(
        "energy added by the rig, relative",
        FRACTION,
        "energy added by the rig over the energy exchanged at the interface",
    ),
    "critical_delay": QuantityDefinition(
        "critical delay",
        "s",
        "smallest loop delay at which the loop of the linear substructures loses stability",
    ),
    "critical_frequency": QuantityDefinition(
        "critical frequency", "Hz", "frequency of the oscillation at the critical delay"
    ),
    "rig_delay": QuantityDefinition(
        "rig delay", "s", "delay of the actuator for slow motion; less than the total delay of a lag"
    ),
    "sensor_delay": QuantityDefinition("sensor delay", "s", "delay of the force sensor for slow motion"),
    "command_hold_delay": QuantityDefinition(
        "command hold", "s", "half a tick if the command is held over the tick"
    ),
    "force_hold_delay": QuantityDefinition(
        "force hold", "s", "half a tick, because the force is held over the tick"
    ),
    "loop_delay": QuantityDefinition(
        "loop delay", "s", "sum of rig delay, sensor delay, command hold and force hold"
    ),
    "margin": QuantityDefinition(
        "delay margin",
        "s",
        "additional delay at which the test fails, by the analysis that governs; negative: excess delay",
    ),
    "loop_growth_rate": QuantityDefinition(
        "growth rate of the sampled loop", "1/s", "real part of the dominant pole of the sampled linear loop"
    ),
    "pole_frequency": QuantityDefinition(
        "frequency of the dominant pole", "Hz", "frequency of the dominant pole"
    ),
    "displacement": QuantityDefinition(
        "largest motion",
        "m",
        "largest magnitude of the demand over all ticks, also those that are not recorded",
    ),
    "measured_force": QuantityDefinition(
        "largest force", "N", "largest magnitude of the measured force over all ticks"
    ),
    "tension": QuantityDefinition("largest tension", "N", "largest tension over all ticks and elements"),
    "peak_contact_force": QuantityDefinition("peak contact force", "N", "largest normal force of a contact"),
    "contact_time": QuantityDefinition("contact time", "s", "time from touch to separation of a contact"),
    "approach": QuantityDefinition("approach speed", "m/s", "normal speed at touch"),
    "rebound": QuantityDefinition("rebound speed", "m/s", "normal speed at separation"),
    "peak_depth": QuantityDefinition("peak penetration", "m", "largest penetration of a contact"),
    "restitution": QuantityDefinition(
        "rebound over approach speed", "1", "speed at separation over speed at touch of a contact"
    ),
    "energy_residual": QuantityDefinition(
        "energy residual", "J", "largest change of energy minus work of all forces: the integration error"
    ),
    "energy_residual_fraction": QuantityDefinition(
        "energy residual, relative", FRACTION, "energy residual over the largest energy or work recorded"
    ),
    "momentum_residual": QuantityDefinition(
        "momentum residual", "N s", "largest change of momentum minus impulse of all forces"
    ),
}
