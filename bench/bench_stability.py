"""Time of stability computations, relative to integrating the delay equation in time."""

import time

import jax
import numpy as np
import pytest
from sizes import sized

from dovetail.compensation.polynomial import predictor_weights
from dovetail.stability import DelayEquation, critical_delay, first_crossing, maps, single_interface

REPEATS, RANDOM = sized((5, 200), (1, 8))  # timings, random tests
M, K = 2.2, 2250.0  # kg, N/m
SIDE = sized(200, 10)  # points along each side of the map
C = np.linspace(1.0, 60.0, SIDE)[:, None]  # N s/m
K_S = np.linspace(600.0, 9000.0, SIDE)[None, :]  # N/m
POINTS = [(15.0, 2250.0), (5.0, 1200.0), (30.0, 6000.0), (8.0, 4000.0)][: sized(4, 1)]  # (c, k_s)


def one_mass(tau, c, k_s, m=M, k=K):
    return DelayEquation([[0, 1], [-k / m, -c / m]], [([[0, 0], [-k_s / m, 0]], tau)])


def closed_form(c, k_s):
    return np.asarray(single_interface.critical_delay(m=M, c=c, k=K, k_s=k_s))


def best_of(repeats, call):
    """Return the shortest time [s] of some calls, and the result."""
    times, result = [], None
    for _ in range(repeats):
        begin = time.perf_counter()
        result = jax.block_until_ready(call())
        times.append(time.perf_counter() - begin)
    return min(times), result


def largest_error(computed, exact):
    """Return the largest relative difference of finite values; infinite values must be infinite in both."""
    computed, exact = np.asarray(computed), np.asarray(exact)
    assert np.array_equal(np.isinf(computed), np.isinf(exact))
    finite = np.isfinite(exact)
    return float(np.max(np.abs(computed[finite] / exact[finite] - 1)))


def test_map_of_critical_delay(benchmark, figure):
    """Map over damping and specimen stiffness, by closed form and by polynomial roots."""
    closed = jax.jit(lambda c, k_s: single_interface.critical_delay(m=M, c=c, k=K, k_s=k_s))
    jax.block_until_ready(closed(C, K_S))
    exact = benchmark(lambda: jax.block_until_ready(closed(C, K_S)))
    seconds, _ = best_of(REPEATS, lambda: closed(C, K_S))
    general, delays = best_of(
        REPEATS, lambda: maps.loop_delay_map(lambda c, k_s: [k_s], lambda c, k_s: [M, c, K], C, K_S)
    )
    error = largest_error(delays, exact)
    assert error < 1e-9
    figure(f"map of critical delay, {SIDE} x {SIDE}, closed form", seconds, "s", target=3.0, at_least=False)
    figure(
        "the same map by the method for any rational loop",
        general,
        "s",
        target=3.0,
        at_least=False,
        accuracy=f"within {error:.1e} of the closed form",
    )


def test_agreement_over_random_tests(figure):
    """Numerical methods relative to the closed form on random tests."""
    rng = np.random.default_rng(200)
    m, c = rng.uniform(0.5, 5.0, RANDOM), rng.uniform(1.0, 40.0, RANDOM)
    k, k_s = rng.uniform(500.0, 9000.0, (2, RANDOM))
    exact = np.asarray(single_interface.critical_delay(m=m, c=c, k=k, k_s=k_s))
    cases = list(zip(m, c, k, k_s, exact, strict=True))

    def march(m, c, k, k_s, exact):
        reach = 1.5 * exact if np.isfinite(exact) else 0.1  # s
        crossing = first_crossing(lambda tau: one_mass(tau, c, k_s, m, k), 0.0, reach)
        return np.inf if crossing is None else crossing.parameter

    for name, method in (
        ("by marching and Newton", march),
        (
            "by crossings of a common delay",
            lambda m, c, k, k_s, _: critical_delay(one_mass(1e-3, c, k_s, m, k)),
        ),
    ):
        begin = time.perf_counter()
        delays = [method(*case) for case in cases]
        each = (time.perf_counter() - begin) / len(cases)
        error = largest_error(delays, exact)
        figure(
            f"critical delay of {RANDOM} random tests {name}, largest difference",
            error,
            "",
            target=1e-6,
            at_least=False,
            accuracy=f"{1e3 * each:.1f} ms each",
        )


def test_spectrum_with_sixteen_delays(benchmark, figure):
    """A predictor of order 4 over 16 samples in the loop."""
    weights = np.asarray(predictor_weights(4, 16, 9.4))
    force = [([[0, 0], [-K / M * w, 0]], 9.4e-3 + 1e-3 * i) for i, w in enumerate(weights)]
    equation = DelayEquation([[0, 1], [-K / M, -3.0 / M]], force)
    roots = benchmark(lambda: equation.roots(4))
    seconds, _ = best_of(REPEATS, lambda: equation.roots(4).values)
    figure(
        "dominant poles of a delay equation with 16 delays",
        1e3 * seconds,
        "ms",
        target=50.0,
        at_least=False,
        accuracy=f"estimated error at most {roots.errors.max():.1e} 1/s",
    )


class ByIntegration:
    """Critical delay by bisection on the growth of a trace that compiled code of JiTCDDE integrates."""

    def __init__(self):
        symengine = pytest.importorskip("symengine", reason="jitcdde is not installed")
        jitcdde = pytest.importorskip("jitcdde", reason="jitcdde is not installed")
        y, t = jitcdde.y, jitcdde.t
        c, k_s, tau = symengine.symbols("c k_s tau")
        right = [y(1), -K / M * y(0) - c / M * y(1) - k_s / M * y(0, t - tau)]
        self.code = jitcdde.jitcdde(right, control_pars=[c, k_s, tau], max_delay=0.1, verbose=False)
        self.code.compile_C(simplify=False, verbose=False)

    def close(self):
        self.code.__del__()  # removes its folder of compiled code without a warning

    def growth(self, c, k_s, tau, duration=3.0):
        """Return the logarithm of the later over the earlier amplitude, after the transient."""
        code = self.code
        code.purge_past()
        code.constant_past([0.01, 0.0])
        code.set_parameters(c, k_s, tau)
        code.set_integration_parameters(rtol=1e-7, atol=1e-12, first_step=1e-4, max_step=5e-3)
        code.adjust_diff()
        trace = np.abs([code.integrate(t)[0] for t in code.t + np.arange(0.0, duration, 2e-3)])
        half = len(trace) // 2
        return np.log(trace[half:].max() / trace[half // 2 : half].max())

    def critical_delay(self, c, k_s, bisections=10):
        low, high = 0.6 * c / k_s, 1.8 * c / k_s  # around the first-order estimate
        for _ in range(bisections):
            middle = (low + high) / 2
            low, high = (middle, high) if self.growth(c, k_s, middle) < 0 else (low, middle)
        return (low + high) / 2


@pytest.mark.filterwarnings("ignore")  # raised in JiTCDDE
def test_against_integration_in_time(figure):
    by_integration = ByIntegration()
    begin = time.perf_counter()
    delays = [by_integration.critical_delay(c, k_s) for c, k_s in POINTS]
    each = (time.perf_counter() - begin) / len(POINTS)
    by_integration.close()
    exact = [float(closed_form(c, k_s)) for c, k_s in POINTS]
    error = largest_error(delays, exact)
    assert error < 0.01  # both compute the same quantity

    spectral, roots = best_of(REPEATS, lambda: [critical_delay(one_mass(1e-3, c, k_s)) for c, k_s in POINTS])
    spectral_error = largest_error(roots, exact)
    closed = jax.jit(lambda c, k_s: single_interface.critical_delay(m=M, c=c, k=K, k_s=k_s))
    jax.block_until_ready(closed(C, K_S))
    map_time, _ = best_of(REPEATS, lambda: closed(C, K_S))
    accuracy = f"errors {spectral_error:.0e} and {error:.0e} of the exact delay"
    figure(
        "one critical delay: time integration (JiTCDDE) over spectrum",
        each / (spectral / len(POINTS)),
        "x",
        accuracy=f"{accuracy}; {each:.2g} s and {spectral / len(POINTS):.2g} s",
    )
    figure(
        f"the map: time integration, from {len(POINTS)} points, over the closed form",
        each * C.size * K_S.size / map_time,
        "x",
        accuracy=f"{each * C.size * K_S.size / 3600:.1f} h and {map_time:.2g} s",
    )
