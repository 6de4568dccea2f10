"""Rotor and drag: what sections 6.3.6 and 4.3 of Schock's thesis quote, again, in both forms."""

from __future__ import annotations

import dataclasses
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import Controls, FlatPlates, Rotor
from dovetail.air.rotor import RotorLoads, estimate_figure_of_merit, hover
from dovetail.core.advance import run_samples
from dovetail.core.block import Flow, Input, Output, State, Time
from dovetail.core.keep import Selected
from dovetail.core.methods import RK4
from dovetail.core.system import FlowSystem
from dovetail.studies.shipboard.rotors import (
    CARADONNA,
    GENERIC,
    MEASURED,
    S76,
    S76_PITCH,
    S76_SPEED,
    SOUND,
    generic,
)

FULL = 135.0  # [rad/s]
CALM, HEAD = (0.0, 0.0, 0.0), (-0.5, 0.0, 0.0)  # [m/s] head-wind of cases 6.3 and 6.4
_compiled = eqx.filter_jit(Rotor.loads)


def _on_hub(rotor: Rotor, *controls: float, wind: tuple = CALM) -> RotorLoads:
    """Return the hub loads of a rotor; one compiled program for each form and mesh."""
    given = Controls(*(jnp.asarray(v) for v in (*controls, 0.0, 0.0)[:4]))
    return jax.tree.map(np.asarray, _compiled(rotor, given, wind=np.asarray(wind)))


@cache
def _loads(form: str, speed: float, pitch: float, wind: tuple = CALM) -> RotorLoads:
    return _on_hub(generic(form), speed, pitch, wind=wind)


def hover_thrust() -> float:
    """RT-26: thrust [N] at full speed, as printed."""
    return float(_loads("published", FULL, 0.14).thrust)


def zero_wind() -> list[float]:
    """RT-26: rolling moment over thrust times radius, and thrust at half speed over a quarter of that at full."""
    full, half = _loads("published", FULL, 0.14), _loads("published", FULL / 2, 0.14)
    return [float(abs(full.moment[0]) / full.thrust / 3.0), float(4 * half.thrust / full.thrust)]


def _in_the_middle(*controls: float, wind: tuple = CALM) -> RotorLoads:
    """With elements in the middle of their parts."""
    return _on_hub(dataclasses.replace(generic("published"), blade=GENERIC), FULL, *controls, wind=wind)


def mesh_of_blade() -> list[float]:
    """RT-28: thrust [N] with 40, 80, 160 and 320 elements on the ends, and with 80 in the middle."""
    thrusts = []
    for n in (40, 80, 160, 320):
        ends = dataclasses.replace(GENERIC, elements=n, sampling="ends")
        thrusts.append(
            float(_on_hub(dataclasses.replace(generic("published"), blade=ends), FULL, 0.14).thrust)
        )
    return [*thrusts, float(_in_the_middle(0.14).thrust)]


def sectors_matter_little() -> float:
    """RT-28: rolling moment in the head-wind with 20 sectors over that with 30."""
    few, many = (_on_hub(generic("published", sectors=n), FULL, 0.14, wind=HEAD) for n in (20, 30))
    return float(few.moment[0] / many.moment[0])


def head_wind_moment() -> float:
    """RT-29v: rolling moment in the head-wind [N m]."""
    return float(_in_the_middle(0.14, wind=HEAD).moment[0])


def head_wind() -> bool:
    """RT-29: whether it is negative."""
    return head_wind_moment() < 0


def cyclic_sizes() -> list[float]:
    """RT-30v: rolling moment [N m] with cyclic pitch, and the thrust [N]."""
    got = _in_the_middle(0.145, 0.005, np.pi / 2, wind=HEAD)
    return [float(got.moment[0]), float(got.thrust)]


def cyclic() -> bool:
    """RT-30: whether the moment has turned positive and is more than threefold."""
    before = _loads("published", FULL, 0.14, HEAD).moment[0]
    return bool(cyclic_sizes()[0] > 3 * abs(before))


def pitch_range() -> list[float]:
    """RT-30: smallest and largest pitch [rad]."""
    pitch = Controls(FULL, 0.145, 0.005, np.pi / 2).pitch(jnp.linspace(0, 2 * np.pi, 721))
    return [float(pitch.min()), float(pitch.max())]


def figure_of_merit() -> list[float]:
    """RT-31: the estimate at C_T/sigma from 0.02 to 0.12."""
    return [float(v) for v in estimate_figure_of_merit(np.arange(0.02, 0.125, 0.01) * 0.0704, 0.0704)]


@cache
def _s76(form: str) -> np.ndarray:
    if form == "published":
        rotor = Rotor.as_published(S76)
    elif form == "prandtl":
        rotor = Rotor(dataclasses.replace(S76, effective_radius=1.0), inflow="iterated", tip_loss="prandtl")
    else:
        rotor = Rotor(S76)
    return hover(rotor, S76_SPEED, S76_PITCH).C_T_over_solidity.values


def s76_as_printed() -> list[float]:
    """RT-32: C_T/sigma of the S-76 model at 4 to 9 degrees, printed inflow."""
    return [float(v) for v in _s76("published")]


def s76_consistent() -> list[float]:
    """RT-32: the same with momentum balanced."""
    return [float(v) for v in _s76("consistent")]


def s76_bias() -> list[bool | float]:
    """RT-32: the printed inflow gives more thrust at every pitch; least and most of the excess."""
    excess = _s76("published") / _s76("consistent") - 1
    return [bool(np.all(excess > 0)), float(excess.min()), float(excess.max())]


def s76_losses() -> float:
    """Largest change of C_T/sigma by solving the full balance with Prandtl's losses in place of an outer radius."""
    return float(np.max(np.abs(_s76("prandtl") / _s76("consistent") - 1)))


@cache
def _caradonna() -> tuple[list[float], float]:
    ratios, residual = [], 0.0
    for pitch, (mach, measured) in MEASURED.items():
        rotor = Rotor(CARADONNA, blades=2, inflow="iterated", tip_loss="prandtl")
        table = hover(rotor, mach * SOUND / 1.143, np.deg2rad([pitch]))
        ratios.append(float(table.C_T[0]) / measured)
        residual = max(residual, float(table.residual.max()))
    return ratios, residual


def caradonna_tung() -> list[float]:
    """Computed over measured C_T at 5, 8 and 12 degrees."""
    return _caradonna()[0]


def momentum_residual() -> float:
    """Largest relative residual of the iterated inflow in those runs."""
    return _caradonna()[1]


def forms_of_the_generic_rotor() -> list[float]:
    """Thrust [N] of the generic rotor as printed, with momentum balanced, and their ratio."""
    printed, balanced = hover_thrust(), float(_loads("consistent", FULL, 0.14).thrust)
    return [printed, balanced, printed / balanced]


class _Sliding(Flow):
    """Speed of a body without friction in cross-winds [m/s] that ramp from 1.0 to 1.5 s, one body for each."""

    winds: jax.Array
    mass: jax.Array  # [kg]
    plates: FlatPlates = FlatPlates()

    def init(self) -> State:
        return jnp.zeros_like(self.winds)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        wind = self.winds * jnp.clip((t - 1.0) / 0.5, 0.0, 1.0)
        to_port = jnp.array([0.0, 1.0, 0.0])
        force = jax.vmap(lambda w, v: self.plates.wrench(v * to_port, jnp.zeros(3), w * to_port).f[1])
        return force(wind, x) / self.mass

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {}


@eqx.filter_jit
def _after(flow: Flow, h: float, steps: int) -> jax.Array:
    return run_samples(FlowSystem(flow, RK4()), h, steps, Selected())[0].x[0]


def sliding_in_wind() -> list[float]:
    """Speeds [m/s] after 3 s in cross-winds of 1, 2, 3, 5, 10 m/s that ramp from 1.0 to 1.5 s."""
    body = _Sliding(winds=jnp.array([1.0, 2.0, 3.0, 5.0, 10.0]), mass=jnp.array(50.2383))
    return _after(body, 1e-3, 3000).tolist()
