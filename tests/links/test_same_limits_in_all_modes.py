"""Every mode stops at the same sample, with the same outcome and the same words: there is one supervisor.

A motion from random tables meets a spring that ends in stops, under random limits. What should happen is worked out
here once more, sample by sample in plain Python, from the words of the operator's guide.
"""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.links.real_time import RealTimeSettings
from dovetail.mechanics import Substructure
from dovetail.specimens.base import Memoryless
from dovetail.testing import Outcome
from dovetail.testing.pseudodynamic import PseudodynamicSettings

AXES = ("x", "y", "roll")
TURNS = np.array([False, False, True])
OWN = {"force": ~TURNS, "torque": TURNS}  # axes
LIMITED = ("displacement", "velocity", "acceleration", "growth_rate")
LIMITED += ("force", "torque", "tracking_error", "power", "interface_energy", "frozen_sensor")
TICKS, DT, WINDOW = 48, 1e-3, 0.74e-3
STOP = 1.5  # where the readings do not follow any more
DRAWS = 22
# no real-time scheduling; an answer is waited for as long as a busy machine takes
PATIENT = RealTimeSettings(native=False, priority=0, lock=False, wait=120.0, grace=1e6)


class Tables(Substructure):
    """Displacement, velocity and acceleration from tables that have nothing to do with one another."""

    z: jax.Array
    v: jax.Array
    a: jax.Array

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        k = jnp.clip(jnp.round(t / DT).astype(int), 0, TICKS)
        return {"displacement": self.z[k], "velocity": self.v[k], "acceleration": self.a[k]}


class Alone(Tables):
    """The same without a rig: it shows what the springs would do that do not turn."""

    k: jax.Array

    def output(self, t, x, u):
        shown = super().output(t, x, u)
        return {
            **shown,
            "tension": -self.k * jnp.where(TURNS, 0.0, jnp.clip(shown["displacement"], -STOP, STOP)),
        }


class StoppedSpring(Memoryless):
    """A spring for each axis that pulls no harder beyond its stop."""

    k: jax.Array

    def output(self, t, x, u):
        return {"force": -self.k * jnp.clip(u["displacement"], -STOP, STOP)}


def drawn(seed):
    """A test with random tables and limits, one of them tight: each in its turn.

    It begins and ends at rest, so that nothing happens on the way there and back.
    """
    rng, tight = np.random.default_rng(seed), (*LIMITED, "none")[seed % (len(LIMITED) + 1)]
    grow = np.exp((0.03 if tight == "growth_rate" else 0.0) * np.arange(TICKS + 1))[:, None]
    z, v, a = (rng.normal(size=(TICKS + 1, len(AXES))) * scale for scale in (1.0, 10.0, 100.0))
    z *= grow
    if tight == "frozen_sensor":  # an axis against its stop for a while
        z[10:30, 1] = STOP * (1 + rng.random(20))
    for table in (z, v, a):
        table[0] = table[-4:] = 0.0
    k = rng.uniform(0.5, 2.0, size=len(AXES))
    read, force = np.clip(z, -STOP, STOP), -k * np.clip(z, -STOP, STOP)
    power = np.sum(force * v, axis=1)
    sizes = {
        "displacement": z,
        "velocity": v,
        "acceleration": a,
        "growth_rate": np.full(1, 250.0),  # [1/s]
        "force": force[:, :2],
        "torque": force[:, 2:],
        "tracking_error": z - read,
        "power": power,
        "interface_energy": np.maximum(DT * np.cumsum(power), 0.0),
        "frozen_sensor": np.full(1, 12.0),
    }
    chosen = {tight, *rng.permutation(list(sizes))[: rng.integers(0, 4)]} if tight != "none" else ()
    by_axis = ("displacement", "velocity", "acceleration", "force", "torque", "tracking_error")
    limits = {}
    for name, size in sizes.items():  # of the same shapes in every draw, so that all run the same program
        share = rng.uniform(0.4, 0.8) if name == tight else rng.uniform(0.9, 1.2)
        value = share * max(float(np.abs(size).max()), 1e-3) if name in chosen else math.inf
        spread = rng.uniform(1.0, 1.2, size=len(AXES)) if name in by_axis else 1.0
        spread = np.where(OWN[name], spread, math.inf) if name in OWN else spread
        limits[name] = value * spread
    tables = {"z": jnp.asarray(z), "v": jnp.asarray(v), "a": jnp.asarray(a)}
    test = dv.Test(
        numerical=Tables(**tables),
        rig=dv.Rig(
            actuator=dv.transfer.Series(()),
            specimen=StoppedSpring(jnp.asarray(k)),
            position_sensor=dv.transfer.AmplitudeLimit(STOP),
        ),
        limits=dv.Limits(
            **limits, growth_window=WINDOW, link_timeout=4000, approach_time=0.004, return_time=0.004
        ),
        rate=1 / DT,
        duration=TICKS * DT,
        axes=AXES,
        pseudodynamic=PseudodynamicSettings(contact_step=DT, free_step=DT, move_time=4e-3, settling_time=0.0),
    )
    return test, Alone(**tables, k=jnp.asarray(k))


def foreseen(test, rig=True):
    """The sample and the outcome that the limits mean; `rig` False where readings are those of the ideal."""
    z, v, a = (np.asarray(getattr(test.numerical, name)) for name in "zva")
    k, limit = np.asarray(test.rig.specimen.k), {n: np.asarray(getattr(test.limits, n)) for n in LIMITED}
    short = long = energy = 0.0
    still, left, before = np.zeros(len(AXES)), np.zeros(len(AXES)), None
    for i in range(TICKS + 1):
        read = np.clip(z[i], -STOP, STOP)
        force = -k * read
        measured = read if rig else z[i]
        if i:
            short += DT / (WINDOW + DT) * (z[i] @ z[i] - short)
            long += DT / (4 * WINDOW + DT) * (z[i] @ z[i] - long)
            energy += DT * (force @ v[i])
        largest = np.abs(z[: i + 1]).max(axis=0)
        for axis in range(len(AXES)):
            if i and force[axis] == before[0][axis] and measured[axis] == before[1][axis]:
                still[axis] += abs(z[i, axis] - left[axis]) > 1e-3 * largest[axis]
            else:
                still[axis], left[axis] = 0, z[i, axis]
        before = force, measured
        ratio = short / long if long else 1.0
        growth = (ratio - 1) / (2 * WINDOW * (4 - min(ratio, 3.99))) if i * DT > 16 * WINDOW else 0.0
        for name, values in (
            ("displacement", z[i]),
            ("velocity", v[i]),
            ("acceleration", a[i]),
            ("growth_rate", growth),
            ("force", force * [1, 1, 0]),
            ("torque", force * [0, 0, 1]),
            ("tracking_error", z[i] - measured),
            ("power", force @ v[i]),
            ("interface_energy", max(energy, 0.0)),
            ("frozen_sensor", still),
        ):
            if np.any(np.abs(values) > limit[name]):
                return i, Outcome[name.upper()]
    return TICKS, Outcome.FINISHED


def said(run):
    """Sample, outcome and words of a run."""
    return round(float(run.data.time[-1]) / DT), run.outcome, str(run.trip)


def test_the_random_cases_end_with_every_outcome_at_many_samples():
    ends = [foreseen(drawn(seed)[0]) for seed in range(DRAWS)]
    assert {outcome for _, outcome in ends} == {
        Outcome.FINISHED,
        *(Outcome[name.upper()] for name in LIMITED),
    }
    assert len({sample for sample, _ in ends}) > DRAWS // 3


def test_rehearsal_replay_and_pseudodynamic_run_stop_alike():
    for seed in range(DRAWS):
        test, _ = drawn(seed)
        rehearsed = test.rehearse()
        assert said(rehearsed)[:2] == foreseen(test), seed
        assert (rehearsed.trip is None) == (rehearsed.outcome is Outcome.FINISHED)
        assert said(test.run_pseudodynamic()) == said(rehearsed), seed
        free = dataclasses.replace(test, limits=dv.Limits(frozen_sensor=math.inf)).rehearse()
        assert said(test.replay(free)) == said(rehearsed), seed


def test_the_reference_stops_at_limits_that_do_not_depend_on_the_rig():
    for seed in range(DRAWS):
        test, _ = drawn(seed)
        ideal = test.reference()
        assert said(ideal)[:2] == foreseen(test, rig=False), seed
        if foreseen(test, rig=False) == foreseen(test):
            assert said(ideal) == said(test.rehearse()), seed


def test_a_simulation_stops_alike_at_limits_on_its_signals():
    shown = ("displacement", "velocity", "acceleration", "force")
    for seed in range(DRAWS):
        test, alone = drawn(seed)
        limits = {name: getattr(test.limits, name) for name in shown[:3]}
        limits["force"] = float(np.min(test.limits.force))
        like = dv.Limits(**limits, frozen_sensor=math.inf, growth_window=WINDOW)
        rehearsed = dataclasses.replace(test, limits=like).rehearse()
        simulation = dv.Test(alone, limits=dv.Limits(**limits), rate=1 / DT, duration=TICKS * DT, axes=AXES)
        run = simulation.simulate()
        assert said(run)[:2] == foreseen(dataclasses.replace(test, limits=like)), seed
        assert str(run.trip) == str(rehearsed.trip).replace("measured force", "tension"), seed


@pytest.mark.parametrize("outcome", [Outcome.GROWTH_RATE, Outcome.TORQUE])
def test_a_run_against_a_served_rig_stops_where_the_rehearsal_does(served, outcome):
    """Of all limits two, as each takes a program of its own: one on the demand, one on the reading."""
    tests = (drawn(seed)[0] for seed in range(DRAWS))
    test = next(test for test in tests if foreseen(test)[1] is outcome)
    # velocity and acceleration are drawn apart from the displacement: those of the commands are others
    apart = {"velocity": math.inf, "acceleration": math.inf}
    test = dataclasses.replace(test, limits=dataclasses.replace(test.limits, **apart))
    server = served(test)
    run = test.run_realtime(str(server.address), real_time=PATIENT)
    assert run.outcome is outcome
    assert said(run) == said(test.rehearse())
