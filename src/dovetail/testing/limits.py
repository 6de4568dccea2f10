"""Limits of a test, and the signals that are compared with them."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import jax.numpy as jnp
import numpy as np

from dovetail.core import OptionalParameter, Parameter, Part, choice, count, parameter
from dovetail.core.errors import Fault
from dovetail.testing.outcome import Outcome

if TYPE_CHECKING:
    from dovetail.testing.modes import Mode
    from dovetail.testing.test import Test

T = TypeVar("T", bound="Test")
ROTARY_AXES = ("roll", "pitch", "yaw")  # their force is a torque
ROTARY_UNITS = {"m": "rad", "m/s": "rad/s", "m/s^2": "rad/s^2", "N": "N m"}
MIN_DEMAND_CHANGE = 1e-3  # as a fraction of the peak; beyond it an unchanged reading counts as frozen
# default of `frozen_sensor`: multiple of the rig delay, lower bound [s], moves of a pseudo-dynamic test
DELAY_FACTOR, MIN_FROZEN_TIME, FROZEN_MOVES = 5.0, 0.1, 10


class Limits(Part):
    r"""Limits of a test; infinite by default.

    The growth rate is computed from two running means of :math:`|z|^2` with time constants :math:`T` and
    :math:`4T`: for an envelope :math:`e^{\sigma t}` they settle at the ratio
    :math:`R = (1 + 8\sigma T)/(1 + 2\sigma T)`, hence :math:`\sigma = (R - 1)/(2T(4 - R))`. The rate is
    monitored once four of the longer time constants have passed, so that a start from rest does not trip.

    The energy transferred from the interface to the simulation, :math:`\int F^T v\,dt`, is never positive for a
    passive specimen that starts unstrained. Energy added by rig delay shows there before it shows in the motion. Set
    this limit above the energy that the specimen may store at the start.

    A contact that returns more energy than it received stops the test by default, if the specimen outputs its
    contact (see `contact_energy_gain`). Raise this limit to study such contacts.

    A sensor is frozen if its reading stays equal to the bit while the demand moves by more than a thousandth of its
    peak so far: displacement or force of an axis of a real rig, both of a simulated one. The force of friction or of
    a plastic specimen is constant between two turns of the demand: the force of a real rig counts only if the demand
    moves in both directions, and only if it is not zero. The default of `frozen_sensor` is five times the rig delay,
    but not less than 0.1 s; ten moves in a pseudo-dynamic test, where the delay has no influence.

    A limit may differ from axis to axis. The force of the axes named roll, pitch and yaw is a torque and is checked
    against `torque`. The limits for the wall clock and the link to a real rig (`link_timeout`, `unanswered_fraction`,
    `overrun`, `approach_time`, `return_time`) apply to the `realtime` mode only. After a late tick the test time is
    held by default: the rig stands still and no commands are sent to catch up.
    """

    ONE_KIND: ClassVar[bool] = True

    displacement: Parameter = parameter("m", "largest demand displacement", above=0.0, default=jnp.inf)
    velocity: Parameter = parameter("m/s", "largest demand velocity", above=0.0, default=jnp.inf)
    force: Parameter = parameter("N", "largest measured force", above=0.0, default=jnp.inf)
    tracking_error: Parameter = parameter("m", "largest demand minus measured", above=0.0, default=jnp.inf)
    growth_rate: Parameter = parameter(
        "1/s", "largest growth rate of the envelope of the demand", above=0.0, default=jnp.inf
    )
    growth_window: Parameter = parameter(
        "s", "shorter averaging time T for the growth rate", above=0.0, default=0.25
    )

    acceleration: Parameter = parameter("m/s^2", "largest demand acceleration", above=0.0, default=jnp.inf)
    power: Parameter = parameter("W", "largest interface power", above=0.0, default=jnp.inf)
    torque: Parameter = parameter(
        "N m", "largest measured torque, of the axes roll, pitch and yaw", above=0.0, default=jnp.inf
    )
    interface_energy: Parameter = parameter(
        "J", "largest energy transferred from the interface to the simulation", above=0.0, default=jnp.inf
    )
    contact_energy_gain: Parameter = parameter(
        "1",
        "largest energy returned by a contact beyond the energy received, as a fraction of the received",
        above=0.0,
        default=0.01,
        finite=False,
    )
    frozen_sensor: OptionalParameter = parameter(
        "1",
        "ticks with an unchanged reading while the demand moves; default: several times the rig delay",
        above=0.0,
        default=None,
        finite=False,
    )
    link_timeout: int = count(
        "ticks without a message from the other side of the link", default=20, at_least=1
    )
    unanswered_fraction: Parameter = parameter(
        "1", "largest fraction of commands without an answer", at_least=0.0, default=0.5, finite=False
    )
    overrun: str = choice("count", "hold", "stop", about="action after a late tick", default="hold")
    approach_time: Parameter = parameter(
        "s", "time to move the rig to its initial position", at_least=0.0, default=1.0
    )
    return_time: Parameter = parameter("s", "time to return the rig to rest", at_least=0.0, default=1.0)

    def limit_of(self, name: str, rotary: tuple[bool, ...]) -> Any:
        """Return a limit; with rotary axes by axis: `force` infinite on these, `torque` infinite on the others."""
        limit: Any = getattr(self, name)
        limit = np.array(np.inf) if limit is None else limit
        if name not in ("force", "torque") or not any(rotary):
            return limit
        limited = np.array(rotary) if name == "torque" else ~np.array(rotary)
        return jnp.where(limited, limit, jnp.inf)

    def rig_limits(self, rotary: tuple[bool, ...]) -> dict[str, np.ndarray]:
        """Return the limits that the rig enforces itself: displacement, and force or torque of each axis."""
        force = np.minimum(
            self.limit_of("force", rotary), self.limit_of("torque", rotary) if any(rotary) else np.inf
        )
        limits = {"displacement": np.asarray(self.displacement), "force": np.asarray(force)}
        return {name: limit for name, limit in limits.items() if np.any(np.isfinite(limit))}


@dataclasses.dataclass(frozen=True)
class MonitoredLimit:
    """Monitored limit: its name, the signal compared with it, and the outcome of a breach."""

    limit: str  # field of `Limits`
    signal: str
    outcome: Outcome


DEMAND_LIMITS = (  # in order of precedence
    MonitoredLimit("displacement", "displacement", Outcome.DISPLACEMENT),
    MonitoredLimit("velocity", "velocity", Outcome.VELOCITY),
    MonitoredLimit("acceleration", "acceleration", Outcome.ACCELERATION),
    MonitoredLimit("growth_rate", "growth_rate", Outcome.GROWTH_RATE),
)
MEASUREMENT_LIMITS = (
    MonitoredLimit("force", "measured_force", Outcome.FORCE),
    MonitoredLimit("torque", "measured_torque", Outcome.TORQUE),
    MonitoredLimit("tracking_error", "tracking_error", Outcome.TRACKING_ERROR),
    MonitoredLimit("power", "power", Outcome.POWER),
    MonitoredLimit("interface_energy", "interface_energy", Outcome.INTERFACE_ENERGY),
    MonitoredLimit("contact_energy_gain", "contact_energy_gain", Outcome.CONTACT_ENERGY),
    MonitoredLimit("frozen_sensor", "frozen_samples", Outcome.FROZEN_SENSOR),
)
MONITORED_LIMITS = (*DEMAND_LIMITS, *MEASUREMENT_LIMITS)
TENSION = "tension"  # signal checked against `force` in a simulation, which has no interface
# limits with one value for all axes together
ALL_AXES_LIMITS = ("growth_rate", "power", "interface_energy", "contact_energy_gain")
REALTIME_LIMITS = (
    "link_timeout",
    "unanswered_fraction",
    "overrun",
    "approach_time",
    "return_time",
)  # used in the realtime mode only


def exceeds(values: Any, limit: Any) -> Any:
    """Return whether the magnitude of any value exceeds its limit. For JAX and NumPy."""
    return (abs(values) > limit).any()


def rotary_axes(test: Test) -> tuple[bool, ...]:
    """Return for each axis whether it is rotary: from the numerical substructure, or else from the axis names."""
    return test.rotary_axes or tuple(name in ROTARY_AXES for name in test.axes)


def with_frozen_sensor_limit(test: T, mode: Mode) -> T:
    """Return the test with the default of the frozen-sensor limit in a mode filled in, if it has a rig."""
    if test.rig is None or test.limits.frozen_sensor is not None:
        return test
    ticks = mode.default_frozen_ticks(test)
    return dataclasses.replace(test, limits=dataclasses.replace(test.limits, frozen_sensor=float(ticks)))


def default_frozen_ticks(test: Test) -> int:
    """Return the default of the frozen-sensor limit in ticks."""
    return math.ceil(_frozen_sensor_time(test) / test.dt)


def _frozen_sensor_time(test: Test) -> float:
    return max(DELAY_FACTOR * (test.require_rig().low_frequency_delay() or 0.0), MIN_FROZEN_TIME)


def frozen_sensor_remark(test: Test) -> str:
    """Return a remark with the default of the frozen-sensor limit."""
    delay, time = test.require_rig().low_frequency_delay(), _frozen_sensor_time(test)
    rig = "rig delay not known" if delay is None else f"rig delay {1e3 * delay:.3g} ms"
    ticks = math.ceil(time / test.dt)
    return f"default {ticks} ticks ({1e3 * time:.3g} ms; {rig}), or {FROZEN_MOVES} moves of a pseudo-dynamic test"


def faults(
    limits: Limits, axes: tuple[str, ...], rotary: tuple[bool, ...], count: int, mode: type[Mode]
) -> list[Fault]:
    """Return limits that cannot be monitored: wrong number of axes, or no signal in that mode."""
    defaults: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(Limits)}
    faults = []
    for check in MONITORED_LIMITS:
        values = np.asarray(limits.limit_of(check.limit, ()))
        text = _size_fault(check.limit, values, axes, count)
        if not text and np.any(np.isfinite(values)) and not np.array_equal(values, defaults[check.limit]):
            if check.limit in mode.not_monitored:
                text = f"cannot be monitored: {mode.not_monitored[check.limit]}; remove it"
            else:
                text = _rotary_fault(check.limit, values, axes, rotary)
        faults += [Fault(f"limits.{check.limit}", text)] if text else []
    if not mode.has_rig:
        names = [
            name for name in REALTIME_LIMITS if np.any(np.asarray(getattr(limits, name)) != defaults[name])
        ]
        faults += [
            Fault(f"limits.{name}", "applies to a rig, but a simulation has no rig; remove it")
            for name in names
        ]
    return faults


def _size_fault(limit: str, values: np.ndarray, axes: tuple[str, ...], count: int) -> str:
    """Return the fault of a limit with a wrong number of values."""
    if not values.ndim:
        return ""
    if limit in ALL_AXES_LIMITS or count == 1:
        return f"has {values.size} values; give one number" + (
            "" if limit in ALL_AXES_LIMITS else ", as there is one axis"
        )
    if values.shape == (count,):
        return ""
    return f"has {values.size} values; give one number, or one for each of the {count} axes" + (
        f": {', '.join(axes)}" if axes else ""
    )


def _rotary_fault(limit: str, values: np.ndarray, axes: tuple[str, ...], rotary: tuple[bool, ...]) -> str:
    """Return the fault of a torque limit without rotary axes, or of a force limit on rotary axes."""
    if limit == "torque" and not any(rotary):
        named = f"the axes are {', '.join(axes)}" if axes else "the axes have no names"
        return f"there is no rotary axis: {named}; name rotary axes roll, pitch or yaw, or remove the limit"
    if limit not in ("force", "torque") or not any(rotary) or not values.ndim:
        return ""
    others = np.isfinite(values) & (np.array(rotary) == (limit == "force"))
    named = ", ".join(axes[i] if axes else str(i + 1) for i in np.flatnonzero(others))
    motion, other = ("rotary", "torque") if limit == "force" else ("linear", "force")
    return f"is set for {motion} axes: {named}; give inf for these, and use limits.{other}" if named else ""
