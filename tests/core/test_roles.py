"""A system has a role if it defines its members."""

import inspect

import pytest

from dovetail.air.fleet import RopeFleet
from dovetail.air.towed_rope import TowedRope
from dovetail.core import Flow, roles
from dovetail.core.recording import Recording
from dovetail.mechanics import Oscillator
from dovetail.mechanics.airframe.aircraft import DeckAircraft

ROLES = [
    value for value in vars(roles).values() if inspect.isclass(value) and value.__module__ == roles.__name__
]


class Bare(Flow):
    """Flow without roles."""

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        return {}


class WithResults(Bare):
    """Flow that computes results."""

    def measures(self, data):
        return {"size": "1 m"}


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.__name__)
def test_a_plain_flow_has_no_role(role):
    assert not isinstance(Bare(), role)
    assert not isinstance(Oscillator(m=1.0, c=1.0, k=1.0), role)


def test_a_role_needs_its_members_only():
    assert [role for role in ROLES if isinstance(WithResults(), role)] == [roles.Measuring]
    empty = Recording({}, {})
    assert (roles.measured_values(WithResults(), empty), roles.measured_values(Bare(), empty)) == (
        {"size": "1 m"},
        {},
    )


def test_some_system_has_each_role():
    """Classes are checked, because building the systems takes long."""
    systems = (DeckAircraft, RopeFleet, TowedRope)
    for role in ROLES:
        members = [name for name in {*vars(role), *role.__annotations__} if not name.startswith("_")]
        assert any(all(hasattr(system, name) for name in members) for system in systems), role
