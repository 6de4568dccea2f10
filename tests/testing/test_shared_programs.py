"""Runs that differ in values, seed, name or length share programs; none sees how far its last piece ran on."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.programs import guard
from dovetail.testing.shared_programs import chunk_length
from dovetail.testing.simulation import Simulation

random = np.random.default_rng(2026)


def hybrid(**other):
    values = {"rate": 500.0, "duration": 4.0, "seed": 3} | other
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.FirstOrderLag(tau=3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        **values,
    )


def simulation(**other):
    values = {"rate": 50.0, "duration": 4.0} | other
    return Simulation(
        dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        axes=(),
        **values,
    )


@pytest.mark.parametrize(("build", "go"), [(hybrid, dv.Test.rehearse), (simulation, Simulation.simulate)])
def test_a_variant_of_a_test_compiles_nothing(build, go):
    go(build())
    before, rate = guard.programs, build().rate
    whole = go(build(duration=9.0)).data
    assert guard.programs == before
    for duration in random.integers(105, 450, 3) / 50:  # [s] whole ticks of both
        ticks = round(duration * rate)
        variant = build(duration=ticks / rate, seed=int(random.integers(1000)), title="another")
        data = go(variant).data
        assert guard.programs == before
        assert np.array_equal(data.displacement, whole.displacement[: len(data.time)])
        assert len(data.time) == ticks + 1
    go(
        build().with_values(
            **{("numerical" if build is hybrid else "system") + ".k": float(random.uniform(1e3, 3e3))}
        )
    )
    assert guard.programs == before


@pytest.mark.parametrize(("build", "go"), [(hybrid, dv.Test.rehearse), (simulation, Simulation.simulate)])
def test_a_limit_that_is_met_after_the_end_is_not_met(build, go):
    grows = {"excitation.amplitude": 0.1}
    free = go(build(duration=4.0).with_values(**grows)).data
    beyond = np.abs(free.displacement.values)
    limit = 0.999 * beyond.max()
    met = int(np.argmax(beyond > limit))
    for end in (met - 1, met):  # in either case the piece in which it is met is computed to its end
        run = go(
            build(duration=float(free.time[end]), limits=dv.Limits(displacement=limit)).with_values(**grows)
        )
        assert run.outcome.name == ("DISPLACEMENT" if end == met else "FINISHED")
        assert len(run.data.time) == end + 1


@pytest.mark.parametrize("total", random.integers(1, 10**7, 20).tolist())
def test_pieces_are_few_in_number_and_in_kind(total):
    length = chunk_length(total, 1000, 40)
    assert length == total < 1000 or (length / 1000) in {2**i for i in range(20)}
    assert length == 64_000 or -(-total // length) <= 40
    assert -(-total // length) * length <= max(1.06 * total, total + 1000)
