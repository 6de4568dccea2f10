"""What every compensator offers besides its step."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import (
    AdaptiveForwardPrediction,
    AdaptiveTimeSeries,
    Cascade,
    Compensator,
    FirstOrderInverse,
    FixedCoefficients,
    ForwardPrediction,
    InverseModel,
    MinimalControlSynthesis,
    NoCompensation,
    PhaseAdvance,
    SecondOrderInverse,
)
from dovetail.core.errors import AnalysisError
from dovetail.core.kinds import parts_by_kind

DT = 1e-3  # [s]
ALL = (
    NoCompensation(),
    ForwardPrediction(9.4e-3),
    AdaptiveForwardPrediction(delay=9.4e-3, final_order=5, final_window=12),
    FixedCoefficients(9.4e-3),
    SecondOrderInverse.from_omega(235.4, 0.684),
    FirstOrderInverse(169.3, 166.5),
    InverseModel([0.7068, 5700.0], [1.0, 62.97, 5731.6]),
    PhaseAdvance(1.5, 44.7, compensator=AdaptiveForwardPrediction(delay=9.4e-3)),
    Cascade((AdaptiveTimeSeries(5e-3), ForwardPrediction(4.4e-3))),
    AdaptiveTimeSeries(9.4e-3),
    MinimalControlSynthesis(),
)
LEARNING = (AdaptiveForwardPrediction, AdaptiveTimeSeries, MinimalControlSynthesis)
everyone = pytest.mark.parametrize("compensator", ALL, ids=lambda c: type(c).__name__)


def motion(shape):
    names = ("displacement", "velocity", "acceleration", "measured_displacement", "measured_force")
    return {name: jnp.full(shape, 0.01 * (i + 1)) for i, name in enumerate(names)}


def test_every_compensator_is_tested_here():
    ours = {
        c for c in parts_by_kind(Compensator).values() if c.__module__.startswith("dovetail.compensation.")
    }
    assert {type(c) for c in ALL} == ours


@everyone
def test_shapes_follow_the_interface_and_do_not_change(compensator):
    sized = compensator.with_sample_time(DT, (2,))
    state, out = jax.eval_shape(lambda: sized.step(0.0, DT, sized.init(), motion((2,))))
    before = jax.eval_shape(sized.init)
    assert jax.tree.structure(state) == jax.tree.structure(before)
    assert [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(state)] == [
        (leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(before)
    ]
    assert all(value.shape == (2,) for value in out.values())


@everyone
def test_every_recorded_signal_is_declared(compensator):
    from dovetail.core.signals import all_signals

    sized = compensator.with_sample_time(DT)
    _, out = jax.eval_shape(lambda: sized.step(0.0, DT, sized.init(), motion(())))
    assert set(out) <= set(all_signals())


@eqx.filter_jit
def run(block, given):
    return jax.lax.scan(lambda x, u: block.step(0.0, DT, x, u), block.init(), given)[1]["command"]


@everyone
def test_two_actuators_are_two_times_one(compensator):
    both, one = compensator.with_sample_time(DT, (2,)), compensator.with_sample_time(DT)
    names = list(motion(()))
    rng = np.random.default_rng(3)
    inputs = {name: jnp.asarray(0.01 * rng.standard_normal((30, 2)).cumsum(axis=0)) for name in names}

    together = run(both, inputs)
    for axis in range(2):
        alone = run(one, {name: value[:, axis] for name, value in inputs.items()})
        assert np.asarray(together[:, axis]) == pytest.approx(np.asarray(alone), rel=1e-12, abs=1e-14)


@everyone
def test_a_frozen_compensator_does_not_adapt(compensator):
    frozen = compensator.without_adaptation()
    _, out = jax.eval_shape(lambda: frozen.step(0.0, DT, frozen.init(), motion(())))
    assert set(out) == {"command"}
    assert not isinstance(frozen, LEARNING)
    if not isinstance(compensator, MinimalControlSynthesis):
        w = np.array([10.0, 40.0])
        held, learning = (np.asarray(eqx.filter_jit(c.response)(w, DT)) for c in (frozen, compensator))
        assert held == pytest.approx(learning)


def test_a_compensator_with_feedback_has_no_frequency_response():
    with pytest.raises(AnalysisError, match="MinimalControlSynthesis is not a linear filter"):
        MinimalControlSynthesis().response(10.0, DT)
