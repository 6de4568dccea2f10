"""Impact scenarios of the source: the sample scenario, the twelve executed impacts, and the simulated grid."""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import equinox as eqx
import jax
import numpy as np

from dovetail.core.kinds import find
from dovetail.mechanics.contact import (
    ConstantStiffness,
    DampingFactor,
    DissipativeLaw,
    Flores,
    HertzPair,
    Material,
)
from dovetail.studies.docking.impact import ImpactPairing, Instruments, first_impact

RADIUS = 0.025  # [m] radius of the probe tip, sec. 5.3.1
SENSOR_CH5 = 2 * np.pi * 10e3  # [rad/s] interpretation of D_f = 0.4 ms that reproduces table 5.2
TESTBED = Instruments(3000.0, 2 * np.pi * 1000.0, 0.8, 0.707)  # identified, eqs 8.2 and 8.4


@dataclass(frozen=True)
class Scenario:
    """Impact scenario: two materials, two masses [kg], a speed [m/s]."""

    body_1: str
    body_2: str
    m1: float
    m2: float
    speed: float

    @property
    def mass(self) -> float:
        """Reduced mass [kg]."""
        return self.m1 * self.m2 / (self.m1 + self.m2)

    @property
    def stiffness(self) -> float:
        """Hertz stiffness of a half-sphere of 25 mm on a flat [N/m^1.5]."""
        return pair_stiffness(self.body_1, self.body_2)


SAMPLE = Scenario("polyimide", "aluminium", 30.0, 75.0, 0.1)  # sec. 5.3.1


@cache
def pair_stiffness(body_1: str, body_2: str) -> float:
    """Return the Hertz stiffness [N/m^1.5] of two named materials, a sphere of 25 mm on a flat."""
    one, other = (find(name, Material)() for name in (body_1, body_2))
    return float(_value(HertzPair(one, other, RADIUS)))


_value = eqx.filter_jit(lambda pair: pair.value)
_factor = eqx.filter_jit(lambda law, restitution: law.damping_factor(restitution))


@cache
def experiments() -> dict[str, Any]:
    """Return the contents of the file of measured data."""
    text = resources.files("dovetail.studies.docking").joinpath("data/experiments.toml").read_text("utf-8")
    return tomllib.loads(text)


def executed() -> list[Scenario]:
    """Return the twelve impacts of table 8.3."""
    keys = ("body_1", "body_2", "m1_kg", "m2_kg", "speed_m_s")
    return [Scenario(*(row[key] for key in keys)) for row in experiments()["scenario"]]


def grid() -> list[Scenario]:
    """Return the 72 impacts of sec. 8.3.2: 3 speeds, 6 material pairs, 4 mass pairs."""
    pairs = [
        ("peek", "peek"),
        ("peek", "aluminium-2007"),
        ("peek", "ptfe"),
        ("aluminium-2007", "aluminium-2007"),
        ("aluminium-2007", "ptfe"),
        ("ptfe", "ptfe"),
    ]
    masses = [(35.0, 35.0), (35.0, 70.0), (50.0, 50.0), (50.0, 100.0)]
    speeds = [0.05, 0.075, 0.1]
    return [Scenario(*p, *m, v) for v, p, m in itertools.product(speeds, pairs, masses)]


@eqx.filter_jit
def _batch(stiffness, factor, mass, speed, tools: Instruments, steps: int):
    def one(stiffness, factor, mass, speed, tools):
        law = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
        return first_impact(law, mass, speed, tools, steps=steps)

    return eqx.filter_vmap(one)(stiffness, factor, mass, speed, tools)


def impacts(
    scenarios: list[Scenario],
    restitution: Any = 0.8,
    instruments: Instruments = TESTBED,
    law: type[DissipativeLaw] = Flores,
    steps: int = 6000,
    factor: Any = None,
) -> ImpactPairing:
    """Simulate all impacts of a list as one batch, without and with instruments; leaves have the list's length.

    The list is padded to one of a few sizes, so that most calls use a compiled program. `factor` replaces law and
    restitution: a damping factor for each impact.
    """
    if factor is None:
        factor = _factor(law(ConstantStiffness(1.0)), np.asarray(restitution, float))
    count = len(scenarios)
    size = next((n for n in (8, 24, 72) if n >= count), count)

    def column(values):
        return np.resize(np.broadcast_to(np.asarray(values, float), (count,)), (size,))

    tools = eqx.tree_at(_fields, instruments, [column(v) for v in _fields(instruments)])
    paired = _batch(
        column([s.stiffness for s in scenarios]),
        column(factor),
        column([s.mass for s in scenarios]),
        column([s.speed for s in scenarios]),
        tools,
        steps,
    )
    return jax.tree.map(lambda leaf: np.asarray(leaf)[:count], paired)


def _fields(tools: Instruments) -> list[Any]:
    return [
        tools.actuator_omega,
        tools.sensor_omega,
        tools.actuator_damping,
        tools.sensor_damping,
        tools.position_resolution,
        tools.force_resolution,
    ]
