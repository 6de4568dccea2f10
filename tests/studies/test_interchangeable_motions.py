"""Every body, free or told to move, at every place: short runs that lose and make nothing, or a refusal in words."""

import dataclasses
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.errors import TestFileError
from dovetail.core.kinds import all_kinds, parts_by_kind
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.random import assign_keys
from dovetail.mechanics.motion import MotionModel
from dovetail.studies.exchange import MOTIONS
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.paths import get

all_kinds()
MEMBERS = list(parts_by_kind(MotionModel))
STEP, STEPS = 5e-4, 400  # [s]
ROWS = [[0.1 * k * a for a in (0.1, 0.2, 0.1, 0.05, 0.02, 0.03)] for k in (0, 1, 1, 0, 2)]
EXTRA = {  # what a member asks for beside its kind
    "body": {"mass": 500.0, "inertia": [100.0, 120.0, 90.0]},
    "harmonic-motion": {"amplitude": [0.1, 0.2, 0.3, 0.05, 0.04, 0.03], "omega": 1.3, "fade_in_time": 0.1},
    "table-motion": {"times": [0.0, 0.1, 0.2, 0.3, 99.0], "values": ROWS},
    "recorded-deck": {"times": [0.0, 0.1, 0.2, 0.3, 99.0], "values": ROWS},
    "seaway": {"spectrum": {"kind": "bretschneider", "height": 2.0, "period": 8.0}, "wave_count": 8},
}
SMALL = {
    "refuelling/full-scale": "numerical",
    "refuelling/latched": "numerical",
    "capture/settle": "numerical",
}


def changed(place, member):
    values = {f"{place.table}.kind": member}
    values |= {f"{place.table}.{name}": value for name, value in EXTRA.get(member, {}).items()}
    if place.test in SMALL:
        values[f"{SMALL[place.test]}.chain.n"] = 4
    return load(find_test(place.test), values)


@eqx.filter_jit
def marched(flow, u):
    """State at the start and after some steps, and what is shown then."""

    def one(k, x):
        return with_stage_loop(RK4()).step(flow, k * STEP, STEP, x, u, ())[0]

    start = flow.init()
    x = jax.lax.fori_loop(0, STEPS, one, start)
    return start, x, flow.output(STEPS * STEP, x, u)


def falls_freely(flow):
    """Nothing touches the first body: its momentum changes by its weight alone, whatever the second does."""
    flow = dataclasses.replace(flow, loads=())
    start, x, shown = marched(flow, {"force": jnp.zeros(6)})
    gained = np.asarray(flow.gravity) * STEP * STEPS
    np.testing.assert_allclose(x.first.v - start.first.v, gained, atol=1e-9)
    spin = [flow.pair.bodies(s if s.second is not None else flow._full_state(0.0, s))[0] for s in (start, x)]
    before, after = (
        body.kinetic_energy(state) - body.body.mass * state.p @ flow.gravity for body, state in spin
    )
    np.testing.assert_allclose(after, before, rtol=1e-8)
    assert np.isfinite(shown["displacement"]).all()


def keeps_its_books(flow, u=None):
    """Energy and momentum of a chain are what its ledgers say."""
    _, _, shown = marched(flow, u)
    scale = abs(float(shown["kinetic_energy"])) + float(np.abs(shown.get("gravity_energy", 0.0)))
    assert np.isfinite(scale)
    assert float(np.abs(shown["energy_residual"])) < 1e-5 * max(scale, 1.0)


def follows(flow):
    """The end of the hose is where its nozzle goes."""
    start, x, _ = marched(flow, None)
    t = STEP * STEPS
    nodes, end, _, _ = flow._solution(t, x)
    moved = flow.nozzle.point(t, jnp.zeros(3)).position
    np.testing.assert_allclose(end.position, start["end"] + moved, atol=1e-9)
    np.testing.assert_allclose(nodes.position[:, -1], end.position, atol=1e-9)


def stands(test, place):
    """A deck is where its motion has it: places and velocities are finite, and the second derivative is too."""
    motion = assign_keys(get(test, place.table), jax.random.key(0))
    state = eqx.filter_jit(lambda motion: motion.state(0.05))(motion)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(state))


def check(place, member):
    if place.refusal(parts_by_kind(MotionModel)[member]):
        with pytest.raises(TestFileError) as refused:
            changed(place, member)
        assert "known" in str(refused.value) or "unknown kind" in str(refused.value)
        return
    test = changed(place, member)
    assert type(get(test, place.table)) is parts_by_kind(MotionModel)[member]
    flow = assign_keys(getattr(test, place.table.split(".")[0]), jax.random.key(0))
    if place.table == "numerical.second":
        falls_freely(flow)
    elif place.table == "numerical.motion":
        hose = "hose" in place.name
        keeps_its_books(
            flow, {"force": jnp.array([200.0, 50.0, -300.0, 10.0, -80.0, 40.0])} if hose else None
        )
    elif place.table == "numerical.nozzle":
        follows(flow)
    else:
        stands(test, place)


def some():
    """So many that each member and each place is among them."""
    turn = itertools.cycle(MOTIONS)
    for member in MEMBERS:
        yield next(turn), member


def named(case):
    return f"{case[0].name}, {case[1]}"


HEAVY = ("tow point of a hose", "nozzle after the latch", "support of a rope", "deck under an airframe")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, marks=[pytest.mark.slow] if case[0].name in HEAVY or case[1] == "table-motion" else []
        )
        for case in some()
    ],
    ids=named,
)
def test_a_use_accepts_a_body_or_motion_or_states_the_reason(case):
    check(*case)


@pytest.mark.slow
@pytest.mark.parametrize("case", list(itertools.product(MOTIONS, MEMBERS)), ids=named)
def test_every_use_accepts_every_body_and_motion_or_states_the_reason(case):
    check(*case)


@pytest.mark.slow
@pytest.mark.parametrize("member", [m for m in MEMBERS if m != "body"])
def test_an_aircraft_lands_on_every_deck_without_energy_gain(member):
    place = MOTIONS[2]
    values = {f"{place.table}.kind": member, "duration": 0.5, "rate": 100.0, "seed": 0}
    values |= {f"{place.table}.{name}": value for name, value in EXTRA.get(member, {}).items()}
    data = load(find_test(place.test), values).simulate().data
    exchanged = np.ptp(data["kinetic_energy"].values)
    assert exchanged > 50.0  # [J]: it fell, and was stopped
    assert np.abs(data["energy_residual"].values).max() < 1e-3 * exchanged
