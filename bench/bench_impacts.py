"""How fast are ten thousand impacts, beside the same ones integrated one by one with scipy's solve_ivp?

Delay x mass x speed x law. Each is an impact twice, ideal and through its instruments, reduced to peaks,
rebound and duration. scipy gets the loosest tolerance at which its peak force is as accurate as the batch's,
and the fastest of three of its methods; it is timed on a random sample, since the whole would take minutes.
"""

import itertools
import time

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

from dovetail.core.registry import kinds
from dovetail.mechanics.contact import Dissipative, GivenDamping, GivenStiffness
from dovetail.studies.docking.impact import Instruments, first_impact

K = 9.0795e8  # [N/m^1.5] polyimide on aluminium
SENSOR = 2 * np.pi * 10e3  # [rad/s]
LAWS = [name for name in sorted(kinds(Dissipative)) if name not in ("given-damping", "gonthier-exact")]
STEPS, CHUNK = 600, 500


def variants() -> np.ndarray:
    """(10080, 4): actuator frequency [rad/s], mass [kg], speed [m/s], damping factor."""
    delays = np.linspace(0.2e-3, 2e-3, 12)
    masses = np.geomspace(5.0, 120.0, 12)
    speeds = np.linspace(0.05, 0.2, 10)
    factors = [float(kinds(Dissipative)[name](stiffness=1.0).damping_factor(0.8)) for name in LAWS]
    return np.array(list(itertools.product(4 / delays, masses, speeds, factors)))


def measures(variant, steps):
    w, mass, speed, factor = variant
    law = GivenDamping(stiffness=GivenStiffness(K), factor=factor)
    p = first_impact(law, mass, speed, Instruments(w, SENSOR), steps=steps, slowest=0.75, lags=5.0)
    return jnp.stack([p.hil.peak_force, p.hil.final_rebound, p.ideal.peak_force, p.hil.duration])


@eqx.filter_jit
def batch(table, steps):
    return jax.lax.map(lambda v: measures(v, steps), table, batch_size=CHUNK)


def one_by_one(variant, method, rtol):
    """Peak measured force [N] of the impact through instruments, and of the ideal, as an engineer would."""
    w, mass, speed, factor = variant

    def hil(t, x):
        z, v, y, u, f, g = x
        felt = K * max(y, 0.0) ** 1.5 * max(1 + factor * u / speed, 0.0)
        return [v, -f / mass, u, w * w * (z - y) - 1.4 * w * u, g, SENSOR**2 * (felt - f) - 1.4 * SENSOR * g]

    def ideal(t, x):
        return [x[1], -K / mass * max(x[0], 0.0) ** 1.5 * max(1 + factor * x[1] / speed, 0.0)]

    def top(t, x):
        return x[5]

    def apart(t, x):
        return x[2] + 1e-9

    def parted(t, x):
        return x[0] + 1e-9

    top.direction = apart.direction = parted.direction = -1.0
    apart.terminal = parted.terminal = True
    scale = (1.25 * mass * speed**2 / K) ** 0.4
    start = [1.4 / w * speed, speed, 0.0, speed, 0.0, 0.0]
    tolerance = [scale, speed, scale, speed, 1e3, 1e6]
    done = solve_ivp(
        hil,
        (0, 1.0),
        start,
        method=method,
        rtol=rtol,
        atol=rtol * np.array(tolerance),
        events=(top, apart),
        first_step=1e-6,
    )
    solve_ivp(
        ideal,
        (0, 1.0),
        [0.0, speed],
        method=method,
        rtol=rtol,
        atol=rtol * np.array([scale, speed]),
        events=(parted,),
        first_step=1e-6,
    )
    return max((x[4] for x in done.y_events[0]), default=np.nan)


def test_ten_thousand_impacts(figure):
    table = variants()
    rng = np.random.default_rng(1)
    sample = rng.choice(len(table), 40, replace=False)
    true = np.asarray(batch(jnp.asarray(table[sample]), 20_000))[:, 0]

    begin = time.perf_counter()
    got = np.asarray(batch(jnp.asarray(table), STEPS))
    first = time.perf_counter() - begin
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        got = np.asarray(batch(jnp.asarray(table), STEPS))
        seconds.append(time.perf_counter() - begin)
    assert np.isfinite(got).all()
    error = float(np.max(np.abs(got[sample, 0] / true - 1)))
    each = min(seconds) / len(table)

    best = None
    for method in ("RK45", "DOP853", "LSODA"):
        for rtol in (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6, 1e-7):
            begin = time.perf_counter()
            peaks = np.array([one_by_one(table[i], method, rtol) for i in sample])
            took = (time.perf_counter() - begin) / len(sample)
            miss = float(np.max(np.abs(peaks / true - 1)))
            if miss <= max(error, 1e-6):
                best = min(best or (np.inf, "", 0, 0), (took, method, rtol, miss))
                break
    assert best is not None
    accuracy = f"peak force within {error:.1e}"
    figure(
        f"{len(table)} impacts, ideal and through instruments, with compilation",
        first,
        "s",
        target=20.0,
        at_least=False,
        accuracy=accuracy,
    )
    figure("the same, compiled", min(seconds), "s", accuracy=accuracy)
    figure(
        "ratio to solve_ivp, one by one",
        best[0] / each,
        "x",
        target=50,
        accuracy=f"{best[1]}, rtol {best[2]:g}: peak force within {best[3]:.1e}",
    )
