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

from dovetail.core import RK4, Flow, Part, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import ContactingBodies
from dovetail.mechanics.bodies.pair import ContactingPair
from dovetail.mechanics.geometry import NearestPoint
from dovetail.mechanics.spatial import Pose, Twist, euler
from dovetail.specimens.probe_in_drogue import BallInCavity, Contact, ProbeInDrogue
from dovetail.testing import Coupled
from dovetail.testing.excitation import Zero
from dovetail.testing.hybrid_loop import MOTION, Driven
from dovetail.transfer import CrossTalk, Quantiser, Series, TotalDelayLag

GOING, DOCKED, LEFT = 0, 1, 2  # state of a docking
NO_CROSS_TALK = tuple(tuple(float(i == j) for j in range(6)) for i in range(6))
System = Any  # a `Coupled` of `ContactingBodies` and `ProbeInDrogue`, or `Direct`
QUIET = 1e-9  # [N, N m] negligible sensor output


class SixAxisInstruments(Part):
    """Robot and sensor table with total delay (four time constants) and rounding; 0 means no rounding."""

    robot_delay: jax.Array = parameter("s", "total delay of the robot", above=0.0, default=1e-3)
    sensor_delay: jax.Array = parameter("s", "total delay of the sensor", above=0.0, default=0.1e-3)
    damping: jax.Array = parameter("1", "damping ratio of both", above=0.0, default=0.7)
    position_resolution: jax.Array = parameter(
        "m", "step of the robot's position", at_least=0.0, default=1e-6
    )
    angle_resolution: jax.Array = parameter("rad", "step of its angles", at_least=0.0, default=1e-6)
    force_resolution: jax.Array = parameter("N", "step of the measured force", at_least=0.0, default=1.0)
    torque_resolution: jax.Array = parameter("N m", "step of the measured torque", at_least=0.0, default=1.0)
    coupling: jax.Array = parameter("1", "cross-talk of the sensor, 6 x 6", default=NO_CROSS_TALK)

    @property
    def lag(self) -> jax.Array:
        """Low-frequency delay of robot and sensor together [s]."""
        return self.damping / 2 * (self.robot_delay + self.sensor_delay)

    @property
    def robot(self) -> Series:
        """Actuator of the rig."""
        steps = jnp.repeat(jnp.stack([self.position_resolution, self.angle_resolution]), 3)
        return Series((TotalDelayLag(self.robot_delay, self.damping, shape=(6,)), Quantiser(steps)))

    @property
    def sensor(self) -> Series:
        """Force sensor of the rig."""
        steps = jnp.repeat(jnp.stack([self.force_resolution, self.torque_resolution]), 3)
        lag = TotalDelayLag(self.sensor_delay, self.damping, shape=(6,))
        return Series((lag, CrossTalk(self.coupling), Quantiser(steps)))


class Docking(Part):
    """Docking simulation: bodies, contact, optional instruments, and step sizes."""

    system: System
    contact_step: jax.Array = parameter("s", "step while in contact", above=0.0, default=20e-6)
    free_step: jax.Array = parameter("s", "largest step in free flight", above=0.0, default=20e-3)

    def __check_init__(self):
        super().__check_init__()
        if self.system.specimen.friction.has_bristles:
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
        **steps: Any,
    ) -> Docking:
        """Return the docking of two bodies as in a test file, without or with instruments."""
        return cls(_system(bodies, ball, instruments), **steps)


@eqx.filter_jit  # one program instead of some hundred small ones
def _system(
    bodies: ContactingBodies, ball: BallInCavity, tools: SixAxisInstruments | None
) -> Coupled | Direct:
    home = bodies.home
    probe = ProbeInDrogue(
        ball.cavity, ball.law, ball.friction, ball.radius, home.p, euler.from_matrix(home.R)
    )
    if tools is None:
        return Direct(bodies, probe, bodies.pair)
    return Coupled(bodies, probe, Zero(), (6,), actuator=tools.robot, sensor=tools.sensor)


class Direct(Flow):
    """Reference solution of bodies and probe without the six interface axes, whose angles take half of the time.

    The contact uses the pose of the bodies directly, and its wrench acts on them about D.
    """

    numerical: ContactingBodies
    specimen: ProbeInDrogue
    pair: ContactingPair  # the bodies of `numerical`, prepared

    def init(self):
        return {"numerical": self.numerical.init(), "specimen": self.specimen.init()}

    def derivative(self, t, x, u):
        now = self.output(t, x, u)
        return {
            "numerical": self.pair.derivative(t, x["numerical"], now.wrench),
            "specimen": self.specimen.rates(now.met),
        }

    def output(self, t, x, u) -> Contact:
        """Return the contact at the wall."""
        return self.specimen.ball.contact(*self.pair.relative(x["numerical"]), x["specimen"])


class Moment(eqx.Module):
    """State of a docking simulation: time, state, ending and number of impacts."""

    t: jax.Array  # [s]
    x: Any
    ending: jax.Array  # GOING, DOCKED or LEFT
    impacts: jax.Array  # so far


@eqx.filter_jit
def begin(docking: Docking) -> Moment:
    """Return the initial state of a docking."""
    system, t, none = docking.system, jnp.zeros(()), jnp.zeros((), int)
    x = system.init()
    return Moment(t, _latched(system, x, *placed(system, t, x)[0])[0], none, none)


def placed(system: System, t, x) -> tuple[tuple[Pose, Twist], tuple[Pose, Twist]]:
    """Return pose and twist of the ball in D, as imposed on the contact and as computed from the bodies."""
    if isinstance(system, Direct):
        here = system.pair.relative(x["numerical"])
        return here, here
    at = system.interface(t, x)
    return system.specimen.relative_motion(at["imposed"]), system.specimen.relative_motion(at["motion"])


def view(docking: Docking, t, x) -> dict[str, jax.Array]:
    """Return the recorded signals."""
    system, specimen = docking.system, x["specimen"]
    ball, bodies = placed(system, t, x)
    part = system.specimen.ball
    now = part.contact(*ball, specimen)
    felt = now.wrench.f if isinstance(system, Direct) else system.interface(t, x)["input"]["force"][:3]
    return {
        "penetration": now.touch.depth,
        "rate": now.met.speed,
        "body_rate": part.approach(*bodies)[1],  # [m/s] penetration rate computed from the bodies
        "zone": now.touch.zone,
        "impact_speed": specimen["impact_speed"],
        "normal_force": now.met.normal_force,
        "felt_force": jnp.linalg.norm(felt),  # [N] magnitude of the force on the bodies
        "position": bodies[0].p,
        "kinetic": system.numerical.pair.kinetic_energy(x["numerical"]),
        "stored": now.stored,
        "impact_heat": specimen["impact_heat"],
        "friction_dissipation": specimen["friction_dissipation"],
    }


def energy(seen: dict[str, Any]) -> Any:
    """Return the sum of kinetic, stored and dissipated energy [J]; constant if no energy is generated."""
    return seen["kinetic"] + seen["stored"] + seen["impact_heat"] + seen["friction_dissipation"]


def _settled(system: System, x) -> jax.Array:
    """Return True if the sensor output is negligible."""
    if isinstance(system, Direct):
        return jnp.array(True)
    s, ds = x["sensor"][0]
    return jnp.all(jnp.abs(s) + jnp.abs(ds) / system.sensor.parts[0].lag.omega < QUIET)


def _coasted(system: System, t, h, x) -> Any:
    """Return the state after h [s] of free flight; the lags are too fast for long Runge-Kutta steps, hence exact."""
    flown, nothing = Driven(system.numerical, system.excitation), jnp.zeros(6)
    bodies, _ = RK4().step(flown, t, h, x["numerical"], nothing, ())
    start, end = (flown.output(t, state, nothing)[MOTION[0]] for state in (x["numerical"], bodies))
    return {
        **x,
        "numerical": bodies,
        "actuator": system.actuator.continuous_model().coast(t, h, x["actuator"], start, end),
        "sensor": system.sensor.continuous_model().coast(t, h, x["sensor"], nothing, nothing),
    }


def advance(docking: Docking, now: Moment, until: jax.Array) -> Moment:
    """Advance by one variable step; the state is unchanged after the end of the docking or of the time."""
    system, short = docking.system, docking.contact_step
    ball, bodies = placed(system, now.t, now.x)
    touch, _ = system.specimen.ball.approach(*ball)
    fastest = jnp.sqrt(jnp.maximum(*(jnp.sum(twist.v**2) for _, twist in (ball, bodies))))
    earliest = touch.gap / (2 * fastest + 1e-12)
    free = _settled(system, now.x) & (earliest > short)
    h = jnp.where(free, jnp.clip(earliest, short, docking.free_step), short)
    h = jnp.minimum(h, until - now.t)
    over = (now.ending != GOING) | (h <= 0)
    h = jnp.where(over, short, h)

    x, _ = RK4().step(system, now.t, h, now.x, None, ())
    if not isinstance(system, Direct):
        x = jax.tree.map(lambda a, b: jnp.where(free, a, b), _coasted(system, now.t, h, now.x), x)
    (pose, twist), _ = placed(system, now.t + h, x)
    x, after = _latched(system, x, pose, twist)
    probe = system.specimen
    gone = (pose.p[0] > probe.cavity.mouth) & (twist.v[0] > 0)
    ending = jnp.where(pose.p[0] - probe.radius <= 0, DOCKED, jnp.where(gone, LEFT, GOING))
    moment = Moment(now.t + h, x, ending, now.impacts + ((touch.depth <= 0) & (after.depth > 0)))
    return jax.tree.map(lambda new, old: jnp.where(over, old, new), moment, now)


def _latched(system: System, x, pose: Pose, twist: Twist) -> tuple[Any, NearestPoint]:
    """Apply the jump of the specimen, for any law: store the impact speed. Return the state and the nearest point."""
    touch, rate = system.specimen.ball.approach(pose, twist)
    speed = system.specimen.impact_speed_memory.update(x["specimen"]["impact_speed"], touch.depth, rate)
    return {**x, "specimen": {**x["specimen"], "impact_speed": speed}}, touch


def settle(docking: Docking, until: jax.Array, most_steps: int = 200_000) -> Moment:
    """Simulate a docking to its end or to `until` [s] without recording, for maps and batches."""

    def going(carry):
        moment, k = carry
        return (moment.ending == GOING) & (moment.t < until) & (k < most_steps)

    def body(carry):
        moment, k = carry
        return advance(docking, moment, until), k + 1

    return jax.lax.while_loop(going, body, (begin(docking), jnp.zeros((), int)))[0]


@eqx.filter_jit
def trace(docking: Docking, start: Moment, until: jax.Array, steps: int) -> tuple[Moment, dict]:
    """Advance by `steps` steps and record all signals after each."""

    def one(moment, _):
        moment = advance(docking, moment, until)
        return moment, {"t": moment.t, **view(docking, moment.t, moment.x)}

    return jax.lax.scan(one, start, None, length=steps)
