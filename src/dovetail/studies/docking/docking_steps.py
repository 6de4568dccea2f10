r"""Docking in six degrees of freedom: reference solution, and solution with robot and sensor table.

The reference solution (Docking Model) is two free bodies with a ball-in-cavity contact between them. The HIL Model adds
a robot between the computed relative pose of the bodies and the contact, and a force and torque sensor between the
contact wrench and the bodies. Robot and sensor are six second-order lags each, followed by rounding; the pose is
rounded, its rate is not. Both models consist of the parts of a test, coupled as in the modes `reference` and `rehearse`
with `sampling = "none"` (`testing.coupled`). By default the sensor has no cross-talk.

The step is variable, as impacts last milliseconds and are seconds apart. It is short while ball and wall are in contact
or the sensor output is not zero. Otherwise it is half the shortest time to contact (the distance changes no faster than
the ball moves). In a batch every lane has its own time and step. In free flight, the bodies advance by fourth-order
Runge-Kutta and the lags exactly. Source: [Bondoky 2020, secs 6.3 to 6.5]. The sensor table of the source measures the
moment about the drogue's base; here the moment is about the tip.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from dovetail.core import RK4, Flow, Input, Parameter, Part, State, parameter
from dovetail.core.advance import ALL_SAMPLES, advance_samples, begin
from dovetail.core.block import Time
from dovetail.core.clock import LoopState, SelfTimed
from dovetail.core.errors import ParameterError
from dovetail.core.keep import Keep
from dovetail.core.monitor import Monitor, MonitorState
from dovetail.core.signals import MOTION
from dovetail.core.system import Signals, System
from dovetail.mechanics.bodies import ContactingBodies
from dovetail.mechanics.bodies.pair import ContactingPair
from dovetail.mechanics.spatial import euler
from dovetail.specimens.probe_in_drogue import BallInCavity, Contact, ProbeInDrogue
from dovetail.studies.docking.impact import MAX_PHASE, sensor_omega, total_delay_omega
from dovetail.testing import Coupled
from dovetail.testing.excitation import Zero
from dovetail.testing.hybrid_loop import Driven
from dovetail.transfer import CrossTalk, Quantiser, SecondOrderLag, Series, TotalDelayLag

GOING, DOCKED, LEFT = 0, 1, 2  # ending of a docking
DockingFlow = Any  # a `Coupled` of `ContactingBodies` and `ProbeInDrogue`, or `Direct`
NO_CROSS_TALK = tuple(tuple(float(i == j) for j in range(6)) for i in range(6))
QUIET = 1e-9  # [N, N m] negligible sensor output


class SixAxisInstruments(Part):
    """Robot and sensor table with total delay and rounding; 0 means no rounding.

    The frequencies are those of `total_delay_omega` and `sensor_omega`.
    """

    robot_delay: Parameter = parameter("s", "total delay of the robot", above=0.0, default=1e-3)
    sensor_delay: Parameter = parameter("s", "total delay of the sensor", above=0.0, default=0.1e-3)
    damping: Parameter = parameter("1", "damping ratio of both", above=0.0, default=0.7)
    position_resolution: Parameter = parameter(
        "m", "step of the robot's position", at_least=0.0, default=1e-6
    )
    angle_resolution: Parameter = parameter("rad", "step of its angles", at_least=0.0, default=1e-6)
    force_resolution: Parameter = parameter("N", "step of the measured force", at_least=0.0, default=1.0)
    torque_resolution: Parameter = parameter("N m", "step of the measured torque", at_least=0.0, default=1.0)
    coupling: Parameter = parameter("1", "cross-talk of the sensor, 6 x 6", default=NO_CROSS_TALK)

    @property
    def lag(self) -> jax.Array:
        """Low-frequency delay of robot and sensor together [s]."""
        return 2 * self.damping / total_delay_omega(self.robot_delay) + 2 * self.damping / self.sensor_omega

    @property
    def sensor_omega(self) -> jax.Array:
        """Natural angular frequency of the sensor [rad/s]."""
        return sensor_omega(self.sensor_delay)

    @property
    def max_step(self) -> jax.Array:
        """Largest step in contact that follows the lags [s]."""
        return MAX_PHASE / jnp.maximum(total_delay_omega(self.robot_delay), self.sensor_omega)

    @property
    def robot(self) -> Series:
        """Actuator of the rig."""
        steps = jnp.repeat(jnp.stack([self.position_resolution, self.angle_resolution]), 3)
        return Series((TotalDelayLag(self.robot_delay, self.damping, shape=(6,)), Quantiser(steps)))

    @property
    def sensor(self) -> Series:
        """Force sensor of the rig."""
        steps = jnp.repeat(jnp.stack([self.force_resolution, self.torque_resolution]), 3)
        lag = SecondOrderLag(self.sensor_omega, self.damping, shape=(6,))
        return Series((lag, CrossTalk(self.coupling), Quantiser(steps)))


class Direct(Flow):
    """Reference solution of bodies and probe without the six interface axes, whose angles take half of the time.

    The contact uses the pose of the bodies directly, and its wrench acts on them about D.
    """

    numerical: ContactingBodies
    specimen: ProbeInDrogue
    pair: ContactingPair  # the bodies of `numerical`, prepared

    def init(self) -> State:
        return {"numerical": self.numerical.init(), "specimen": self.specimen.init()}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        now = self.output(t, x, u)
        return {
            "numerical": self.pair.derivative(t, x["numerical"], now.wrench),
            "specimen": self.specimen.rates(now.met),
        }

    def output(self, t: Time, x: State, u: Input) -> Contact:
        """Return the contact at the wall."""
        return self.specimen.ball.contact(*self.pair.relative(x["numerical"]), x["specimen"])


class DockingState(eqx.Module):
    """State of a docking, with the length of the next step."""

    parts: dict[str, Any]  # of bodies, probe, robot and sensor
    free: Bool[Array, ""]  # no contact in the next step, and negligible sensor output
    next_step: Float[Array, ""]  # [s]


class DockingSystem(System):
    """Docking of two bodies: contact, optional instruments, and step sizes."""

    flow: DockingFlow
    contact_step: Parameter = parameter("s", "largest step in contact", above=0.0, default=20e-6)
    free_step: Parameter = parameter("s", "largest step in free flight", above=0.0, default=20e-3)

    def __check_init__(self) -> None:
        super().__check_init__()
        if self.flow.specimen.friction.has_bristles:
            raise ParameterError(
                f"{type(self).__name__}: friction with bristles has a state that long steps of free flight do not "
                "integrate; use a friction law without bristles, or rehearse the docking as a test"
            )

    @classmethod
    def of(
        cls,
        bodies: ContactingBodies,
        ball: BallInCavity,
        instruments: SixAxisInstruments | None = None,
        contact_step: Time = 20e-6,
        **steps: Any,
    ) -> DockingSystem:
        """Return the docking of two bodies as in a test file, without or with instruments.

        The step in contact is at most `contact_step` [s], and shorter for fast instruments.
        """
        if instruments is not None:
            contact_step = jnp.minimum(contact_step, instruments.max_step)
        return cls(_flow(bodies, ball, instruments), contact_step, **steps)

    @property
    def monitor(self) -> DockingMonitor:
        """Monitor that ends the docking."""
        probe = self.flow.specimen
        return DockingMonitor(probe.cavity.mouth, probe.radius)

    def start(self) -> tuple[DockingState, Signals]:
        return self._sample(jnp.zeros(()), self.flow.init())

    def proposed_step(self, t: Time, x: DockingState) -> Float[Array, ""]:
        """Return the length of the next step [s]: to the earliest contact, but not longer than a free step."""
        return x.next_step

    def step(self, t: Time, h: Time, x: DockingState) -> tuple[DockingState, Signals]:
        parts, _ = RK4().step(self.flow, t, h, x.parts, None, ())
        if isinstance(self.flow, Coupled):
            coasted = _coasted(self.flow, t, h, x.parts)
            parts = jax.tree.map(lambda a, b: jnp.where(x.free, a, b), coasted, parts)
        return self._sample(t + h, parts)

    def _sample(self, t: Time, parts: dict[str, Any]) -> tuple[DockingState, Signals]:
        """Store the impact speed, for any law, as the jump of the specimen does; return state and signals."""
        flow, part = self.flow, self.flow.specimen.ball
        if isinstance(flow, Direct):
            imposed = computed = flow.pair.relative(parts["numerical"])
        else:
            at = flow.interface(t, parts)
            imposed, computed = (flow.specimen.relative_motion(at[name]) for name in ("imposed", "motion"))
        touch, rate = part.approach(*imposed)
        speed = part.impact_speed_memory.update(parts["specimen"]["impact_speed"], touch.depth, rate)
        specimen = {**parts["specimen"], "impact_speed": speed}
        parts = {**parts, "specimen": specimen}

        fastest = jnp.sqrt(jnp.maximum(*(jnp.sum(twist.v**2) for _, twist in (imposed, computed))))
        earliest = touch.gap / (2 * fastest + 1e-12)
        free = _quiet(flow, parts) & (earliest > self.contact_step)
        coasting = jnp.clip(earliest, self.contact_step, self.free_step)
        now = part.contact(*imposed, specimen)
        shown = {
            "t": t,
            "penetration": now.touch.depth,
            "rate": now.met.speed,
            "body_rate": part.approach(*computed)[1],  # [m/s] penetration rate computed from the bodies
            "zone": now.touch.zone,
            "impact_speed": speed,
            "normal_force": now.met.normal_force,
            # [N] magnitude of the force on the bodies
            "felt_force": jnp.linalg.norm(
                now.wrench.f if isinstance(flow, Direct) else at["input"]["force"][:3]
            ),
            "position": computed[0].p,
            "imposed_position": imposed[0].p,
            "imposed_velocity": imposed[1].v,
            "kinetic": flow.numerical.pair.kinetic_energy(parts["numerical"]),
            "stored": now.stored,
            "impact_heat": specimen["impact_heat"],
            "friction_dissipation": specimen["friction_dissipation"],
        }
        return DockingState(parts, free, jnp.where(free, coasting, self.contact_step)), shown


@eqx.filter_jit  # one program instead of some hundred small ones
def _flow(bodies: ContactingBodies, ball: BallInCavity, tools: SixAxisInstruments | None) -> DockingFlow:
    home = bodies.home
    probe = ProbeInDrogue(
        ball.cavity, ball.law, ball.friction, ball.radius, home.p, euler.from_matrix(home.R)
    )
    if tools is None:
        return Direct(bodies, probe, bodies.pair)
    return Coupled(bodies, probe, Zero(), (6,), actuator=tools.robot, sensor=tools.sensor)


def _quiet(flow: DockingFlow, parts: dict[str, Any]) -> Bool[Array, ""]:
    """Return True if the sensor output is negligible."""
    if isinstance(flow, Direct):
        return jnp.array(True)
    s, ds = parts["sensor"][0]
    return jnp.all(jnp.abs(s) + jnp.abs(ds) / flow.sensor.parts[0].omega < QUIET)


def _coasted(flow: DockingFlow, t: Time, h: Time, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the state after h [s] of free flight; the lags are too fast for long Runge-Kutta steps, hence exact."""
    flown, nothing = Driven(flow.numerical, flow.excitation), jnp.zeros(6)
    bodies, _ = RK4().step(flown, t, h, parts["numerical"], nothing, ())
    start, end = (flown.output(t, state, nothing)[MOTION[0]] for state in (parts["numerical"], bodies))
    return {
        **parts,
        "numerical": bodies,
        "actuator": flow.actuator.continuous_model().coast(t, h, parts["actuator"], start, end),
        "sensor": flow.sensor.continuous_model().coast(t, h, parts["sensor"], nothing, nothing),
    }


class DockingMonitor(Monitor):
    """Ends a docking when the probe's tip reaches the bottom of the drogue, or leaves the drogue."""

    mouth: Float[Array, ""]  # [m] from the bottom of the drogue
    radius: Float[Array, ""]  # [m] of the tip

    def start(self, shown: Signals) -> tuple[MonitorState, Signals]:
        return MonitorState(jnp.asarray(GOING), jnp.zeros((), int)), shown

    def step(self, t: Time, h: Time, m: MonitorState, shown: Signals) -> tuple[MonitorState, Signals]:
        position, velocity = (shown[name][0] for name in ("imposed_position", "imposed_velocity"))
        left = (position > self.mouth) & (velocity > 0)
        ending = jnp.where(position - self.radius <= 0, DOCKED, jnp.where(left, LEFT, GOING))
        return MonitorState(ending, m.sample + 1), shown


class ImpactCount(eqx.Module):
    """Number of impacts up to a sample, and the penetration at that sample."""

    impacts: Any
    penetration: Float[Array, ""]  # [m]


class CountImpacts(Keep):
    """Counts the impacts, and keeps no rows."""

    def start(self, shown: Signals) -> ImpactCount:
        return ImpactCount(jnp.zeros((), int), shown["penetration"])

    def row(self, kept: ImpactCount, t: Time, h: Time, shown: Signals) -> tuple[ImpactCount, Signals]:
        penetration = shown["penetration"]
        began = (kept.penetration <= 0) & (penetration > 0)
        return ImpactCount(kept.impacts + began, penetration), {}


def energy(shown: Signals) -> Any:
    """Return the sum of kinetic, stored and dissipated energy [J]; constant if no energy is generated."""
    return shown["kinetic"] + shown["stored"] + shown["impact_heat"] + shown["friction_dissipation"]


def advance_to_end(
    docking: DockingSystem, monitor: Monitor, keep: Keep, until: Time, max_steps: int = ALL_SAMPLES
) -> LoopState:
    """Simulate a docking to its end or to `until` [s] with running measures instead of rows; for maps and batches."""
    now, _ = begin(docking, monitor, keep)
    return advance_samples(docking, SelfTimed(until), monitor, keep, now, max_steps)[0]
