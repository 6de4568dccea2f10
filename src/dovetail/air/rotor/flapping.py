"""A rotor whose blades flap, in the coordinates of its tip-path plane, with steady or dynamic inflow.

The equations are those of `tip_path`, whose cone and tilt are states here, with the wake's three where it has a memory.
For a rotor that balances them at every moment put its blades' `structure` into `Rotor`: no states, hence any place that
takes a load.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.dynamic_inflow import PittPeters
from dovetail.air.rotor.rotor import Rotor, RotorLoads
from dovetail.air.rotor.tip_path import flapping
from dovetail.core import Flow, kind
from dovetail.core.errors import ParameterError


@kind("flapping-rotor")
class FlappingRotor(Flow):
    """Input: a dictionary with `controls` and, where they are not zero, `velocity`, `turning`, `wind`, `density`.

    State: `flap` and `flap_rate` (3,) [rad], [rad/s]; with `wake` also `inflow` (3,) [m/s].
    """

    rotor: Rotor
    wake: PittPeters | None = None

    def __check_init__(self):
        if isinstance(self.rotor, Rotor) and not self.rotor.structure.gives:
            raise ParameterError(
                "FlappingRotor.rotor: its blades do not give. Do: take structure = hinged-blade or beam-blade"
            )

    def init(self) -> dict[str, jax.Array]:
        state = {"flap": jnp.zeros(3), "flap_rate": jnp.zeros(3)}
        return state if self.wake is None else state | {"inflow": self.wake.init()}

    def _flown(self, x, u) -> tuple[RotorLoads, jax.Array]:
        zero = jnp.zeros(3)
        flight = (
            u.get("velocity", zero),
            u.get("turning", zero),
            u.get("wind", zero),
            u.get("density", 1.225),
        )
        induced = None
        if self.wake is not None:
            induced = self.wake.velocity(x["inflow"], self.rotor.places(), self.rotor.blade.radius)
        return flapping(self.rotor, x["flap"], x["flap_rate"], u["controls"], flight, induced)

    def loads(self, x: dict[str, jax.Array], u: dict) -> RotorLoads:
        """Of the air on the blades, in the hub's axes; the moment is what the blades pass on to the hub."""
        return self._flown(x, u)[0]

    def derivative(self, t, x, u):
        air, second = self._flown(x, u)
        rates = {"flap": x["flap_rate"], "flap_rate": second}
        if self.wake is not None:
            places, share = self.rotor.places(), self.rotor.blades / self.rotor.sectors
            lever = share * jnp.einsum("se,sek->k", air.disc.thrust, places[..., :2])
            wind = jnp.asarray(u.get("wind", jnp.zeros(3)), float)
            stream = (jnp.mean(wind, (0, 1)) if wind.ndim > 1 else wind) - jnp.asarray(
                u.get("velocity", jnp.zeros(3)), float
            )
            rates["inflow"] = self.wake.rate(
                x["inflow"], jnp.sum(air.disc.thrust) * share, lever, stream, self.rotor.blade.radius,
                u.get("density", 1.225),
            )  # fmt: skip
        return rates

    def output(self, t, x, u):
        air = self.loads(x, u)
        signals = {"rotor_force": air.force, "rotor_moment": air.moment, "flap": x["flap"]}
        return signals if self.wake is None else signals | {"inflow": x["inflow"]}
