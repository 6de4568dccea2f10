import math

import numpy as np
import pytest

from dovetail.core import (
    BDF2,
    RK4,
    DormandPrince5,
    DormandPrince8,
    Euler,
    ImplicitEuler,
    Method,
    SemiImplicitEuler,
    check_step,
    stability_limit,
)
from dovetail.core.errors import AnalysisError, StepSizeError


@pytest.mark.parametrize(
    ("method", "eigenvalue", "limit"),
    [
        (Euler(), -10.0, 0.2),  # |1 + z| = 1
        (RK4(), 100j, 2 * math.sqrt(2) / 100),  # closed form on the imaginary axis
        (RK4(), -100.0, 2.785293563405282 / 100),  # real root of R(z) = 1
        (SemiImplicitEuler(), 100j, 2 / 100),
        (ImplicitEuler(), -1e6, math.inf),
        (BDF2(), 1e6j, math.inf),
    ],
)
def test_limits_agree_with_closed_forms(method, eigenvalue, limit):
    # 1e-6: the growth of 1e-9 a step that is let pass moves the crossing by that much at most
    assert stability_limit(method, [eigenvalue, np.conj(eigenvalue)]) == pytest.approx(limit, rel=1e-6)


def test_the_fastest_eigenvalue_decides_and_growing_ones_do_not_count():
    assert stability_limit(RK4(), [-1.0, -1000.0, +1e9]) == pytest.approx(2.785293563405282e-3, rel=1e-6)
    assert stability_limit(RK4(), [0.0, 5.0]) == math.inf


def test_euler_on_an_undamped_oscillator_has_practically_no_stable_step():
    assert stability_limit(Euler(), [100j]) < 1e-6


@pytest.mark.parametrize("method", [Euler(), RK4(), DormandPrince5(), DormandPrince8(), SemiImplicitEuler()])
@pytest.mark.parametrize("eigenvalue", [-30.0, -5 + 40j, -1 + 60j])
def test_a_run_decays_below_the_limit_and_grows_above_it(method, eigenvalue):
    limit = stability_limit(method, [eigenvalue])

    def growth(dt):
        if isinstance(method, SemiImplicitEuler):
            # the oscillator with that pair, stepped by hand
            k, c = abs(eigenvalue) ** 2, -2 * np.real(eigenvalue)
            step = np.array([[1 - dt**2 * k, dt * (1 - c * dt)], [-dt * k, 1 - c * dt]])
            return np.abs(np.linalg.eigvals(step)).max()
        # the tableau's stages by hand on x' = lambda x
        rates = []
        for row in method.tableau.a:
            rates.append(eigenvalue * (1 + dt * sum(a * r for a, r in zip(row, rates, strict=True))))
        return abs(1 + dt * sum(b * r for b, r in zip(method.tableau.b, rates, strict=True)))

    assert growth(0.99 * limit) < 1
    assert growth(1.01 * limit) > 1


def test_the_error_states_value_bound_and_remedy():
    check_step(RK4(), [-100.0], 0.02)
    with pytest.raises(StepSizeError) as error:
        check_step(RK4(), [-100.0, 1j], 0.1)
    for value in ("RK4", "0.1 s", "-100 rad/s", "0.02785 s", "4 substeps", "BDF2"):
        assert value in str(error.value)


def test_a_method_without_amplification_is_reported():
    class Mine(Method):
        def step(self, flow, t, dt, x, u, memory):
            return x, memory

    with pytest.raises(AnalysisError, match="`amplification"):
        stability_limit(Mine(), [-1.0])
