"""Strikes, computed again: the drop test, the scaled and the full-scale refuelling test, the validation rig."""

from __future__ import annotations

import dataclasses
from functools import cache

import jax.numpy as jnp
import numpy as np

from dovetail.mechanics import DrogueHose
from dovetail.mechanics.drogue_receiver import Receiver, StopInTime
from dovetail.mechanics.drop_mass import DropMass
from dovetail.mechanics.hose_reel import StillReel
from dovetail.specimens.funnel import BORE, LEAD_IN, Funnel
from dovetail.specimens.funnel_strike import Strike
from dovetail.specimens.scaled import ScaledSpecimen
from dovetail.specimens.tennis_ball import TennisBall
from dovetail.studies.refuelling import drop as drops
from dovetail.studies.refuelling import validation
from dovetail.studies.refuelling.reproduce import _no_force, march

LIMIT = 400.0  # [N m]
NAMES = (
    "force",
    "tipping",
    "tow_tension",
    "end_tension",
    "contact_zone",
    "latched",
    "drogue_position",
    "ball_joint_position",
)


# the drop test


@cache
def dropped(full_speed: bool = False) -> drops.Drop:
    """The drop, slow (as the robot sees the ball) or at full speed."""
    if full_speed:
        return drops.drop(TennisBall(**drops.FULL_SPEED), contact_step=1e-5)
    return drops.drop(TennisBall())


def drop_impact() -> list[float]:
    """DV-16: time [s], speed [m/s] and energy [J] of the first impact."""
    first = dropped().contacts()[0]
    return [first.start, first.speed_in, 0.5 * 6.5 * first.speed_in**2]


def drop_table() -> list[float]:
    """Start [s], peak squeeze [m] and peak force [N] of the first four contacts."""
    return [v for c in dropped().contacts()[:4] for v in (c.start, c.depth, c.force)]


def drop_before() -> float:
    """RT-07: largest distance of slow and full-speed drop before the first impact [m]."""
    slow, fast = dropped(), dropped(True)
    t = np.linspace(0.0, 0.17, 500)
    return float(np.abs(np.interp(t, slow.time, slow.height) - np.interp(t, fast.time, fast.height)).max())


def drop_energy() -> list[float]:
    """RT-08: rest of the full-speed drop [s]; whether the slow one goes on longer and rebounds more."""
    slow, fast = dropped(), dropped(True)
    more = slow.contacts()[0].speed_out > fast.contacts()[0].speed_out
    return [fast.settled(), bool(slow.settled() > fast.settled()), bool(more)]


def drop_contacts() -> int:
    """RT-09: contacts that end in a rebound."""
    return sum(c.speed_out > 0.05 for c in dropped().contacts())


def drop_order() -> list[bool]:
    """RT-10: full speed rises more sharply, to a higher peak, and is less symmetric."""
    slow, fast = dropped().contacts()[0], dropped(True).contacts()[0]
    return [
        fast.force / fast.peak_after > slow.force / slow.peak_after,
        fast.force > slow.force,
        fast.peak_after / fast.duration < slow.peak_after / slow.duration,
    ]


def ball_linear() -> float:
    """RT-11: squeeze at which the loading curve leaves its first slope by 2 % [m]."""
    ball, d = TennisBall(home=0.067), np.linspace(1e-4, 0.06, 600)
    force = [
        float(
            ball.output(0.0, ball.init(), {"displacement": jnp.asarray(-s), "velocity": jnp.zeros(())})[
                "force"
            ]
        )
        for s in d[::20]
    ]
    slope = force[0] / d[0]
    return float(d[::20][np.argmax(np.array(force) > 1.02 * slope * d[::20])])


def peak_squeeze() -> float:
    """RT-12: peak squeeze of the first impact over the ball's diameter."""
    return dropped().contacts()[0].depth / 0.067


def drop_wall_time() -> float:
    """RT-14: minutes that the robot takes for four contacts, at 2 s and 1 s a step."""
    steps = sum(c.steps for c in dropped().contacts()[:4])
    return steps * 3.0 / 60


def drop_creep() -> bool:
    """RT-13: with creep in wall time the second loading is softer than the first."""
    ball = TennisBall(home=0.067, creep=0.1, creep_time=600.0)
    squeezed = {"displacement": jnp.asarray(-0.03), "velocity": jnp.zeros(())}
    after = {**ball.init(), "loaded": jnp.asarray(536 * 3.0)}  # [s] of the first contact
    return bool(ball.output(0.0, after, squeezed)["force"] < ball.output(0.0, ball.init(), squeezed)["force"])


def euler_gain() -> list[float]:
    """DV-18: energy that Euler's method adds to a bounce at 0.2, 0.1 and 0.01 ms."""
    return [drops.euler_gain(step) for step in (2e-4, 1e-4, 1e-5)]


def drag_found() -> float:
    """Drag identified from a fall recorded at 1500 frames a second with half a millimetre of noise [N s/m]."""
    t = np.arange(0.0, 0.2, 1 / 1500)
    fallen, _ = DropMass().fallen(jnp.asarray(t))
    height = 0.205 - np.asarray(fallen) + 5e-4 * np.random.default_rng(0).standard_normal(t.size)
    return drops.identified_drag(t, height)


# the full-scale test


@cache
def full_scale(offset: float, reel: bool = True) -> dict[str, np.ndarray]:
    """One strike of 1.2 s at an offset [m], recorded every half millisecond, time from first contact on."""
    hose = DrogueHose() if reel else DrogueHose(reel=StillReel())
    flow = Strike.at(hose, Funnel(), offset=offset, speed=1.5, incidence=0.0)
    found = {n: np.asarray(v) for n, v in march(flow, _no_force, 2.5e-4, 4800, NAMES).items()}
    touched = int(np.argmax(found["contact_zone"] > 0))
    latched = np.flatnonzero(found["latched"] > 0.5)
    until = int(latched[0]) + 1 if latched.size else 4800
    return found | {"time": 2.5e-4 * (np.arange(4800) - touched), "until": np.asarray(until)}


def _coupling(offset: float, name: str, **options) -> np.ndarray:
    run = full_scale(offset, **options)
    return run[name][: int(run["until"])]


def tips() -> list[float]:
    """RT-36 to RT-38: largest tip until latched at 50, 100, 200 mm [deg]."""
    return [float(np.degrees(np.abs(_coupling(o, "tipping")[:, 0]).max())) for o in (0.05, 0.1, 0.2)]


def trips() -> list[float | bool]:
    """RT-39: over the limit: never or in the bore at 50 and 100 mm, at the transition at 200 mm."""

    def zone(offset):
        moment = np.abs(_coupling(offset, "force")[:, 4])
        over = np.flatnonzero(moment > LIMIT)
        return float(_coupling(offset, "contact_zone")[over[0]]) if over.size else float(BORE)

    return [zone(0.05) == BORE, zone(0.1) == BORE, zone(0.2) == LEAD_IN]


def strike_table() -> list[float]:
    """The fit's table: peak moment [N m], least and most tension [N], latch [s] after contact, by offset."""
    rows = []
    for offset in (0.05, 0.1, 0.2):
        tension = _coupling(offset, "end_tension")
        rows += [
            float(np.abs(_coupling(offset, "force")[:, 4]).max()),
            float(tension.min()),
            float(tension.max()),
            float(_coupling(offset, "time")[-1]),
        ]
    return rows


def forward_motion() -> float:
    """RT-40: drogue's motion along x over that along z, at 100 mm."""
    place = _coupling(0.1, "drogue_position")
    x, z = np.ptp(place[:, 0]), np.ptp(place[:, 2])
    return float(x / z)


def vertical_motion() -> list[bool]:
    """RT-41: pushed down first, at the ball joint; then up, which aligns it with the probe."""
    joint, place = _coupling(0.2, "ball_joint_position")[:, 2], _coupling(0.2, "drogue_position")[:, 2]
    return [bool((joint - joint[0]).max() > 1e-3), bool((place - place[0]).min() < -0.1)]


def out_of_plane() -> float:
    """RT-42: motion along y over that along z at 200 mm."""
    place = _coupling(0.2, "drogue_position")
    return float(np.ptp(place[:, 1]) / np.ptp(place[:, 2]))


def tension_shape() -> list[float | bool]:
    """RT-43: tension drops at contact by more than a tenth; 50 and 100 mm overshoot to [N]; below 2500 N before."""
    found: list[float | bool] = []
    for offset in (0.05, 0.1):
        tension = _coupling(offset, "end_tension")
        found += [bool(tension.min() < 0.9 * tension[0]), float(tension.max())]
    return found


def reel_effect() -> float:
    """RT-44: change of the largest tip by the reel, over the tip; the worst of the three offsets."""
    worst = 0.0
    for offset in (0.05, 0.1, 0.2):
        on, off = (np.abs(_coupling(offset, "tipping", reel=r)[:, 0]).max() for r in (True, False))
        worst = max(worst, abs(float(on - off)) / float(off))
    return worst


# the scaled test


@cache
def scaled() -> dict[str, np.ndarray]:
    """The scaled strike, 4.5 s: just beneath the rim at 12 o'clock, stopped in half a second."""
    receiver = Receiver(offset=0.25, start=0.75, approach=StopInTime(before=0.09))
    hose = DrogueHose(reel=StillReel(), receiver=receiver)
    # the small drogue: every length a fifth, stiffness a sixtieth; its stiffness was fitted to the tip angle
    full = Funnel()
    small = dataclasses.replace(
        full,
        home=receiver.home.p / 5,
        depths=full.depths / 5,
        radii=full.radii / 5,
        rim_radius=full.rim_radius / 5,
        bristle=full.bristle / 5,
        latch_reach=full.latch_reach / 5,
        rib_stiffness=5e4 / 60,
        coupling_stiffness=5e4 / 60,
        friction=0.3,
    )
    flow = Strike(hose, ScaledSpecimen(small))
    found = {n: np.asarray(v) for n, v in march(flow, _no_force, 5e-4, 9000, NAMES).items()}
    touched = int(np.argmax(found["contact_zone"] > 0))
    return found | {"time": 5e-4 * (np.arange(9000) - touched)}


def scaled_tip() -> list[float | bool]:
    """RT-16: largest tip [deg]; whether it reverses after."""
    tip = np.degrees(scaled()["tipping"][:, 0])
    return [
        float(np.abs(tip).max()),
        bool(tip[int(np.argmax(np.abs(tip))) :].max() > -0.5 * np.abs(tip).max()),
    ]


def scaled_first() -> list[bool]:
    """RT-17 and RT-18: the drogue goes aft first; the ball joint moves up less, and later."""
    run = scaled()
    t, place, joint = run["time"], run["drogue_position"], run["ball_joint_position"]
    soon = (t > 0) & (t < 0.1)
    up, joint_up = place[0, 2] - place[:, 2], joint[0, 2] - joint[:, 2]
    event = (t > 0) & (t < 0.4)

    def when(values):
        return t[event][np.argmax(values[event] > 0.01)]

    return [
        bool((place[soon, 0] - place[0, 0]).min() < -1e-4),
        bool(joint_up[event].max() < up[event].max()),
        bool(when(joint_up) > when(up)),
    ]


def scaled_losses() -> int:
    """RT-19: times that contact is lost within the first second."""
    run = scaled()
    zone = run["contact_zone"][run["time"] < 1.0]
    return int(np.sum((zone[:-1] > 0) & (zone[1:] == 0)))


def scaled_peak() -> bool:
    """RT-20: the largest force is not at the first impact."""
    run = scaled()
    force, zone = np.linalg.norm(run["force"][:, :3], axis=1), run["contact_zone"]
    first = int(np.argmax(zone > 0))
    lost = first + int(np.argmax(zone[first:] == 0))
    return bool(force[first:lost].max() < force.max())


def scaled_tension() -> list[bool]:
    """RT-21: the end's tension drops at once at contact, and again later; then it oscillates slowly."""
    run = scaled()
    t, tension = run["time"], run["end_tension"]
    first = tension[(t > 0) & (t < 0.02)].min() < tension[0] - 20
    later = tension[(t > 0.05) & (t < 1)].min() < tension[0] - 20
    return [bool(first), bool(later), bool(np.ptp(tension[t > 1]) > 5)]


def wave_gap() -> float:
    """RT-22 and RT-23: from the wave at the tow point to the wave back at the drogue, after the pulse of DV-11 [s]."""
    from dovetail.studies.refuelling.reproduce import pulsed

    run = pulsed()
    t, change = run["time"], np.abs(run["tow_tension"] - run["tow_tension"][0])
    tip = np.abs(run["tipping"][:, 0])

    def middle(values, first, last):
        """Of a packet of waves, which disperses: the mean of its time, weighted with its square."""
        part = (t > first) & (t < last)
        return np.sum(t[part] * values[part] ** 2) / np.sum(values[part] ** 2)

    return float(middle(tip, 1.9, 3.3) - middle(change, 0.6, 2.3))


# the validation rig


def fast_repeatability() -> list[float]:
    """RT-24: standard deviation over 12 runs, position [mm] and tipping [deg], mean of three cases."""
    found = np.mean([c.repeatability() for c in validation.fast_cases()], axis=0)
    return [1e3 * float(found[0]), float(np.degrees(found[1]))]


@cache
def _strains() -> list[np.ndarray]:
    return [validation.strains(case) for case in validation.fast_cases()]


def strain_repeatability() -> float:
    """RT-25: the same of strain over all gauges [1e-6]."""
    return 1e6 * float(np.mean([np.std(s, axis=0, ddof=1).mean() for s in _strains()]))


def strain_pattern() -> list[float | bool]:
    """RT-26: azimuth of the radial and of the lateral peak [deg]; whether either grows with the angle."""
    peaks = [np.abs(s.mean(axis=0)).max(axis=0) for s in _strains()]  # (2, 32) each
    radial, lateral = (360 / 32 * int(np.argmax(peaks[-1][i])) for i in (0, 1))
    lateral = min(lateral, 360 - lateral)
    grows = [bool(np.all(np.diff([p[i].max() for p in peaks]) > 0)) for i in (0, 1)]
    return [radial, lateral, *grows]


def slow_repeatability() -> list[float]:
    """RT-27: over four slow runs, position [mm] and tipping [deg]."""
    place, tip = validation.slow_case().repeatability()
    return [1e3 * place, float(np.degrees(tip))]


def motion_range() -> list[float]:
    """RT-28: range of V1000A35: across [mm] and tipping [deg]."""
    case = validation.slow_case()
    return [1e3 * float(np.ptp(case.position[0][:, 0])), float(np.degrees(np.ptp(case.tipping[0][:, 0])))]


def peak_wrench() -> list[float]:
    """RT-29: largest force along the axis [N] and moment [N m] of the slow V1000A35."""
    wrench = np.abs(validation.slow_case().wrench[0]).max(axis=0)
    return [float(wrench[0]), float(wrench[4])]


def wrench_repeatability() -> list[float]:
    """RT-30: over four slow runs, force [N] and moment [N m]."""
    return list(validation.slow_case().wrench_repeatability())


def spectra() -> float:
    """RT-31: share of the band from 1 to 8 Hz in which the slow run's spectrum is above the full-speed one's."""
    f, fast = validation.spectrum(validation.nominal(True))
    _, slow = validation.spectrum(validation.nominal(False))
    band = (f >= 1) & (f <= 8)
    return float(np.mean(slow[band] > fast[band]))


def steady_offset() -> bool:
    """RT-32: runs settle at places that differ, by less than a tenth of the motion."""
    ends = validation.slow_case().position[:, -1, 0]
    spread, motion = np.ptp(ends), motion_range()[0] / 1e3
    return bool(0 < spread < 0.1 * motion)


def sensitivity() -> list[float]:
    """RT-33: rms change of the position by 10 mm and by one degree, over the rms of the response."""
    angle = np.radians(35.0)

    def run(angle, shift):
        drawn = np.zeros((1, 6))
        drawn[0, 0] = shift
        found = validation._batch(
            jnp.asarray([angle]),
            jnp.asarray(1.0),
            jnp.asarray(drawn),
            validation.SLOW,
            validation.duration_of(1.0),
        )
        return np.asarray(found["drogue_position"])[0, :, 0]

    base, wide, steep = run(angle, 0.0), run(angle, 0.01), run(np.radians(36.0), 0.0)

    def rms(a):
        return float(np.sqrt(np.mean(a**2)))

    return [rms(wide - base) / rms(base), rms(steep - base) / rms(base)]


def slow_wall_time() -> float:
    """RT-34: minutes of contact steps of 0.5 ms while the probe moves, at 16 s each (fitted: t_ex and t_s are lost)."""
    case = validation.slow_case()
    steps = int((case.zone[0] > 0)[case.time <= 0.78].sum()) * 2  # recorded every millisecond
    return steps * 16.0 / 60


def strike_count() -> int:
    """RT-35: strikes of the matrix."""
    return len(validation.SPEEDS) * len(validation.ANGLES) * validation.RUNS


def rig_found() -> list[float]:
    """RT-48: identified inertia, joint damping, bungee damping and length over the true ones; worst misfit."""
    found, truth = validation.identified()
    names = ("inertia", "joint_damping", "bungee_damping", "bungee_length")
    return [*(getattr(found, n) / float(getattr(truth, n)) for n in names), max(found.misfit)]
