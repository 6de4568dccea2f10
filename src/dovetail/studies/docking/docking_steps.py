r"""Docking in six degrees of freedom, twice: as physics would have it, and through robot and sensor table.

The ideal (Docking Model) is two free bodies with a ball-in-cavity contact between them. The other (HIL
Model) has a robot between the bodies' computed relative pose and the contact, and a force and torque sensor
between the contact's wrench and the bodies; each is six second-order lags followed by rounding, of the pose and not
of its rate. They are the parts of a test, joined as `emulate` and a continuous `rehearse` join them
(`testing.coupled`); the sensor's matrix of cross-talk is none by default.

What is special is the step. Impacts last milliseconds and are seconds apart, so it is chosen anew every time: short
while ball and wall touch or the sensor still shows something, else half the time in which they could meet at the
earliest (a distance changes no faster than the ball moves). In a batch every lane has its own time and step. In
between, bodies advance by fourth-order Runge-Kutta and the lags exactly. Source: [Bondoky 2020, secs 6.3 to 6.5],
whose sensor table reads the moment about the drogue's base; here it is that about the tip.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Flow, Part, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import MeetingBodies
from dovetail.mechanics.bodies.pair import MeetingPair
from dovetail.mechanics.geometry import Touch
from dovetail.mechanics.spatial import Pose, Twist, euler
from dovetail.specimens.probe_in_drogue import BallInCavity, Contact, ProbeInDrogue
from dovetail.testing import Coupled
from dovetail.testing.excitation import Rest
from dovetail.testing.hybrid_loop import MOTION, Driven
from dovetail.transfer import CrossTalk, Quantiser, Series, TotalDelayLag

GOING, DOCKED, LEFT = 0, 1, 2  # how a docking stands
NO_CROSS_TALK = tuple(tuple(float(i == j) for j in range(6)) for i in range(6))
System = Any  # a `Coupled` of `MeetingBodies` and `ProbeInDrogue`, or `Direct`
QUIET = 1e-9  # [N, N m] the residue of a reading that no longer moves anything


class SixAxisInstruments(Part):
    """Robot and sensor table by total delay (four time constants) and rounding; zero rounds nothing."""

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
        """Low-frequency lag of robot and sensor together [s]."""
        return self.damping / 2 * (self.robot_delay + self.sensor_delay)

    @property
    def robot(self) -> Series:
        """The actuator of a rig."""
        steps = jnp.repeat(jnp.stack([self.position_resolution, self.angle_resolution]), 3)
        return Series((TotalDelayLag(self.robot_delay, self.damping, shape=(6,)), Quantiser(steps)))

    @property
    def sensor(self) -> Series:
        """The force sensor of a rig."""
        steps = jnp.repeat(jnp.stack([self.force_resolution, self.torque_resolution]), 3)
        lag = TotalDelayLag(self.sensor_delay, self.damping, shape=(6,))
        return Series((lag, CrossTalk(self.coupling), Quantiser(steps)))


class Docking(Part):
    """A docking to be stepped: bodies, contact and what lies between them, and how long its steps are."""

    system: System
    contact_step: jax.Array = parameter("s", "step while in contact", above=0.0, default=20e-6)
    free_step: jax.Array = parameter("s", "longest step of free flight", above=0.0, default=20e-3)

    def __check_init__(self):
        super().__check_init__()
        if self.system.specimen.friction.remembers:
            raise ParameterError(
                f"{type(self).__name__}: friction with bristles has a memory, which long steps of free flight do not "
                "carry; take a law without, or rehearse the docking as a test"
            )

    @classmethod
    def of(
        cls,
        bodies: MeetingBodies,
        ball: BallInCavity,
        instruments: SixAxisInstruments | None = None,
        **steps: Any,
    ) -> Docking:
        """The docking of two bodies as a test file describes them, ideal or through instruments."""
        return cls(_system(bodies, ball, instruments), **steps)


@eqx.filter_jit  # some hundred small operations, each of which would compile by itself
def _system(bodies: MeetingBodies, ball: BallInCavity, tools: SixAxisInstruments | None) -> Coupled | Direct:
    home = bodies.home
    probe = ProbeInDrogue(
        ball.cavity, ball.law, ball.friction, ball.radius, home.p, euler.from_matrix(home.R)
    )
    if tools is None:
        return Direct(bodies, probe, bodies.pair)
    return Coupled(bodies, probe, Rest(), (6,), actuator=tools.robot, sensor=tools.sensor)


class Direct(Flow):
    """The ideal of bodies and probe without the detour over six interface axes, whose angles are half of its time.

    The wall meets the ball where the bodies have it, and its wrench acts on them about D.
    """

    numerical: MeetingBodies
    specimen: ProbeInDrogue
    pair: MeetingPair  # the bodies of `numerical`, prepared

    def init(self):
        return {"numerical": self.numerical.init(), "specimen": self.specimen.init()}

    def derivative(self, t, x, u):
        now = self.output(t, x, u)
        return {
            "numerical": self.pair.derivative(t, x["numerical"], now.wrench),
            "specimen": self.specimen.rates(now.met),
        }

    def output(self, t, x, u) -> Contact:
        """What goes on at the wall."""
        return self.specimen.ball.contact(*self.pair.relative(x["numerical"]), x["specimen"])


class Moment(eqx.Module):
    """Where a docking stands: time, state, and how it ended."""

    t: jax.Array  # [s]
    x: Any
    ending: jax.Array  # GOING, DOCKED or LEFT
    impacts: jax.Array  # so far


@eqx.filter_jit
def begin(docking: Docking) -> Moment:
    """The start of a docking."""
    system, t, none = docking.system, jnp.zeros(()), jnp.zeros((), int)
    x = system.init()
    return Moment(t, _latched(system, x, *placed(system, t, x)[0])[0], none, none)


def placed(system: System, t, x) -> tuple[tuple[Pose, Twist], tuple[Pose, Twist]]:
    """Pose and twist in D of the ball as the wall meets it, and as the bodies have it."""
    if isinstance(system, Direct):
        here = system.pair.relative(x["numerical"])
        return here, here
    at = system.interface(t, x)
    return system.specimen.seen(at["imposed"]), system.specimen.seen(at["motion"])


def view(docking: Docking, t, x) -> dict[str, jax.Array]:
    """What is recorded."""
    system, specimen = docking.system, x["specimen"]
    ball, bodies = placed(system, t, x)
    part = system.specimen.ball
    now = part.contact(*ball, specimen)
    felt = now.wrench.f if isinstance(system, Direct) else system.interface(t, x)["given"]["force"][:3]
    return {
        "depth": now.touch.depth,
        "rate": now.met.speed,
        "body_rate": part.approach(*bodies)[1],  # [m/s] of the bodies' own depth
        "zone": now.touch.zone,
        "impact_speed": specimen["impact_speed"],
        "normal_force": now.met.normal_force,
        "felt_force": jnp.linalg.norm(felt),  # [N] size of the force on the bodies
        "position": bodies[0].p,
        "kinetic": system.numerical.pair.kinetic_energy(x["numerical"]),
        "stored": now.stored,
        "impact_heat": specimen["impact_heat"],
        "friction_heat": specimen["friction_heat"],
    }


def energy(seen: dict[str, Any]) -> Any:
    """Kinetic and stored energy and all heat [J]: constant where no energy is generated."""
    return seen["kinetic"] + seen["stored"] + seen["impact_heat"] + seen["friction_heat"]


def _settled(system: System, x) -> jax.Array:
    """Whether the sensor shows nothing any more."""
    if isinstance(system, Direct):
        return jnp.array(True)
    s, ds = x["sensor"][0]
    return jnp.all(jnp.abs(s) + jnp.abs(ds) / system.sensor.parts[0].lag.omega < QUIET)


def _coasted(system: System, t, h, x) -> Any:
    """The state after h [s] of free flight: lags are too fast for long steps of Runge-Kutta and are stepped exactly."""
    flown, nothing = Driven(system.numerical, system.excitation), jnp.zeros(6)
    bodies, _ = RK4().step(flown, t, h, x["numerical"], nothing, ())
    start, end = (flown.output(t, state, nothing)[MOTION[0]] for state in (x["numerical"], bodies))
    return {
        **x,
        "numerical": bodies,
        "actuator": system.actuator.follower().coast(t, h, x["actuator"], start, end),
        "sensor": system.sensor.follower().coast(t, h, x["sensor"], nothing, nothing),
    }


def advance(docking: Docking, now: Moment, until: jax.Array) -> Moment:
    """One step of a length of its own; nothing moves once the docking has ended or its time is up."""
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


def _latched(system: System, x, pose: Pose, twist: Twist) -> tuple[Any, Touch]:
    """What the jump of the specimen does, for any law: how fast an impact began is recorded. And where they touch."""
    touch, rate = system.specimen.ball.approach(pose, twist)
    speed = system.specimen.latch.update(x["specimen"]["impact_speed"], touch.depth, rate)
    return {**x, "specimen": {**x["specimen"], "impact_speed": speed}}, touch


def settle(docking: Docking, until: jax.Array, most_steps: int = 200_000) -> Moment:
    """Carry a docking to its end or to `until` [s], keeping nothing on the way: for maps and batches."""

    def going(carry):
        moment, k = carry
        return (moment.ending == GOING) & (moment.t < until) & (k < most_steps)

    def body(carry):
        moment, k = carry
        return advance(docking, moment, until), k + 1

    return jax.lax.while_loop(going, body, (begin(docking), jnp.zeros((), int)))[0]


@eqx.filter_jit
def trace(docking: Docking, start: Moment, until: jax.Array, steps: int) -> tuple[Moment, dict]:
    """`steps` steps with everything recorded after each of them."""

    def one(moment, _):
        moment = advance(docking, moment, until)
        return moment, {"t": moment.t, **view(docking, moment.t, moment.x)}

    return jax.lax.scan(one, start, None, length=steps)
