"""Random hybrid tests of one to three degrees of freedom with a nonlinear specimen, sized by its reference solution."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np

import dovetail as dv

from .specimens import FAMILIES, AnySpecimen

RATE, DURATION = 1000.0, 4.0  # [Hz], [s]
STATES, PARAMETERS, TABLE, SINES, WINDOW = 6, 10, 9, 3, 16  # sizes of arrays, as in truth.c
PREDICTOR_ORDER, PREDICTOR_WINDOW = 2, 10


@dataclasses.dataclass(frozen=True)
class Draw:
    """Random test; arrays have the sizes of `truth.c`."""

    number: int
    family: int
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    E: np.ndarray
    amplitude: np.ndarray  # [m/s^2]
    frequency: np.ndarray  # [Hz]
    phase: np.ndarray  # [rad]
    p: np.ndarray
    table_x: np.ndarray
    table_f: np.ndarray
    delay: float  # [s] of the actuator
    tau: float  # [s] of its lag; 0 for none
    horizon: float  # [s] of the predictor; 0 for none
    limit: float  # [m] largest demand displacement

    @property
    def name(self) -> str:
        """Family of the specimen."""
        return FAMILIES[self.family]

    def test(self, **changes) -> dv.Test:
        """Return the test as a hybrid test of Dovetail."""
        actuator = dv.transfer.Delay(self.delay, max_delay=0.05)
        if self.tau:
            actuator = dv.transfer.Series((actuator, dv.transfer.FirstOrderLag(tau=self.tau)))
        specimen = AnySpecimen(*map(jnp.asarray, (np.int64(self.family), self.p, self.table_x, self.table_f)))
        compensator = (
            dv.compensation.ForwardPrediction(
                delay=self.horizon, order=PREDICTOR_ORDER, window=PREDICTOR_WINDOW
            )
            if self.horizon
            else dv.compensation.NoCompensation()
        )
        fields = {
            "numerical": dv.mechanics.StateSpaceModel(A=self.A, B=self.B, C=self.C, E=self.E),
            "rig": dv.Rig(actuator, specimen),
            "compensator": compensator,
            "excitation": dv.SumOfSines(
                amplitudes=self.amplitude, frequencies=self.frequency, phases=self.phase
            ),
            "limits": dv.Limits(displacement=self.limit),
            "rate": RATE,
            "duration": DURATION,
        }
        return dv.Test(**fields | changes)


def draw(seed: int, number: int, family: int | None = None) -> Draw:
    """Return a random test whose reference motion has the size for which its specimen was drawn."""
    from .truth import reference_peak

    for attempt in range(20):
        rng = np.random.default_rng([seed, number, attempt])
        drawn = _unsized(rng, number, int(rng.integers(len(FAMILIES))) if family is None else family)
        size = drawn[1]
        one = drawn[0]
        for _ in range(12):  # amplitude of the excitation that gives the motion its size
            peak = reference_peak(one)
            if not np.isfinite(peak) or peak == 0:
                break
            ratio = size / peak
            if abs(ratio - 1) < 0.05:
                return one
            one = dataclasses.replace(one, amplitude=one.amplitude * np.clip(ratio, 0.3, 3.0) ** 0.8)
    raise RuntimeError(f"draw {number} of seed {seed}: no amplitude gives the motion its size")


def _unsized(rng: np.random.Generator, number: int, family: int) -> tuple[Draw, float]:
    """Return a random test before its excitation is scaled, and the peak of its motion [m]."""
    masses = int(rng.integers(1, 4))
    base = rng.uniform(1.0, 6.0)  # [Hz] of one mass alone
    M = np.exp(rng.uniform(-0.7, 0.7, 3))
    springs = (2 * np.pi * base) ** 2 * np.exp(rng.uniform(-0.5, 0.5, 3))
    K = np.diag(springs + np.append(springs[1:], 0.0)) - np.diag(springs[1:], 1) - np.diag(springs[1:], -1)
    at = masses - 1
    if masses < 3:  # masses without link to the interface, at rest
        K[masses:, :] = K[:, masses:] = 0
        K[range(masses, 3), range(masses, 3)] = 1e4
        K[at, at] = springs[at]
        M[masses:] = 1.0
    squares, shapes = np.linalg.eigh(K / np.sqrt(np.outer(M, M)))
    shapes = shapes / np.sqrt(M)[:, None]
    damping = rng.uniform(0.01, 0.12)
    weighted = M[:, None] * shapes
    D = (weighted * 2 * damping * np.sqrt(squares)) @ weighted.T
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-K / M[:, None], -D / M[:, None]]])
    B, C, E = np.zeros(6), np.zeros(6), np.zeros(6)
    B[3 + at], C[at] = 1 / M[at], 1.0
    E[3 : 3 + masses] = -1.0
    frequency = base * rng.uniform(0.3, 1.5, SINES)
    amplitude = np.array([1.0, *(rng.uniform(0.2, 1.0, 2) * (rng.random() < 0.5))])
    size = 10 ** rng.uniform(-3.0, -1.5)  # [m]
    speed = 2 * np.pi * base * size
    p, table_x, table_f = _specimen(rng, family, springs[at], M[at], base, size, speed)
    delay = float(np.exp(rng.uniform(np.log(0.5e-3), np.log(30e-3))))
    tau = float(rng.uniform(1e-3, 10e-3)) if rng.random() < 0.3 else 0.0
    horizon = (delay + tau) * rng.uniform(0.8, 1.1) if rng.random() < 0.35 else 0.0
    limit = size * rng.uniform(1.2, 3.0) if rng.random() < 0.4 else np.inf
    phase = rng.uniform(0, 2 * np.pi, SINES)
    one = Draw(
        number,
        family,
        A,
        B,
        C,
        E,
        amplitude,
        frequency,
        phase,
        p,
        table_x,
        table_f,
        delay,
        tau,
        float(horizon),
        float(limit),
    )
    return one, size


def _specimen(rng, family: int, spring: float, mass: float, base: float, size: float, speed: float):
    """Return the parameters of a specimen whose stiffness or damping changes two to twenty times up to that size."""
    k = spring * np.exp(rng.uniform(-2.0, 0.3))  # [N/m]
    critical = 2 * mass * 2 * np.pi * base  # [N s/m]
    d = critical * rng.uniform(0.0, 0.05) * (rng.random() < 0.5)
    change = np.exp(rng.uniform(np.log(2.0), np.log(20.0)))
    p = np.ones(PARAMETERS)
    p[:2] = k, d
    x = np.linspace(-2.0, 2.0, TABLE) * size
    f = k * x
    match FAMILIES[family]:
        case "hardening":  # tangent 1 + 3 (z/x0)^2
            p[0], p[2] = k / np.sqrt(change), size * np.sqrt(3 / (change - 1))
        case "softening":  # tangent (1 + (z/x0)^2)^-1.5
            p[2] = size / np.sqrt(change ** (2 / 3) - 1)
        case "Bouc-Wen":
            p[2:5] = size / np.exp(rng.uniform(0, 2)), rng.uniform(0.05, 0.5), rng.integers(1, 4)
        case "Coulomb":
            p[2:4] = k * size * rng.uniform(0.02, 0.5), speed / np.exp(rng.uniform(1.0, 4.0))
        case "LuGre":
            level = k * size * rng.uniform(0.02, 0.3)
            p[2:5] = level, level * rng.uniform(0, 0.5), speed * rng.uniform(0.02, 0.2)
            p[5] = level / (size * rng.uniform(0.02, 0.3))
            p[6] = p[5] / (2 * np.pi * base) * rng.uniform(0.0, 0.1)
        case "gap":
            p[0] *= rng.choice([0.0, 0.3])
            p[2:4] = size * rng.uniform(0.2, 0.9), k * np.sqrt(change)
        case "quadratic damper":
            p[0] *= rng.choice([0.0, 0.5])
            p[2] = critical * rng.uniform(0.05, 0.8) / speed
        case "asymmetric":
            p[1] = critical * rng.uniform(0.01, 0.3)
            p[2:4] = k * change ** rng.uniform(-1, 1), p[1] * change ** rng.uniform(-1, 1)
        case "fractional damper":
            exponent = rng.uniform(0.3, 0.8)
            p[0] *= rng.choice([0.0, 0.5])
            p[2:4] = critical * rng.uniform(0.02, 0.4) * speed ** (1 - exponent), exponent
        case "force table":
            steps = k * np.exp(rng.uniform(-0.5, 0.5, (TABLE - 1) // 2) * np.log(change))
            half = np.concatenate([[0.0], np.cumsum(steps * np.diff(x[TABLE // 2 :]))])
            f = np.concatenate([-half[:0:-1], half])
        case "stop on one side":
            p[0] *= rng.choice([0.1, 1.0])
            p[2:5] = size * rng.uniform(0.3, 0.9), k * np.sqrt(change / size), rng.uniform(0, 0.3) / speed
        case "snap-through":
            p[2:4] = size, rng.uniform(0.1, 0.5) * min(1.0, spring / k)
        case "relief valve":
            p[0] *= rng.choice([0.0, 0.5])
            p[1] = critical * rng.uniform(0.1, 1.0)
            p[2] = p[1] * speed / change
        case "position-dependent damper":
            p[0] *= rng.choice([0.0, 0.5])
            p[1], p[2] = critical * rng.uniform(0.01, 0.3), size / np.sqrt(change - 1)
    return p, x, f
