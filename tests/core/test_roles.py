"""A system plays a role by having its members, and does without where it has not."""

import inspect

import pytest

from dovetail.air.fleet import RopeFleet
from dovetail.air.towed_rope import TowedRope
from dovetail.core import Flow, roles
from dovetail.mechanics import Oscillator
from dovetail.mechanics.airframe.aircraft import DeckAircraft

ROLES = [
    value for value in vars(roles).values() if inspect.isclass(value) and value.__module__ == roles.__name__
]


class Bare(Flow):
    """Equations and nothing else."""

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        return {}


class Talking(Bare):
    """Says what it measured, too."""

    def measures(self, data):
        return {"size": "1 m"}


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.__name__)
def test_equations_alone_play_no_role(role):
    assert not isinstance(Bare(), role)
    assert not isinstance(Oscillator(m=1.0, c=1.0, k=1.0), role)


def test_a_role_is_played_by_its_members_alone():
    assert [role for role in ROLES if isinstance(Talking(), role)] == [roles.Measuring]
    assert (roles.measured(Talking(), None), roles.measured(Bare(), None)) == ({"size": "1 m"}, {})


def test_every_role_is_played_by_some_system():
    """By a class, since these are long to build."""
    systems = (DeckAircraft, RopeFleet, TowedRope)
    for role in ROLES:
        members = [name for name in {*vars(role), *role.__annotations__} if not name.startswith("_")]
        assert any(all(hasattr(system, name) for name in members) for system in systems), role
