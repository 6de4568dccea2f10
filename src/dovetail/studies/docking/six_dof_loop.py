r"""Docking in six degrees of freedom, twice: as physics would have it, and through robot and sensor table.

The ideal (Docking Model) is two free bodies with a ball-in-cavity contact between them. The other (HIL
Model) has a robot between the bodies' computed relative pose z and the contact, and a force and torque sensor
between the contact's wrench and the bodies; each is six second-order lags followed by rounding:

.. math::

    \ddot y = \omega_r^2 (z - y) - 2 d\,\omega_r\dot y, \qquad
    \ddot s = \omega_s^2 (w(Q_r(y), \dot y) - s) - 2 d\,\omega_s\dot s, \qquad
    \text{wrench on the bodies} = Q_s(C s)

with w the contact's wrench about the origin of D and C a matrix of cross-talk (none by default). Only the
pose is rounded, not its rate. Both start from the same state, the robot in steady motion.

Impacts last milliseconds and are seconds apart, so the step is chosen anew every time: short while ball and
wall touch or the sensor still shows something, else half the time in which they could meet at the earliest
(a distance changes no faster than the ball moves). In a batch every lane has its own time and step. In
between, bodies advance by fourth-order Runge-Kutta and the lags exactly. Energies are integrated beside the
motion. Source: [Bondoky 2020, secs 6.3 to 6.5].
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, Flow, Part, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.bodies import BodyPair
from dovetail.mechanics.bodies.free_bodies import FreeBodies, as_motion, from_motion
from dovetail.mechanics.spatial import Pose, Twist, Wrench
from dovetail.specimens.probe_in_drogue import BallInCavity, Contact
from dovetail.transfer import SecondOrderLag

GOING, DOCKED, LEFT = 0, 1, 2  # how a docking stands
NO_CROSS_TALK = tuple(tuple(float(i == j) for j in range(6)) for i in range(6))


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
    def robot(self) -> SecondOrderLag:
        """The six channels of the robot."""
        return SecondOrderLag(4 / self.robot_delay, self.damping, shape=(6,))

    @property
    def sensor(self) -> SecondOrderLag:
        """The six channels of the sensor."""
        return SecondOrderLag(4 / self.sensor_delay, self.damping, shape=(6,))

    def placed(self, motion: jax.Array) -> jax.Array:
        """The robot's pose as it can be set."""
        steps = jnp.repeat(jnp.stack([self.position_resolution, self.angle_resolution]), 3)
        return _rounded(motion, steps)

    def read(self, wrench: jax.Array) -> jax.Array:
        """The sensor's wrench as it can be read."""
        steps = jnp.repeat(jnp.stack([self.force_resolution, self.torque_resolution]), 3)
        return _rounded(self.coupling @ wrench, steps)


def _rounded(value, steps):
    size = jnp.where(steps > 0, steps, 1.0)
    return jnp.where(steps > 0, size * jnp.round(value / size), value)


class Docking(Flow):
    """The ideal: two bodies and the contact between them; the input is the latched impact speed."""

    pair: BodyPair
    ball: BallInCavity
    contact_step: jax.Array = parameter("s", "step while in contact", above=0.0, default=20e-6)
    free_step: jax.Array = parameter("s", "longest step of free flight", above=0.0, default=20e-3)

    def __check_init__(self):
        super().__check_init__()
        if self.ball.friction.remembers:
            raise ParameterError(
                f"{type(self).__name__}: friction with bristles has a memory, which the steps of a map do not carry; "
                "take a law without, or rehearse the docking as a test"
            )

    @classmethod
    def of(cls, bodies: FreeBodies, ball: BallInCavity, **settings: Any) -> Docking:
        """The docking of two bodies as a test file describes them."""
        return cls(_paired(bodies), ball, **settings)

    def init(self) -> dict[str, Any]:
        return {"bodies": self.pair.start, "impact_heat": jnp.zeros(()), "friction_heat": jnp.zeros(())}

    def seen(self, x) -> tuple[Pose, Twist]:
        """The ball as the wall meets it: pose and twist in D."""
        return self.pair.relative(x["bodies"])

    def contact(self, x, impact_speed) -> Contact:
        """What goes on at the wall."""
        return self.ball.contact(*self.seen(x), self.ball.struck_at(impact_speed))

    def derivative(self, t, x, u):
        now = self.contact(x, u)
        return {
            "bodies": self.pair.derivative(t, x["bodies"], now.wrench),
            "impact_heat": now.met.impact_power,
            "friction_heat": now.met.friction_power,
        }

    def output(self, t, x, u) -> dict[str, jax.Array]:
        """What is recorded."""
        now = self.contact(x, u)
        pose, twist = self.pair.relative(x["bodies"])
        _, rate = self.ball.approach(pose, twist)
        return {
            "depth": now.touch.depth,
            "rate": now.met.speed,
            "body_rate": rate,  # [m/s] of the bodies' own depth
            "zone": now.touch.zone,
            "normal_force": now.met.normal_force,
            "felt_force": jnp.linalg.norm(now.wrench.f),  # [N] size of the force on the bodies
            "position": pose.p,
            "kinetic": self.pair.kinetic_energy(x["bodies"]),
            "stored": now.stored,
            "impact_heat": x["impact_heat"],
            "friction_heat": x["friction_heat"],
        }

    def settled(self, x) -> jax.Array:
        """Whether nothing but free flight is going on, apart from the contact."""
        return jnp.array(True)

    def moved(self, t, h, x, impact_speed, free):
        """The state after h [s]; `free` says that nothing can touch before then."""
        x, _ = RK4().step(self, t, h, x, impact_speed, ())
        return x

    def fastest(self, x, twist: Twist) -> jax.Array:
        """No point of the ball moves faster than this [m/s]."""
        return jnp.sqrt(jnp.sum(twist.v**2))


@eqx.filter_jit  # some hundred small operations, each of which would compile by itself
def _paired(bodies: FreeBodies) -> BodyPair:
    return bodies.pair


class HilDocking(Docking):
    """The same docking through instruments."""

    instruments: SixAxisInstruments = SixAxisInstruments()

    def init(self) -> dict[str, Any]:
        _, speed = self._home
        lag = 2 * self.instruments.robot.damping / self.instruments.robot.omega
        rest = jnp.zeros(6)
        return {
            **super().init(),
            "robot": (-lag * speed, speed),
            "sensor": (rest, rest),
        }

    @property
    def _home(self) -> tuple[Pose, jax.Array]:
        pose, twist = self.pair.relative(self.pair.start)
        return pose, as_motion(pose, pose, twist)[1]

    def _demand(self, x) -> jax.Array:
        home, _ = self._home
        pose, twist = self.pair.relative(x["bodies"])
        return as_motion(home, pose, twist)[0]

    def seen(self, x) -> tuple[Pose, Twist]:
        return self._placed(*x["robot"])

    def _placed(self, y, dy) -> tuple[Pose, Twist]:
        return from_motion(self._home[0], self.instruments.placed(y), dy)

    def felt(self, x) -> jax.Array:
        """The wrench that is fed back to the bodies."""
        return self.instruments.read(x["sensor"][0])

    def derivative(self, t, x, u):
        now = self.contact(x, u)
        felt = self.felt(x)
        wrench = jnp.concatenate([now.wrench.f, now.wrench.tau])
        return {
            "bodies": self.pair.derivative(t, x["bodies"], Wrench(felt[:3], felt[3:])),
            "impact_heat": now.met.impact_power,
            "friction_heat": now.met.friction_power,
            "robot": lag_rate(self.instruments.robot, x["robot"], self._demand(x)),
            "sensor": lag_rate(self.instruments.sensor, x["sensor"], wrench),
        }

    def output(self, t, x, u):
        return {**super().output(t, x, u), "felt_force": jnp.linalg.norm(self.felt(x)[:3])}

    def settled(self, x):
        # the residue of a reading that no longer moves anything: a nanonewton
        quiet = jnp.all(
            jnp.abs(x["sensor"][0]) + jnp.abs(x["sensor"][1]) / self.instruments.sensor.omega < 1e-9
        )
        return quiet

    def moved(self, t, h, x, impact_speed, free):
        # lags are too fast for long steps of Runge-Kutta and are stepped exactly in free flight
        touching = super().moved(t, h, x, impact_speed, free)
        return jax.tree.map(lambda a, b: jnp.where(free, a, b), self.coast(x, h), touching)

    def coast(self, x, h):
        """Free flight over h [s]."""
        bodies, _ = RK4().step(self.pair, 0.0, h, x["bodies"], None, ())
        new = {**x, "bodies": bodies}
        y, dy = x["robot"]
        (y, dy, _), _ = self.instruments.robot.step(0.0, h, (y, dy, self._demand(x)), self._demand(new))
        s, ds = x["sensor"]
        nothing = jnp.zeros(6)
        (s, ds, _), _ = self.instruments.sensor.step(0.0, h, (s, ds, nothing), nothing)
        return {**new, "robot": (y, dy), "sensor": (s, ds)}

    def fastest(self, x, twist):
        _, own = self.pair.relative(x["bodies"])
        return jnp.sqrt(jnp.maximum(jnp.sum(twist.v**2), jnp.sum(own.v**2)))


def lag_rate(lag: SecondOrderLag, x, u):
    """Rates of a second-order lag's output and its rate, under an input."""
    y, dy = x
    return dy, lag.omega**2 * (u - y) - 2 * lag.damping * lag.omega * dy


class Moment(eqx.Module):
    """Where a docking stands: time, state, latched speed, and how it ended."""

    t: jax.Array  # [s]
    x: Any
    impact_speed: jax.Array  # [m/s]
    ending: jax.Array  # GOING, DOCKED or LEFT
    impacts: jax.Array  # so far


@eqx.filter_jit
def begin(docking: Docking) -> Moment:
    """The start of a docking."""
    x = docking.init()
    _, rate = docking.ball.approach(*docking.seen(x))
    return Moment(
        jnp.zeros(()), x, docking.ball.latch.above_floor(rate), jnp.zeros((), int), jnp.zeros((), int)
    )


def advance(docking: Docking, now: Moment, until: jax.Array) -> Moment:
    """One step of a length of its own; nothing moves once the docking has ended or its time is up."""
    pose, twist = docking.seen(now.x)
    touch, rate = docking.ball.approach(pose, twist)
    latched = docking.ball.latch.update(now.impact_speed, touch.depth, rate)

    earliest = touch.gap / (2 * docking.fastest(now.x, twist) + 1e-12)
    short = docking.contact_step
    free = docking.settled(now.x) & (earliest > short)
    h = jnp.where(free, jnp.clip(earliest, short, docking.free_step), short)
    h = jnp.minimum(h, until - now.t)
    over = (now.ending != GOING) | (h <= 0)
    h = jnp.where(over, short, h)

    x = docking.moved(now.t, h, now.x, latched, free)

    after, moving = docking.seen(x)
    new_touch, _ = docking.ball.approach(after, moving)
    home = after.p[0] - docking.ball.radius <= 0
    gone = (after.p[0] > docking.ball.cavity.mouth) & (moving.v[0] > 0)
    ending = jnp.where(home, DOCKED, jnp.where(gone, LEFT, GOING))
    struck = (touch.depth <= 0) & (new_touch.depth > 0)
    moment = Moment(now.t + h, x, latched, ending, now.impacts + struck)
    return jax.tree.map(lambda new, old: jnp.where(over, old, new), moment, now)


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
        shown = docking.output(moment.t, moment.x, moment.impact_speed)
        return moment, {"t": moment.t, "impact_speed": moment.impact_speed, **shown}

    return jax.lax.scan(one, start, None, length=steps)
