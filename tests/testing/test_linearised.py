"""Tests as linear equations: specimens with a memory and without a slope at rest, against plain ones."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail import report
from dovetail.core.errors import AnalysisError
from dovetail.specimens.base import Memoryless, Specimen
from dovetail.testing.linearised import linear_parts, sampled_loop, sampled_poles, with_slope

K = 1e5  # [N/m]


class BoucWen(Specimen):
    """F = -k (a x + (1 - a) z) with z' = v - b |v| z - g v |z|: at rest a spring whose slip is remembered."""

    share: float = 0.2
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def init(self):
        return jnp.zeros(self.shape)

    def derivative(self, t, x, u):
        v = u["velocity"]
        return v - 200.0 * (0.5 * jnp.abs(v) * x + 0.5 * v * jnp.abs(x))

    def output(self, t, x, u):
        return {"force": -K * (self.share * u["displacement"] + (1 - self.share) * x)}


class PowerLaw(Memoryless):
    """F = -c |v|^0.5 sign v: an orifice of no slope at rest."""

    c: jax.Array

    def output(self, t, x, u):
        v = u["velocity"]
        return {"force": -self.c * jnp.sqrt(jnp.abs(v)) * jnp.sign(v)}


def frame(specimen, delay=2e-3, **fields):
    stiffness = 2e5 * np.array([[2.0, -1.0], [-1.0, 1.0]])
    numerical = dv.mechanics.Frame(
        mass=[100.0, 100.0], stiffness=stiffness, damping_ratio=0.02, specimen_storey=1
    )
    rig = dv.Rig(dv.transfer.Delay(delay), specimen)
    return dv.Test(numerical, rig, rate=1000.0, duration=5.0, **fields)


def test_a_hysteretic_specimen_is_linearised_as_a_spring_at_rest():
    """Its memory is a root at zero at every delay, which neutral."""
    hysteretic, spring = (frame(s).stability() for s in (BoucWen(), dv.specimens.Spring(k=K)))
    assert hysteretic.critical_delay == pytest.approx(spring.critical_delay, rel=1e-9)
    assert spring.critical_delay > 1e-3
    assert hysteretic.growth_rate == pytest.approx(spring.growth_rate, abs=1e-6)
    assert hysteretic.margin == pytest.approx(spring.margin, abs=1e-8)
    assert any("neutral" in remark for remark in hysteretic.remarks)
    assert not any("neutral" in remark for remark in spring.remarks)


@pytest.mark.parametrize("share", [0.8, 1.2])
def test_a_hysteretic_loop_is_stable_below_its_limit_and_unstable_beyond(share):
    limit = frame(BoucWen()).stability()
    late = frame(BoucWen(), delay=share * (limit.critical_delay - limit.force_hold_delay)).stability()
    assert late.stable == (share < 1)
    assert (late.margin > 0) == (share < 1)
    assert late.critical_delay == pytest.approx(limit.critical_delay, rel=1e-9)


def test_a_damper_without_slope_at_rest_is_linearised_over_the_reference_motion():
    """A sine of speed V meets c V^-0.5 times the mean of |sin|^1.5 over that of sin^2."""
    shaken = {"excitation": dv.Sine(amplitude=2.0, frequency=1.0)}
    test = dataclasses.replace(frame(PowerLaw(jnp.asarray(800.0)), **shaken), duration=20.0)
    ideal = test.reference().data.sel(time=slice(10.0, None))
    speed = float(np.sqrt(2) * ideal.velocity.std())
    phase = np.linspace(0, 2 * np.pi, 20001)
    expected = 800.0 * speed**-0.5 * np.mean(np.abs(np.sin(phase)) ** 1.5) / np.mean(np.sin(phase) ** 2)
    straight, (said,) = with_slope(test)
    assert float(straight.rig.specimen.damping[0, 0]) == pytest.approx(
        expected, rel=0.05
    )  # start-up counts, too
    assert abs(float(straight.rig.specimen.stiffness[0, 0])) < 0.05 * expected * 2 * np.pi
    assert "no slope at rest: it is linearised over the reference motion" in said
    answer = test.stability(quick=True)
    damper = dataclasses.replace(test, rig=straight.rig)
    assert answer.critical_delay == damper.stability(quick=True).critical_delay
    assert answer.small_motion_only
    assert said in answer.remarks
    assert np.isfinite(sampled_poles(test).growth)


@pytest.mark.slow
def test_a_report_on_a_damper_without_a_slope_is_written(tmp_path):
    test = dataclasses.replace(
        frame(PowerLaw(jnp.asarray(800.0)), excitation=dv.Sine(amplitude=2.0, frequency=1.0)), duration=2.0
    )
    run = test.rehearse()
    written = report.write_run(run, tmp_path / "report.html", test.reference(), test.stability())
    assert "no slope at rest" in written.read_text()


def test_without_slope_and_motion_the_verdict_is_undetermined():
    answer = frame(PowerLaw(jnp.asarray(800.0))).stability()
    assert np.isnan(answer.growth_rate)
    assert np.isnan(answer.margin)
    assert "no slope at rest, and the reference motion" in str(answer)
    assert "nan" not in str(answer)


def test_a_specimen_with_a_slope_is_linearised_at_rest():
    test = frame(dv.specimens.Spring(k=K))
    assert with_slope(test) == (test, [])


def test_a_tick_cut_at_the_force_is_the_tick_when_closed():
    """Poles of the closed tick are those of the tick itself, differentiated as it is."""
    from dovetail.stability import loop_poles
    from dovetail.testing.hybrid_loop import HybridLoop

    test = frame(dv.specimens.Spring(k=K))
    cut = sampled_loop(test)
    assert cut.B.shape[1] == cut.C.shape[0] == 1
    loop = HybridLoop.from_test(test.prepare())
    state, _ = loop.start()
    whole = loop_poles(lambda x: loop.step(test.dt, test.dt, x)[0], state, dt=test.dt)
    assert sampled_poles(test).growth == pytest.approx(whole.growth, rel=1e-9)


def test_a_rig_without_a_model_of_its_specimen_cannot_be_analysed():
    class Bare(dv.testing.AbstractRig):
        def init(self):
            return ()

        def first_reading(self, x):
            return {"measured_displacement": jnp.zeros(()), "measured_force": jnp.zeros(())}

        def step(self, t, dt, x, u):
            return (), {"measured_displacement": u, "measured_force": -K * u}

    test = dataclasses.replace(frame(dv.specimens.Spring(k=K)), rig=Bare())
    with pytest.raises(AnalysisError, match="no specimen model"):
        linear_parts(test)
