"""Targets of the validation rig: repeatability, strain patterns, spectra, sensitivity, identification."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np

from dovetail.studies.refuelling import validation

SHIFTS = (0.01, float(np.radians(1.0)))  # [m, rad] perturbations for the sensitivity check


def fast_repeatability() -> list[float]:
    """RT-24: standard deviation over 12 runs, position [mm] and attitude [deg], mean of three cases."""
    repeatability = np.mean([c.repeatability() for c in validation.fast_cases()], axis=0)
    return [1e3 * float(repeatability[0]), float(np.degrees(repeatability[1]))]


@cache
def _strains() -> list[np.ndarray]:
    return [validation.strains(case) for case in validation.fast_cases()]


def strain_repeatability() -> float:
    """RT-25: standard deviation of the strain over 12 runs, mean of all gauges [1e-6]."""
    return 1e6 * float(np.mean([np.std(s, axis=0, ddof=1).mean() for s in _strains()]))


def strain_pattern() -> list[float | bool]:
    """RT-26: azimuth of the radial and lateral peak [deg]; whether each grows with the angle."""
    peaks = [np.abs(s.mean(axis=0)).max(axis=0) for s in _strains()]  # (2, 32) each
    radial, lateral = (360 / 32 * int(np.argmax(peaks[-1][i])) for i in (0, 1))
    lateral = min(lateral, 360 - lateral)
    grows = [bool(np.all(np.diff([p[i].max() for p in peaks]) > 0)) for i in (0, 1)]
    return [radial, lateral, *grows]


def slow_repeatability() -> list[float]:
    """RT-27: standard deviation over four slow runs, position [mm] and attitude [deg]."""
    place, tip = validation.slow_case().repeatability()
    return [1e3 * place, float(np.degrees(tip))]


def motion_range() -> list[float]:
    """RT-28: range of V1000A35: lateral position [mm] and attitude [deg]."""
    case = validation.slow_case()
    return [
        1e3 * float(np.ptp(case.position[0][:, 0])),
        float(np.degrees(np.ptp(case.drogue_attitude_change[0][:, 0]))),
    ]


def peak_wrench() -> list[float]:
    """RT-29: largest force along the axis [N] and moment [N m] of the slow V1000A35."""
    wrench = np.abs(validation.slow_case().wrench[0]).max(axis=0)
    return [float(wrench[0]), float(wrench[4])]


def wrench_repeatability() -> list[float]:
    """RT-30: standard deviation over four slow runs, force [N] and moment [N m]."""
    return list(validation.slow_case().wrench_repeatability())


def spectra() -> float:
    """RT-31: fraction of the band up to 20 Hz in which the slow spectrum is above the full-speed spectrum."""
    fast, slow = _amplitudes(0.0)
    return float(np.mean(slow > fast))


def swing_energy() -> float:
    """RT-31: ratio of the motion energy from 1 to 20 Hz, slow over full speed."""
    fast, slow = _amplitudes(1.0)
    return float(np.sum(slow**2) / np.sum(fast**2))


def _amplitudes(lowest: float) -> list[np.ndarray]:
    """Return the spectra of the full-speed and the slow run from a frequency [Hz] to 20 Hz."""
    amplitudes = []
    for full_speed in (True, False):
        f, amplitude = validation.spectrum(validation.nominal(full_speed))
        amplitudes.append(amplitude[(f >= lowest) & (f <= 20.0)])
    return amplitudes


def steady_offset() -> bool:
    """RT-32: final positions of the runs differ by less than a tenth of the motion."""
    ends = validation.slow_case().position[:, -1, 0]
    spread, motion = np.ptp(ends), motion_range()[0] / 1e3
    return bool(0 < spread < 0.1 * motion)


def sensitivity() -> list[float]:
    """RT-33: rms change of the position for a 10 mm and a one-degree perturbation, over the rms of the response."""
    angle = np.radians(35.0)

    def run(angle, shift):
        drawn = np.zeros((1, 6))
        drawn[0, 0] = shift
        records = validation.strike_batch(
            jnp.asarray([angle]),
            jnp.asarray(1.0),
            jnp.asarray(drawn),
            validation.SLOW,
            validation.duration_of(1.0),
        )
        return np.asarray(records["drogue_position"])[0, :, 0]

    base, wide, steep = run(angle, 0.0), run(angle, SHIFTS[0]), run(angle + SHIFTS[1], 0.0)

    def rms(a):
        return float(np.sqrt(np.mean(a**2)))

    return [rms(wide - base) / rms(base), rms(steep - base) / rms(base)]


def slow_wall_time() -> float:
    """RT-34: time of the contact steps of 0.5 ms while the probe moves [min], at 16 s each.

    The 16 s are fitted, as t_ex and t_s are lost.
    """
    case = validation.slow_case()
    steps = int((case.zone[0] > 0)[case.time <= 0.78].sum()) * 2  # recorded every millisecond
    return steps * 16.0 / 60


def strike_count() -> int:
    """RT-35: number of strikes in the matrix."""
    return len(validation.SPEEDS) * len(validation.ANGLES) * validation.RUNS


def rig_found() -> list[float]:
    """RT-48: identified over true inertia, joint damping, bungee damping and length; largest fit error."""
    identified, truth = validation.identified()
    names = ("inertia", "joint_damping", "bungee_damping", "bungee_length")
    return [*(getattr(identified, n) / float(getattr(truth, n)) for n in names), max(identified.misfit)]
