r"""Comparison of reel-in models: an S-shaped chain is reeled in without other forces.

`ReelIn` shortens links at the support (see `LumpedChain.reeling_order` and `mass_transfer`). `DuctReelIn` has links of
fixed length and draws the whole chain into a duct. Its upper end is a carriage on the drum's actuator. Once a link is
inside, a torsional spring and damper at its joint align it with the previous link. The published Model B is this model
with 19 hose links, Model C with 38; spring and damper are unpublished. With a `guide`, a wall that is not in the
publication, the model converges to the same limit as the sliding rope for short links. Source: [Bolien 2018, sec.
3.5.3].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, Input, Output, Parameter, State, Time, kind, parameter, signals
from dovetail.mechanics.chain.angles import angle_rates, angles, direction, tangents
from dovetail.mechanics.chain.attitude import tilt_angles
from dovetail.mechanics.chain.base import (
    Chain,
    ChainLoads,
    ChainSolution,
    next_column,
    previous_column,
    sum_link_forces,
)
from dovetail.mechanics.chain.drum import Drum, HoseDrum, chain_and_drum_rates
from dovetail.mechanics.chain.length import ReelLaw, TimedReel, remaining_length
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.studies.refuelling.assembly import LENGTH, hose

signals.declare("reel_error", symbol="s - s_r", unit="m", label="reeled length minus commanded length")
TOLD = TimedReel(distance=5 * LENGTH / 19, duration=5.0, start=0.5)


def bare(n: int = 19, **settings: Any) -> Chain:
    """Return the published hose with n links, without bending stiffness, drawn forward into its duct."""
    settings = {"reeling_order": "uniform", "mass_transfer": "published", "bending": None} | settings
    return hose(n, root_direction=(1.0, 0.0, 0.0), **settings)


class ReeledChain(Flow):
    r"""Base of the reel-in models: a chain at rest in an S of angle :math:`A\cos(2\pi\sigma/L)`, drawn in by a drum."""

    chain: Chain = eqx.field(default_factory=bare)
    reel: ReelLaw = TOLD
    drum: Drum = HoseDrum()
    body: Parameter = parameter("kg", "mass of the body at the end (drogue)", default=17.91, above=0.0)
    arm: Parameter = parameter(
        "m", "distance of the body's centre of mass from its joint", default=0.3, above=0.0
    )
    amplitude: Parameter = parameter("rad", "largest angle of the S", default=jnp.pi / 4)

    def __check_init__(self) -> None:
        self.chain.with_body(self.body, self.arm)  # raises for a chain that cannot have a tip body

    @property
    def loaded_chain(self) -> Any:
        """Chain with the body at its end."""
        return self.chain.with_body(self.body, self.arm)

    def init(self) -> dict[str, Any]:
        chain = self.loaded_chain
        along = (jnp.arange(chain.rope_links) + 0.5) / chain.rope_links
        along = jnp.append(along, 1.0)
        phi = jnp.pi / 2 - self.amplitude * jnp.cos(2 * jnp.pi * along)
        rope = chain.state_from_directions(direction(phi, 0 * phi), chain.lengths()[0])
        return {"rope": rope, "reeled": jnp.zeros(()), "reel_speed": jnp.zeros(())}

    @abstractmethod
    def place(self, x: Any) -> tuple[jax.Array, jax.Array]:
        """Return positions and velocities (3, n + 1) of the nodes from the mouth of the reel."""

    @abstractmethod
    def solve(self, t, x) -> tuple[ChainSolution, jax.Array]:
        """Return the chain solution and the acceleration of the reel [m/s^2]."""

    def _drive(self, t, x):
        command = self.reel.reeled_length(t, t, self.chain.length)
        return self.drum.drive(command, x["reeled"], x["reel_speed"])

    def derivative(self, t: Time, x: State, u: Input) -> State:
        solved, reel = self.solve(t, x)
        return {"rope": solved.rate, "reeled": x["reel_speed"], "reel_speed": reel}

    def output(self, t: Time, x: State, u: Input) -> dict[str, Any]:
        r, v = self.place(x)
        solved, _ = self.solve(t, x)
        arm = r[:, -2] - r[:, -1]
        return {
            "displacement": r[:, -1],
            "velocity": v[:, -1],
            "acceleration": solved.acceleration[:, -1],
            "tension": solved.tension,
            "hose_position": r,
            "drogue_attitude_change": tilt_angles(arm / jnp.sqrt(arm @ arm)),
            "reeled_length": x["reeled"],
            "reel_speed": x["reel_speed"],
            "reel_error": x["reeled"] - self.reel.reeled_length(t, t, self.chain.length)[0],
        }


@kind("reel-in")
class ReelIn(ReeledChain):
    r"""Reel-in of a chain at rest in an S of angle :math:`A\cos(2\pi\sigma/L)`; no other force acts."""

    def place(self, x):
        nodes = self.loaded_chain.nodes(x["rope"], self._length(x, 0.0))
        return nodes.position, nodes.velocity

    def solve(self, t, x):
        def chain(reel):
            return self.loaded_chain.solve(
                t, x["rope"], ChainLoads(jnp.zeros(3), length=self._length(x, reel))
            )

        return chain_and_drum_rates(chain, self._drive(t, x))

    def _length(self, x, reel):
        return remaining_length(self.chain.length, (x["reeled"], x["reel_speed"], reel))


@kind("duct-reel-in")
class DuctReelIn(ReeledChain):
    """Reel-in of the same chain with links of fixed length, drawn into a duct that aligns them."""

    chain: Chain = eqx.field(default_factory=lambda: bare(mass_transfer="none"))
    spring: Parameter = parameter(
        "N m/rad", "spring stiffness of a joint in the duct", default=500.0, at_least=0.0
    )
    damper: Parameter = parameter("N m s", "damping of a joint in the duct", default=50.0, at_least=0.0)
    guide: Parameter = parameter(
        "N/m", "wall stiffness of the duct on a joint inside", default=0.0, at_least=0.0
    )
    guide_damping: Parameter = parameter(
        "N s/m", "wall damping of the duct on a joint inside", default=0.0, at_least=0.0
    )
    entry: Parameter = parameter(
        "m", "distance behind the mouth over which both engage", default=0.02, above=0.0
    )

    @property
    def duct(self) -> jax.Array:
        """Direction (3,) into the duct."""
        own = self.chain.root_direction if isinstance(self.chain, LumpedChain) else None
        return jnp.array([1.0, 0.0, 0.0]) if own is None else own

    def place(self, x):
        nodes = self.loaded_chain.nodes(x["rope"])
        carriage = jnp.stack([x["reeled"], x["reel_speed"]])[:, None] * self.duct
        return nodes.position + carriage[0][:, None], nodes.velocity + carriage[1][:, None]

    def solve(self, t, x):
        chain = self.loaded_chain
        duct, (r, v), s = self.duct, self.place(x), chain.shape(x["rope"])
        # a link is inside when its lower end is inside; the moment aligns it with the link above
        inside = jnp.clip(duct @ r[:, 1:] / self.entry, 0.0, 1.0)
        inside = inside.at[-1].set(0.0)  # the body at the end stays outside
        phi, psi = angles(s.n)
        rate, _ = angle_rates(phi, psi, s.turn)
        bend = self.spring * (phi - previous_column(phi, angles(-duct)[0])) + self.damper * (
            rate - previous_column(rate)
        )
        moment = -inside * bend
        pair = (moment - next_column(moment)) / (s.size * jnp.cos(psi) ** 2) * tangents(phi, psi)[0]
        wall = self.guide * r[:, 1:] + self.guide_damping * v[:, 1:]
        wall = -inside * (wall - duct[:, None] * (duct @ wall))
        node = sum_link_forces(pair) + jnp.concatenate([jnp.zeros((3, 1)), wall], axis=1)

        def drawn(reel):
            return chain.solve(t, x["rope"], ChainLoads(field=-reel * duct, node=node))

        return chain_and_drum_rates(drawn, self._drive(t, x), lambda solved: -solved.reaction @ duct)

    def output(self, t: Time, x: State, u: Input) -> Output:
        shown = super().output(t, x, u)
        _, reel = self.solve(t, x)
        return shown | {"acceleration": shown["acceleration"] + reel * self.duct}
