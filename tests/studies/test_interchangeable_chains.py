"""Every formulation of a chain at every place: short runs that lose and make nothing, or a refusal in words."""

import dataclasses
import itertools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import LatchedHose, TowedRope
from dovetail.core import RK4, Flow
from dovetail.core.errors import TestFileError
from dovetail.core.kinds import parts_by_kind
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.parameter import declared_parameters
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.chain import Chain, ChainLoads
from dovetail.studies.exchange import CHAINS
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.paths import get

STEP, STEPS = 2e-4, 500  # [s]
EXTRA = {  # what a formulation asks for beside its kind, soft enough for such steps
    "elastic-chain": {"stiffness": 5e4, "axial_damping": 100.0},
    "ancf-cable": {"stiffness": 5e4, "axial_damping": 100.0},
    "rod-chain": {"stiffness": 5e4, "axial_damping": 100.0},
}
CHANGED = {  # so that something happens in a tenth of a second
    "capture/sling-load": {"numerical.initial_angles": [0.5, 0.0]},
    "capture/deploy": {
        "numerical.reel.start": 0.0,
        "numerical.reel.duration": 0.3,
        "numerical.reel.final_length": 61.0,
    },
    "refuelling/reel-in": {
        "numerical.reel": {"kind": "timed-reel", "start": 0.0, "duration": 0.3, "distance": 0.5},
        "numerical.chain.mass_transfer": "sliding",
    },
}
FORCE = jnp.array([200.0, 50.0, -300.0, 10.0, -80.0, 40.0])


def changed(place, member):
    extra = {f"{place.table}.chain.{name}": value for name, value in EXTRA.get(member, {}).items()}
    values = {f"{place.table}.chain.kind": member, f"{place.table}.chain.n": 6} | extra
    may = not place.refusal(
        parts_by_kind(Chain)[member]
    )  # what cannot be there has not all that can be changed
    return load(find_test(place.test), values | (CHANGED.get(place.test, {}) if may else {}))


class Audited(Flow):
    """A rope, and beside it impulse and work of everything that acts on it."""

    system: Any

    def acting(self, t, x):
        """Chain, its state, loads, and what follows."""
        s = self.system
        if isinstance(s, TowedRope):
            chain, (loads, *_) = s.loaded_chain, s._acting(t, x)
            return chain, x["rope"], loads, chain.solve(t, x["rope"], loads)
        if isinstance(s, LatchedHose):
            nodes, _, loads, solved = s._solution(t, x)
            tow = s.tow(t)
            held = {
                "position": nodes.position[:, 1:] - tow.position[:, None],
                "velocity": nodes.velocity[:, 1:] - tow.velocity[:, None],
            }
            return dataclasses.replace(s.chain, tip="prescribed"), held, loads, solved
        solved, reel = s.solve(t, x)
        return s.loaded_chain, x["rope"], ChainLoads(jnp.zeros(3), length=s._length(x, reel)), solved

    def init(self):
        x = self.system.init()
        chain, rope, loads, _ = self.acting(0.0, x)
        momentum, energy = chain.momentum_and_energy(rope, loads)
        return {"system": x, "impulse": momentum, "work": energy}

    def derivative(self, t, x, u):
        chain, rope, loads, solved = self.acting(t, x["system"])
        impulse, power = chain.energy_balance(rope, loads, solved)
        return {"system": self.system.derivative(t, x["system"], u), "impulse": impulse, "work": power}

    def output(self, t, x, u):
        chain, rope, loads, _ = self.acting(t, x["system"])
        momentum, energy = chain.momentum_and_energy(rope, loads)
        return {
            "kinetic_energy": energy,
            "energy_residual": energy - x["work"],
            "momentum_residual": momentum - x["impulse"],
            "damping": chain.power(rope, loads)["damping"],
            "moved": jnp.sum(chain.nodes(rope, loads.length).velocity ** 2),
        }


@eqx.filter_jit
def run(flow, x, u):
    """What it shows after some steps."""

    def one(k, x):
        return with_stage_loop(RK4()).step(flow, k * STEP, STEP, x, u, ())[0]

    return flow.output(STEPS * STEP, jax.lax.fori_loop(0, STEPS, one, x), u)


def check(place, member):
    why_not = place.refusal(parts_by_kind(Chain)[member])
    if why_not:
        with pytest.raises(TestFileError) as refused:
            load_and_check(place, member)
        assert "elastic-chain" in str(refused.value)
        return
    part = load_and_check(place, member)
    if isinstance(part, Substructure):  # its own books
        shown = run(part, part.init(), {"force": FORCE})
    else:
        flow = Audited(part)
        shown = run(flow, eqx.filter_jit(flow.init)(), None)
        assert float(shown["damping"]) <= 1e-9  # dampers never give
        assert float(shown["moved"]) > 0.1
    scale = abs(float(shown["kinetic_energy"]))
    assert scale > 0.1  # [J]; false for what is no number
    assert np.abs(shown["energy_residual"]).max() < 1e-5 * scale
    mass = float(part.chain.mass)
    assert np.abs(shown["momentum_residual"]).max() < 1e-5 * np.sqrt(2 * mass * scale)


def load_and_check(place, member):
    test = changed(place, member)
    part = get(test, place.table)
    assert type(part.chain) is parts_by_kind(Chain)[member]
    return part


MEMBERS = list(parts_by_kind(Chain))
WALK = list(itertools.product(CHAINS, MEMBERS))
RUNNING = [case for case in WALK if not case[0].refusal(parts_by_kind(Chain)[case[1]])]
REFUSED = [case for case in WALK if case not in RUNNING]
QUICK = ["rope let out, angle-chain"]


def named(case):
    return f"{case[0].name}, {case[1]}"


@pytest.mark.parametrize("case", [c for c in RUNNING if named(c) in QUICK], ids=named)
def test_a_chain_in_a_use_generates_no_energy_and_its_momentum_is_audited(case):
    check(*case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in RUNNING if named(c) not in QUICK], ids=named)
def test_no_chain_generates_energy_in_any_use(case):
    check(*case)


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_an_impossible_combination_is_rejected_with_an_alternative(case):
    check(*case)


def test_the_short_selection_is_a_subset_of_all():
    assert set(QUICK) <= {named(case) for case in RUNNING}
    assert len(RUNNING) + len(REFUSED) == len(CHAINS) * len(MEMBERS)


def test_parameter_names_have_one_meaning_in_all_formulations():
    """So that another kind takes the numbers over: 300 N s are 300 N s in each."""
    units: dict[str, set[str]] = {}
    for chain in parts_by_kind(Chain).values():
        for name, said in declared_parameters(chain).items():
            units.setdefault(name, set()).add(said.unit)
    assert {name: found for name, found in units.items() if len(found) > 1} == {}
    assert units["stiffness"] == {"N"}
    assert units["axial_damping"] == {"N s"}
