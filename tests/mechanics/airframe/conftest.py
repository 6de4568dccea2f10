"""Aircraft for the tests: the reconstructed one of the plane, its copy in space, and what varies."""

import functools

import equinox as eqx
import numpy as np
import pytest

from dovetail.mechanics.airframe import DeckAircraft, SkidGear, SpringDamperStrut, Strut
from dovetail.mechanics.airframe.statics import equilibrium
from dovetail.mechanics.beam import BeamMesh
from dovetail.mechanics.bodies import MassProperties
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.mechanics.friction import NoFriction
from dovetail.mechanics.geometry import Polygon, Prism
from dovetail.mechanics.motion import FixedFrame
from dovetail.mechanics.securing import Platform

SECTION = {"E": 6.9e10, "I": 5e-7, "A": 1.2e-4, "rho": 2710.0}
RIGHT = np.array([[0.35, -0.44], [0.2755, -0.2754], [0.1067, -0.1978]])  # foot, middle, interface
NODES = np.concatenate([RIGHT * [-1, 1], RIGHT[::-1]])
MOUNT = np.array([0.3, -0.1])
DECK = [[-5.0, 0.0], [5.0, 0.0], [5.0, -2.0], [-5.0, -2.0]]


@pytest.fixture(scope="session")
def make():
    """A function that builds an aircraft of d dimensions with values changed."""

    def build(
        d=2,
        *,
        joint="hinged",
        modes=0,
        softer=1.0,
        deck_at=0.1,
        deck=None,
        friction=None,
        ratio=0.15,
        **other,
    ):
        lift = lambda a: np.concatenate([np.zeros((len(a), 1)), a], 1) if d == 3 else a  # noqa: E731
        section = SECTION | {"E": SECTION["E"] * softer}
        mesh = BeamMesh(nodes=lift(NODES), elements=[(1, 2), (2, 3), (4, 5), (5, 6)], **section)
        gear = SkidGear(
            mesh=mesh,
            contact=(1, 6),
            interface=(3, 4),
            joint=joint,
            mode_count=modes,
            upper_omega=6.5e5 * np.sqrt(softer),
            upper_ratio=ratio,
        )
        law = SpringDamperStrut(stiffness=2.5e4, damping=500.0, free_length=0.17705)
        struts = tuple(
            Strut(law=law, mount=lift(np.array([MOUNT * [s, 1]]))[0], node=n) for s, n in ((-1, 2), (1, 5))
        )
        body = Polygon(vertices=DECK) if d == 2 else Prism(section=DECK)
        pose = np.zeros(3 if d == 2 else 6)
        pose[d - 1] = deck_at
        given = {
            "airframe": MassProperties(mass=50.0, inertia=6.25 if d == 2 else [6.25, 5.0, 7.0]),
            "gear": gear,
            "law": KelvinVoigt(stiffness=1e6, damping=3130.0, tension="clamped"),
            "platforms": (Platform(body=body, motion=FixedFrame(mean_pose=pose) if deck is None else deck),),
            "friction": friction or NoFriction(),
            "struts": struts,
        }
        return DeckAircraft(**(given | other))

    return build


@pytest.fixture(scope="session")
def rest(make):
    """The aircraft on a level deck, with a number of shapes of its gear or all freedoms, and its state at rest."""

    @functools.cache
    def found(modes=0):
        aircraft = make(2, modes=modes, initial_pose=[0.0, 0.55, 0.0])
        return aircraft, equilibrium(aircraft)

    return found


@pytest.fixture(scope="session")
def rate():
    """Rates of the speeds, as one program: operation by operation takes far longer to compile."""
    return eqx.filter_jit(lambda aircraft, x: aircraft.derivative(0.0, x, None)["speed"])
