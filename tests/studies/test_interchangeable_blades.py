"""Every blade at every place that takes one: short runs that lose and make nothing, or a refusal in words."""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import BladeStructure
from dovetail.core import RK4, Flow
from dovetail.core.errors import TestFileError
from dovetail.core.kinds import parts_by_kind
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.studies.exchange import BLADES
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.paths import get

MEMBERS = list(parts_by_kind(BladeStructure))
WALK = list(itertools.product(BLADES, MEMBERS))
RUNNING = [case for case in WALK if not case[0].refusal(parts_by_kind(BladeStructure)[case[1]])]
REFUSED = [case for case in WALK if case not in RUNNING]
DAMPER, DECK, PILOT = BLADES


def named(case):
    return f"{case[0].name}, {case[1]}"


def beam(radius, speed, mass):
    """Eight elements of even mass [kg/m], hinged at a twentieth of the radius."""
    x = np.linspace(0.04 * radius, radius, 9)
    return {
        "kind": "beam-blade",
        "design_speed": speed,
        "mode_count": 4,
        "mesh": {
            "kind": "beam-mesh",
            "nodes": [[float(r), 0.0, 0.0] for r in x],
            "elements": [[i, i + 1] for i in range(1, 9)],
            "E": 70e9,
            "I": 4e-5,
            "I_z": 2e-6,
            "A": 4e-3,
            "rho": mass / 4e-3,
        },
    }


def structure(place, member):
    """What a test file says of a blade of about the size of the test's own."""
    radius, speed, mass = (9.3, 22.0, 12.0) if place is DAMPER else (3.0, 135.0, 2.0)
    inertia = mass * (0.96 * radius) ** 3 / 3
    return {
        "rigid-blade": {"kind": "rigid-blade"},
        "hinged-blade": {"kind": "hinged-blade", "radius": radius, "inertia": inertia, "hinge": 0.04},
        "tabulated-blade": {
            "kind": "tabulated-blade",
            "radius": radius,
            "per_revolution": [0.3, 1.03],
            "inertia": [2e3, 3e3],
        },
        "beam-blade": beam(radius, speed, mass),
    }[member]


AIR = {  # of the blade that the damper holds, by the elements that the helicopter's rotor has
    "kind": "blade-aerodynamics",
    "collective": 0.12,
    "velocity": [40.0, 0.0, 0.0],
    "rotor": {
        "kind": "blade-element-rotor",
        "sectors": 12,
        "blade": {"kind": "blade", "radius": 9.3, "chord": 0.5, "drag_offset": 0.01, "elements": 20},
    },
}


def changed(place, member, **other):
    values = {f"{place.table}.structure": structure(place, member)} | other
    if place is DAMPER:
        values |= {"numerical.modes.damping": 0.02, "numerical.modes.forcing": 0.0}
        values |= {"numerical.pitch_coupling": 0.0, "numerical.force_projection": "virtual-work"}
        values |= {"numerical.lateral_cyclic": 0.0, "numerical.longitudinal_cyclic": 0.0}
        if member != "tabulated-blade":
            values |= {"numerical.modes.aerodynamics": AIR}
    return load(find_test(place.test), values)


class Audited(Flow):
    """A blade with a damper of 20 kN s/m, and beside it the work of all that acts on its modes."""

    blade: eqx.Module

    def pushed(self, t, x):
        free = self.blade.output(t, x, {"force": 0.0})
        return -2e4 * free["velocity"], free["velocity"]

    def init(self):
        x = self.blade.init()
        return {"blade": {**x, "rate": x["rate"] + 0.3}, "work": jnp.zeros(())}

    def derivative(self, t, x, u):
        force, velocity = self.pushed(t, x["blade"])
        modes, rate = self.blade.modes, x["blade"]["rate"]
        lost = 2 * jnp.sum(modes.inertia * modes.damping * modes.omega * rate**2)
        power = modes.external(t) @ rate + force * velocity - lost
        return {"blade": self.blade.derivative(t, x["blade"], {"force": force}), "work": power}

    def energy(self, x):
        modes, x = self.blade.modes, x["blade"]
        return 0.5 * jnp.sum(modes.inertia * (x["rate"] ** 2 + (modes.omega * x["phi"]) ** 2))

    def output(self, t, x, u):
        return {"energy": self.energy(x), "residual": self.energy(x) - x["work"]}


@eqx.filter_jit
def run(flow, steps=400, step=2e-4):
    x = flow.init()

    def one(k, x):
        return with_stage_loop(RK4()).step(flow, k * step, step, x, None, ())[0]

    before = flow.energy(x)
    return before, flow.output(0.0, jax.lax.fori_loop(0, steps, one, x), None)


ON_DAMPER = [member for place, member in RUNNING if place is DAMPER]
FLOWN = [case for case in RUNNING if case[0] is not DAMPER]


@pytest.mark.parametrize(
    "member", [m if m == "hinged-blade" else pytest.param(m, marks=pytest.mark.slow) for m in ON_DAMPER]
)
def test_a_blade_on_its_damper_has_the_energy_that_air_and_damper_gave(member):
    test = changed(DAMPER, member)
    assert type(get(test, "numerical.modes.structure")) is parts_by_kind(BladeStructure)[member]
    before, after = run(Audited(test.numerical))
    assert abs(float(after["energy"]) - float(before)) > 0.01 * float(before)  # [J]: something was done to it
    assert float(after["residual"]) == pytest.approx(float(before), rel=1e-5)


def flown(case):
    """A moment of flight: the rotor is up to speed from the start and the aircraft above the deck."""
    place, member = case
    loads = place.table.split(".rotor")[0]
    spun = {f"{loads}.schedule.times": [0.0, 1000.0], f"{loads}.schedule.speed": [135.0, 135.0]}
    spun |= {f"{loads}.schedule.collective": 0.14}
    test = changed(place, member, duration=0.3, rate=100.0, **spun)
    assert type(get(test, f"{place.table}.structure")) is parts_by_kind(BladeStructure)[member]
    data = test.simulate().data
    assert np.abs(data["air_wrench"].values[-1]).max() > 50.0  # [N]
    exchanged = np.ptp(data["kinetic_energy"].values)
    assert exchanged > 0.1
    assert np.abs(data["energy_residual"].values).max() < 1e-3 * max(exchanged, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("case", FLOWN, ids=named)
def test_a_helicopter_flies_with_every_blade_and_energy_is_accounted_for(case):
    flown(case)


@pytest.mark.parametrize("case", FLOWN, ids=named)
def test_a_rotor_accepts_a_blade_by_kind(case):
    place, member = case
    assert (
        type(get(changed(place, member), f"{place.table}.structure")) is parts_by_kind(BladeStructure)[member]
    )


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_an_impossible_combination_is_rejected_with_an_alternative(case):
    with pytest.raises(TestFileError, match="[Uu]se a") as refused:
        changed(*case)
    assert case[1] in str(refused.value)
