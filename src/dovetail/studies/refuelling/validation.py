"""Strikes on the validation rig: 384 runs, repeatability, slow and full-speed tests, identification from swings.

The parameters of the published rig are lost. Mass, bungees and stiffness of the drogue were fitted to the described
range of the strike at 1 m/s and 35 degrees (220 mm, 18 degrees, 1350 N, 340 N m), the scatter to the published
repeatability. The other results are not fitted: spectra, strain patterns, sensitivity and identification error.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax.typing import ArrayLike

from dovetail.core import RK4, Flow, Input, Output, State, Time
from dovetail.core.advance import run_samples
from dovetail.core.keep import Selected
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.system import FlowSystem
from dovetail.mechanics.contact import HystereticSpring, KelvinVoigt
from dovetail.mechanics.friction import Brush
from dovetail.specimens.funnel import Funnel
from dovetail.specimens.rib_basket import RibBasket
from dovetail.studies.refuelling.funnel_strike import Strike
from dovetail.studies.refuelling.hung_drogue import CONTACT_RADIUS, HungDrogue, strike_line

ANGLES = tuple(np.radians(np.arange(0, 40, 5)))  # [rad]
SPEEDS = (0.25, 0.5, 0.75, 1.0)  # [m/s]
RUNS, SLOW_RUNS = 12, 4
HOLD = 2.0  # [s] that the probe holds its end position, as published
RECORD_STEP = 1e-3  # [s] sample time of strikes: the published acquisition rate is lost
CAPTURE_STEP = 4e-3  # [s] sample time of swings: the published rate of the motion capture is lost
STIFFNESS = (16.5e3, 16.5e3, 3.4e3)  # [N/m] stiffness of bore, lead-in, ribs: fitted, see above
SLOW = Funnel(law=KelvinVoigt(STIFFNESS, tension="clamped"), friction=Brush(mu=0.2))
# rate effect that a pseudo-dynamic test does not measure: less restitution in fast contacts
FAST = dataclasses.replace(SLOW, law=HystereticSpring(STIFFNESS, loss_fraction=0.6))
METHOD = with_stage_loop(RK4())  # compiled once per step, not once per stage
SHOWN = ("drogue_position", "drogue_attitude_change", "force", "nozzle_pose", "contact_zone", "penetration")


@dataclasses.dataclass(frozen=True)
class Scatter:
    """Standard deviations of the run-to-run scatter, fitted to the published repeatability."""

    radius: float = 2.5e-3  # [m] radius of the struck point
    angle: float = 6e-3  # [rad] angle of the strike
    swing: float = 5e-4  # [rad] initial angles of the drogue
    pull: float = 2.0  # [N] pull of the cables
    strain: float = 13.3e-6  # noise of a strain gauge


FULL_SPEED_SCATTER = Scatter()
SLOW_SCATTER = Scatter(radius=3e-3, angle=6e-3, swing=0.0, pull=3.0)


@dataclasses.dataclass(frozen=True)
class Strikes:
    """Repeated strikes with the same speed and angle: arrays (runs, time, ...)."""

    time: np.ndarray
    position: np.ndarray  # [m] centre of mass relative to rest
    drogue_attitude_change: np.ndarray  # [rad]
    wrench: np.ndarray
    pose: np.ndarray  # [m, rad] of the nozzle in the drogue
    zone: np.ndarray

    def repeatability(self) -> tuple[float, float]:
        """Return the standard deviation over the runs, Euclidean, averaged over time: position [m], attitude [rad]."""
        return spread(self.position), spread(self.drogue_attitude_change)

    def wrench_repeatability(self) -> tuple[float, float]:
        """Return the standard deviation over the runs of force [N] and moment [N m] during contact."""
        touching = (self.zone > 0).any(axis=0)
        return spread(self.wrench[:, touching, :3]), spread(self.wrench[:, touching, 3:])


def spread(values: np.ndarray) -> float:
    """Return the standard deviation over runs (first axis), Euclidean over components, averaged over time."""
    return float(np.mean(np.sqrt(np.sum(np.var(values, axis=0, ddof=1), axis=-1))))


def case(
    angle: Any, speed: Any, *, radius: Any = CONTACT_RADIUS, swing: Any = 0.0, pull: Any = 0.0
) -> HungDrogue:
    """Return the rig with one strike; swing [rad] and pull [N] for two axes, or one value for both."""
    two = jnp.broadcast_to(jnp.asarray(swing, float), (2,)), jnp.broadcast_to(jnp.asarray(pull, float), (2,))
    line = strike_line(angle, radius=radius, speed=speed)
    return HungDrogue(receiver=line, initial_angles=two[0], side_pull=two[1])


def strike_run(
    rig: HungDrogue, funnel: Funnel, duration: float, step: float = RECORD_STEP
) -> dict[str, jax.Array]:
    """Simulate one strike and record every step."""
    flow = Strike(rig, eqx.tree_at(lambda f: f.initial_position, funnel, rig.receiver.initial_pose.p))
    return run_samples(FlowSystem(flow, METHOD), step, round(duration / step), Selected(SHOWN))[1]


@eqx.filter_jit
def strike_batch(
    angles: jax.Array, speed: jax.Array, draws: jax.Array, funnel: Funnel, duration: float
) -> dict[str, jax.Array]:
    """Simulate strikes of one speed [m/s] at angles (n,) [rad] with scatter (n, 6), recorded every millisecond."""

    def one(angle, draw):
        rig = case(angle + draw[1], speed, radius=CONTACT_RADIUS + draw[0], swing=draw[2:4], pull=draw[4:6])
        return strike_run(rig, funnel, duration)

    return jax.vmap(one)(angles, draws)


def draws(scatter: Scatter, number: int, seed: int) -> np.ndarray:
    """Return random scatter of runs, (number, 6): radius, angle, swings, pulls."""
    size = np.array([scatter.radius, scatter.angle, scatter.swing, scatter.swing, scatter.pull, scatter.pull])
    return np.random.default_rng(seed).standard_normal((number, 6)) * size


def duration_of(speed: float, hold: float = 0.5) -> float:
    """Return the recorded duration of a strike [s]: probe travel and part of its hold; 0.5 s contains all peaks."""
    return round(0.78 / speed + hold, 3)


def strikes(
    speed: float, angles, funnel: Funnel, scatter: Scatter, runs: int, seed: int = 0, hold: float = 0.5
) -> list[Strikes]:
    """Simulate repeated runs at every angle, all of one speed, as one batch."""
    angles = np.asarray(angles)
    drawn = draws(scatter, len(angles) * runs, seed)
    duration = duration_of(speed, hold)
    records = strike_batch(
        jnp.asarray(np.repeat(angles, runs)), jnp.asarray(speed), jnp.asarray(drawn), funnel, duration
    )
    time = RECORD_STEP * np.arange(1, round(duration / RECORD_STEP) + 1)

    def part(name, i):
        return np.asarray(records[name])[i * runs : (i + 1) * runs]

    rest = np.array([0.0, 0.0, -_hung_length()])
    return [
        Strikes(
            time,
            part("drogue_position", i) - rest,
            part("drogue_attitude_change", i),
            part("force", i),
            part("nozzle_pose", i),
            part("contact_zone", i),
        )
        for i in range(len(angles))
    ]


@cache
def _hung_length() -> float:
    """Return the distance [m] from the tow point to the centre of the drogue at rest."""

    @jax.jit
    def length():
        hung = HungDrogue()
        return hung.chain.length + hung.centre

    return float(length())


def matrix(
    speeds=SPEEDS, angles=ANGLES, runs: int = RUNS, seed: int = 0
) -> dict[tuple[float, float], Strikes]:
    """Return the matrix of full-speed strikes by speed [m/s] and angle [rad]: 4 x 8 x 12 = 384 by default."""
    strikes_by_case: dict[tuple[float, float], Strikes] = {}
    for i, speed in enumerate(speeds):
        rows = strikes(speed, angles, FAST, FULL_SPEED_SCATTER, runs, seed + i)
        strikes_by_case |= {(speed, angle): row for angle, row in zip(angles, rows, strict=True)}
    return strikes_by_case


@cache
def fast_cases() -> list[Strikes]:
    """Return V1000A0, V1000A15 and V1000A35 at full speed, 12 runs each."""
    return strikes(1.0, np.radians([0.0, 15.0, 35.0]), FAST, FULL_SPEED_SCATTER, RUNS)


@cache
def slow_case() -> Strikes:
    """Return V1000A35 as a pseudo-dynamic test, 4 runs."""
    return strikes(1.0, [np.radians(35.0)], SLOW, SLOW_SCATTER, SLOW_RUNS, seed=5)[0]


def strains(record: Strikes, scatter: Scatter = FULL_SPEED_SCATTER, seed: int = 1) -> np.ndarray:
    """Return the strain (runs, time, 2, 32) at the gauges for recorded poses, with gauge noise."""
    basket = RibBasket(initial_position=(0.0, 0.0, 0.0))

    @jax.jit
    def read(p):
        still = {"displacement": jnp.concatenate([p, jnp.zeros(3)]), "velocity": jnp.zeros(6)}
        return basket.output(0.0, basket.init(), still)["strain"]

    poses = record.pose[..., :3]
    clean = np.asarray(jax.jit(jax.vmap(jax.vmap(read)))(jnp.asarray(poses)))
    touching = (record.zone > 0)[..., None, None]
    return clean * touching + scatter.strain * np.random.default_rng(seed).standard_normal(clean.shape)


@cache
def nominal(full_speed: bool) -> Strikes:
    """Return V1000A35 without scatter, at full speed or pseudo-dynamic, to the end of the probe's hold."""
    none = Scatter(radius=0.0, angle=0.0, swing=0.0, pull=0.0)
    return strikes(1.0, [np.radians(35.0)], FAST if full_speed else SLOW, none, 1, hold=HOLD)[0]


def spectrum(record: Strikes) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies [Hz] and amplitude [m] of the drogue's lateral motion, averaged over the runs."""
    signal = record.position[:, :, 0] - record.position[:, :1, 0]
    window = np.hanning(signal.shape[1])
    amplitude = np.abs(np.fft.rfft(signal * window, axis=1)).mean(axis=0) / window.sum()
    return np.fft.rfftfreq(signal.shape[1], RECORD_STEP), amplitude


# identification of the rig from swings, in two stages


class Swing(Flow):
    """Free swing of the rig."""

    rig: HungDrogue

    def init(self) -> State:
        return self.rig.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.rig.derivative(t, x, {"force": jnp.zeros(6)})

    def output(self, t: Time, x: State, u: Input) -> Output:
        centre, tip = self.rig.centre_and_tip(x)
        return {"motion": jnp.concatenate([centre[:2], tip])}


@eqx.filter_jit
def swung(rig: HungDrogue, starts: jax.Array, duration: float, step: float = CAPTURE_STEP) -> jax.Array:
    """Simulate position and attitude (releases, time, 4) after releases at initial angles (releases, 2)."""

    def one(start):
        flow = Swing(eqx.tree_at(lambda r: r.initial_angles, rig, start))
        keep = Selected(("motion",))
        return run_samples(FlowSystem(flow, METHOD), step, round(duration / step), keep)[1]["motion"]

    return jax.vmap(one)(starts)


@dataclasses.dataclass(frozen=True)
class IdentifiedRig:
    """Parameters identified from two stages of swings, with the fit errors."""

    inertia: float  # [kg m^2]
    joint_damping: float  # [N m s]
    bungee_damping: float  # [N s/m]
    bungee_length: float  # [m]
    misfit: tuple[float, float]  # rms error over rms of the swing, first and second stage


def identify_rig(
    free: np.ndarray, held: np.ndarray, starts: ArrayLike, guess: HungDrogue, duration: float
) -> IdentifiedRig:
    """Fit the rig to recorded swings: first inertia and joint damping without bungees, then the bungee parameters.

    `free` and `held` (releases, time, 4) are recorded without and with bungees, after releases at `starts`. All
    parameters are bounded.
    """
    starts = jnp.asarray(starts)

    def fit(names, rig, recorded, bounds):
        start = np.array([float(getattr(rig, name)) for name in names])

        def with_values(x):
            return eqx.tree_at(
                lambda r: [getattr(r, n) for n in names], rig, [jnp.asarray(v) for v in x * start]
            )

        def miss(x):
            return (np.asarray(swung(with_values(x), starts, duration)) - recorded).ravel()

        lower, upper = (np.array(b) / start for b in bounds)
        solution = scipy.optimize.least_squares(
            miss, np.ones(len(names)), bounds=(lower, upper), diff_step=1e-4
        )
        share = float(
            np.sqrt(
                np.mean(solution.fun**2) / np.mean((recorded - recorded.mean(axis=1, keepdims=True)) ** 2)
            )
        )
        return with_values(solution.x), share

    slack = dataclasses.replace(guess, bungee_force=0 * guess.bungee_force, bungee_damping=0.0)
    one, first = fit(("inertia", "joint_damping"), slack, free, ((0.5, 0.01), (60.0, 60.0)))
    both = dataclasses.replace(guess, inertia=one.inertia, joint_damping=one.joint_damping)
    two, second = fit(("bungee_damping", "bungee_length"), both, held, ((0.1, 0.4), (200.0, 1.15)))
    return IdentifiedRig(
        inertia=float(one.inertia),
        joint_damping=float(one.joint_damping),
        bungee_damping=float(two.bungee_damping),
        bungee_length=float(two.bungee_length),
        misfit=(first, second),
    )


CORNERS = np.radians([[8.0, 8.0], [8.0, -8.0], [-8.0, 8.0], [-8.0, -8.0]])


@cache
def identified() -> tuple[IdentifiedRig, HungDrogue]:
    """Return the rig identified from simulated swings with noise and a constant lateral pull, and the true rig."""
    truth = HungDrogue(side_pull=(6.0, 3.0))
    slack = dataclasses.replace(
        truth, bungee_force=np.zeros(np.shape(truth.bungee_force)), bungee_damping=0.0
    )
    duration, starts = 4.0, jnp.asarray(CORNERS)
    noise = np.random.default_rng(3)
    scale = np.array([5e-4, 5e-4, 1e-3, 1e-3])  # [m, rad] noise of the motion capture
    free = np.asarray(swung(slack, starts, duration))
    held = np.asarray(swung(truth, starts, duration))
    free, held = (r + scale * noise.standard_normal(r.shape) for r in (free, held))
    guess = HungDrogue(inertia=8.0, joint_damping=8.0, bungee_damping=15.0, bungee_length=0.85)
    return identify_rig(free, held, CORNERS, guess, duration), truth


def bungee_table(extension: np.ndarray, force: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Fit bungee forces [N] at knots of extension [m] to a quasi-static stretch: piecewise linear, increasing."""
    hat = np.stack([np.interp(extension, knots, row) for row in np.eye(len(knots))], axis=1)
    steps = np.tril(np.ones((len(knots), len(knots))))
    slopes = scipy.optimize.nnls(hat @ steps, force)[0]
    return steps @ slopes
