"""Every normal law and every friction law at every place: no contact makes energy, and its moment is that of its force.

A free body is thrown against each place and followed by small fixed steps until it has left. What it carries (motion
and height) never exceeds what it came with; with Hertz's law and no friction it leaves with all of it.
"""

import functools
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow
from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.airframe import ProbeAndGrid, ReducedAircraft
from dovetail.mechanics.bodies import BodyMotion
from dovetail.mechanics.collision import contact_force, touched_surface
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.dimension import PLANE
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Drogue, Polygon
from dovetail.mechanics.motion import FixedFrame
from dovetail.specimens import DeckGear, Funnel, ImpactPair, ProbeInDrogue, RibBasket
from dovetail.studies.exchange import CONTACTS

STEP = 5e-5  # [s]
SOFT = {  # numbers that such steps can follow
    "lugre-friction": {"stiffness": 1e3, "damping": 1.0},
    "brush-friction": {"presliding_distance": 1e-3},
    "bristle-friction": {"stiffness": 1e4, "damping": 10.0, "mu_static": 0.5},
}
DAMPED = {"kelvin-voigt": {"damping": 30.0}}


class Thrown(Flow):
    """A body (d,) that only the contact moves; `place` gives the force on it and its moment about the origin."""

    place: Flow
    mass: float
    start: tuple = eqx.field(static=True)
    speed: tuple = eqx.field(static=True)
    gravity: tuple = eqx.field(static=True, default=(0.0, 0.0, 0.0))

    def init(self):
        p, v = jnp.array(self.start), jnp.array(self.speed)
        return {"p": p, "v": v, "turned": jnp.zeros(3), "place": self.place.init()}

    def derivative(self, t, x, u):
        force, moment = self.place.output(t, x["place"], (x["p"], x["v"]))
        return {
            "p": x["v"],
            "v": force / self.mass - jnp.array(self.gravity[: len(self.start)]),
            "turned": moment,
            "place": self.place.derivative(t, x["place"], (x["p"], x["v"])),
        }

    def jump(self, t, x, u):
        return {**x, "place": self.place.jump(t, x["place"], (x["p"], x["v"]))}

    def output(self, t, x, u):
        height = x["p"] @ jnp.array(self.gravity[: len(self.start)])
        force, _ = self.place.output(t, x["place"], (x["p"], x["v"]))
        return self.mass * (x["v"] @ x["v"] / 2 + height), jnp.linalg.norm(force)


class OfSpecimen(Flow):
    """A specimen of six axes; `sign` is -1 where its force is that on the drogue."""

    specimen: Flow
    sign: float = eqx.field(static=True, default=1.0)

    def _given(self, u):
        pad = jnp.zeros(3)
        return {
            name: jnp.concatenate([a, pad]) for name, a in zip(("displacement", "velocity"), u, strict=True)
        }

    def init(self):
        return self.specimen.init()

    def derivative(self, t, x, u):
        return self.specimen.derivative(t, x, self._given(u))

    def jump(self, t, x, u):
        return self.specimen.jump(t, x, self._given(u))

    def output(self, t, x, u):
        force = self.sign * self.specimen.output(t, x, self._given(u))["force"]
        return force[:3], force[3:]


class OnALine(OfSpecimen):
    """A specimen of one axis."""

    def _given(self, u):
        return {name: a[0] for name, a in zip(("displacement", "velocity"), u, strict=True)}

    def output(self, t, x, u):
        return self.specimen.output(t, x, self._given(u))["force"][None], jnp.zeros(3)


class OnADeck(Flow):
    """A node against the half-spaces of a polygon: how the feet of an aircraft touch decks and clamps."""

    law: NormalLaw
    friction: Friction

    def init(self):
        return {"impact": jnp.zeros(()), "bristle": self.friction.initial_bristles(2)}

    def _touch(self, x, u):
        normals, offsets = Polygon(vertices=[[-9.0, 0.0], [9.0, 0.0], [9.0, -1.0], [-9.0, -1.0]]).planes()
        p, v = u
        on = touched_surface.nearest(
            contact_force.distances(p, 0.0, jnp.zeros(2), jnp.eye(2), normals, offsets)
        )
        still = jnp.zeros(2), jnp.eye(2), jnp.zeros(2), jnp.zeros(1)
        memory = contact_force.PairMemory(x["bristle"], on, x["impact"], jnp.linalg.norm(v[:1]))
        foot, body = contact_force.Foot(p, v, 0.0), contact_force.TouchedBody(*still, normals, offsets)
        return contact_force.touch(foot, body, memory, self.law, self.friction, PLANE)

    def derivative(self, t, x, u):
        return {"impact": jnp.zeros(()), "bristle": self._touch(x, u).bristle_rate}

    def jump(self, t, x, u):
        touch, apart = self._touch(x, u), u[0][1] > 0
        bristle = self.friction.update_anchors(touch.normal, touch.slip, x["bristle"])
        return {
            "impact": jnp.where(apart, -u[1][1], x["impact"]),
            "bristle": jnp.where(apart, 0.0, bristle),
        }

    def output(self, t, x, u):
        return self._touch(x, u).force, jnp.zeros(3)


class InAGrid(Flow):
    """The tip of a probe in a hole: a load, without memory."""

    probe: ProbeAndGrid

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def jump(self, t, x, u):
        return x

    def output(self, t, x, u):
        p, v = (jnp.concatenate([a, jnp.zeros(1)]) for a in u)
        motion = BodyMotion(jnp.eye(3), p, v, jnp.zeros(3), jnp.zeros(3))
        return self.probe.force(t, motion)[:2], jnp.zeros(3)


def scene(name, law, friction) -> Thrown:
    """A body thrown at a place."""
    if name == "impact on a line":
        return Thrown(OnALine(ImpactPair(law(1e5), gap=1e-3)), 1.0, (0.0,), (0.5,))
    if name == "falling plate":
        pair = ImpactPair(law(1e5), gap=1e-3, closing_direction="negative")
        return Thrown(OnALine(pair), 1.0, (0.0,), (-0.5,), (9.81,))
    if name == "probe in a drogue":
        drogue = Drogue(32.5e-3, 50e-3, 195e-3, np.radians(27))
        home = (0.15, 0.0, 0.05)
        probe = ProbeInDrogue(drogue, law(1e6), friction, 25e-3, home, (0.0, 0.0, 0.0))
        return Thrown(OfSpecimen(probe), 1.0, (0.0, 0.0, 0.0), (-0.2, 0.15, 0.4))
    if name == "funnel":
        funnel = Funnel(initial_position=(0.0, 0.0, 0.0), law=law((1e5, 1e5, 5e4)), friction=friction)
        return Thrown(OfSpecimen(funnel, sign=-1.0), 1.0, (-0.5, 0.0, -0.17), (0.1, 0.2, -0.5))
    if name == "rib basket":
        ribs = RibBasket(initial_position=(0.0, 0.0, 0.0), law=law(2e4), friction=friction)
        return Thrown(OfSpecimen(ribs, sign=-1.0), 1.0, (-0.45, 0.01, -0.14), (0.1, 0.15, -0.5))
    if name == "skid on deck, clamp":
        return Thrown(OnADeck(law(1e5), friction), 1.0, (0.0, 1e-3), (0.4, -0.5), (0.0, 9.81))
    if name == "probe in a grid":
        probe = ProbeAndGrid(
            deck=FixedFrame(mean_pose=[0.0] * 6),
            tip=(0.0, 0.0, 0.0),
            law=law(2e4),
            tension=0.0,
            height=1.0,
            engage_time=-9.0,
        )
        return Thrown(InAGrid(probe), 1.0, (0.0, 1e-9), (0.0, 0.3))
    assert name == "feet of a gear"
    gear = DeckGear(ReducedAircraft(secured=0.0, law=law(6e3), friction=friction), height=0.15)
    return Thrown(OfSpecimen(gear), 50.0, (0.0, 0.0, 0.0), (0.2, 0.1, -0.5), (0.0, 0.0, 9.81))


DURATION = {"feet of a gear": 1.2, "rib basket": 0.3}  # [s]


@functools.cache
def followed(name, law, friction):
    """Energy (time,), force (time,) and by how much the moments miss the body's turn about the origin."""
    part = functools.partial(parts_by_kind(NormalLaw)[law], **DAMPED.get(law, {}), tension="clamped")
    flow = scene(name, part, parts_by_kind(Friction)[friction](**SOFT.get(friction, {})))

    def one(x, k):
        x, _ = RK4().advance(flow, k * STEP, STEP, x, None, ())
        return x, flow.output(0.0, x, None)

    @jax.jit
    def run():
        x, shown = jax.lax.scan(one, flow.init(), jnp.arange(round(DURATION.get(name, 0.15) / STEP)))
        return x, shown, flow.output(0.0, flow.init(), None)[0]

    end, (energy, force), first = run()
    p, v, p0, v0 = (np.asarray(a) for a in (end["p"], end["v"], flow.start, flow.speed))
    missed = (
        np.cross(p, v) - np.cross(p0, v0) - np.asarray(end["turned"]) / flow.mass
        if p.size == 3
        else np.zeros(3)
    )
    return float(first), np.asarray(energy), np.asarray(force), missed


def check(place, law, friction):
    if place.refusal(parts_by_kind(NormalLaw)[law]):
        with pytest.raises(ValueError, match="needs the impact speed"):
            followed(place.name, law, friction)
        return
    first, energy, force, missed = followed(place.name, law, friction)
    assert np.isfinite(energy).all()
    assert force.max() > 1.0  # it did touch
    assert energy.max() <= first * (1 + 1e-6)
    if place.name in (
        "funnel",
        "rib basket",
    ):  # they say the moment about the origin; a nozzle is a point there
        np.testing.assert_allclose(missed, 0.0, atol=1e-6)
    if friction == "no-friction" and law == "hertz":
        assert energy.min() < 0.9 * first  # it was stored
        assert energy[len(energy) // 2 :].max() == pytest.approx(first, rel=1e-4)


LAWS, FRICTIONS = list(parts_by_kind(NormalLaw)), list(parts_by_kind(Friction))
WALK = [
    *((place, law, "no-friction") for place in CONTACTS for law in LAWS),
    *(
        (place, "flores", friction)
        for place in CONTACTS
        if not place.refusal(Friction)
        for friction in FRICTIONS
    ),
]


def some():
    """So many that each law, each friction law and each place is among them."""
    turn = itertools.cycle(CONTACTS)
    rough = itertools.cycle(FRICTIONS)
    for law in LAWS:
        place = next(turn)
        yield place, law, "no-friction" if place.refusal(Friction) else next(rough)


def named(case):
    return ", ".join((case[0].name, *case[1:]))


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, marks=[pytest.mark.slow] if named(c).startswith("rib basket") else []) for c in some()],
    ids=named,
)
def test_a_contact_generates_no_energy(case):
    check(*case)


@pytest.mark.slow
@pytest.mark.parametrize("case", WALK, ids=named)
def test_no_contact_law_generates_energy_in_any_use(case):
    check(*case)


def test_the_short_selection_covers_every_law_friction_and_use():
    cases = list(some())
    assert {law for _, law, _ in cases} == set(LAWS)
    assert {friction for _, _, friction in cases} == set(FRICTIONS)
    assert {place for place, _, _ in cases} == set(CONTACTS)
