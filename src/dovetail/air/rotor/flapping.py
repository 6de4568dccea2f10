"""Rotor with flapping blades in tip-path coordinates, with steady or dynamic inflow.

The equations are those of `tip_path`. Coning and tilt are states, and so are the three states of a dynamic wake. For a
rotor with quasi-steady flapping set the blades' `structure` in `Rotor`: it has no states, so it can be used wherever a
load is accepted.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.dynamic_inflow import PittPeters
from dovetail.air.rotor.rotor import Rotor, RotorLoads
from dovetail.air.rotor.tip_path import loads_and_rates
from dovetail.core import Flow, Input, Output, State, Time, kind
from dovetail.core.errors import ParameterError


@kind("flapping-rotor")
class FlappingRotor(Flow):
    """Input: a dictionary with `controls` and, if not zero, `velocity`, `angular_velocity`, `wind`, `density`.

    State: `flap` and `flap_rate` (3,) [rad], [rad/s]; with `wake` also `inflow` (3,) [m/s].
    """

    rotor: Rotor
    wake: PittPeters | None = None

    def __check_init__(self) -> None:
        if isinstance(self.rotor, Rotor) and not self.rotor.structure.has_modes:
            raise ParameterError(
                "FlappingRotor.rotor: the blades are rigid. Use structure = hinged-blade or beam-blade"
            )

    def init(self) -> dict[str, jax.Array]:
        state = {"flap": jnp.zeros(3), "flap_rate": jnp.zeros(3)}
        return state if self.wake is None else state | {"inflow": self.wake.init()}

    def _loads_and_rates(self, x, u) -> tuple[RotorLoads, jax.Array]:
        zero = jnp.zeros(3)
        flight = (
            u.get("velocity", zero),
            u.get("angular_velocity", zero),
            u.get("wind", zero),
            u.get("density", 1.225),
        )
        induced = None
        if self.wake is not None:
            induced = self.wake.velocity(x["inflow"], self.rotor.element_positions(), self.rotor.blade.radius)
        return loads_and_rates(self.rotor, x["flap"], x["flap_rate"], u["controls"], flight, induced)

    def loads(self, x: dict[str, jax.Array], u: dict) -> RotorLoads:
        """Air loads of the blades, in hub axes; the moment is the one transmitted to the hub."""
        return self._loads_and_rates(x, u)[0]

    def derivative(self, t: Time, x: State, u: Input) -> State:
        air, second = self._loads_and_rates(x, u)
        rates = {"flap": x["flap_rate"], "flap_rate": second}
        if self.wake is not None:
            positions, weight = self.rotor.element_positions(), self.rotor.blades / self.rotor.sectors
            lever = weight * jnp.einsum("se,sek->k", air.disc.thrust, positions[..., :2])
            wind = jnp.asarray(u.get("wind", jnp.zeros(3)), float)
            stream = (jnp.mean(wind, (0, 1)) if wind.ndim > 1 else wind) - jnp.asarray(
                u.get("velocity", jnp.zeros(3)), float
            )
            rates["inflow"] = self.wake.rate(
                x["inflow"], jnp.sum(air.disc.thrust) * weight, lever, stream, self.rotor.blade.radius,
                u.get("density", 1.225),
            )  # fmt: skip
        return rates

    def output(self, t: Time, x: State, u: Input) -> Output:
        air = self.loads(x, u)
        signals = {"rotor_force": air.force, "rotor_moment": air.moment, "tip_path_angles": x["flap"]}
        return signals if self.wake is None else signals | {"induced_velocity": x["inflow"]}
