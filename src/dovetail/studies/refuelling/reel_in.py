r"""Reeling in a chain that lies in an S, with nothing else acting: how models of reel-in compare.

`ReelIn` shortens links at the support (see `LumpedChain.shrink` and `transfer`). `DuctReelIn` keeps all links and draws
the whole chain into a duct: its upper end is a carriage on the drum's actuator, and once a link is inside, a torsional
spring and damper at its joint turn it in line with the one before. Of it the published Model B has 19 hose links,
Model C 38; spring and damper are unpublished. With a `guide`, a wall that the publication leaves out, it tends to the
same limit as the sliding rope as links grow short. Records have the axes of flight. Source: [Bolien 2018, sec. 3.5.3].
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, kind, parameter, signals
from dovetail.mechanics.chain.angles import angle_rates, angles, direction, tangents
from dovetail.mechanics.chain.attitude import flown, tilt
from dovetail.mechanics.chain.base import Chain, Loads, Solved, after, before, gathered
from dovetail.mechanics.chain.drum import Drum, HoseDrum, driven
from dovetail.mechanics.chain.length import ReelLaw, TimedReel, remaining
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.studies.refuelling.assembly import LENGTH, hose

signals.declare("reel_error", symbol="s - s_r", unit="m", label="reeled length less what the drum was told")
TOLD = TimedReel(distance=5 * LENGTH / 19, duration=5.0, start=0.5)


def bare(n: int = 19, **settings: Any) -> Chain:
    """The published hose of n links without bending, drawn forward into its duct."""
    settings = {"shrink": "uniform", "transfer": "printed", "bending": None} | settings
    return hose(n, duct=(-1.0, 0.0, 0.0), **settings)


class ReeledChain(Flow):
    r"""A chain in an S of angle :math:`A\cos(2\pi\sigma/L)`, at rest, that a drum draws in one way or another."""

    chain: Chain = eqx.field(default_factory=bare)
    reel: ReelLaw = TOLD
    drum: Drum = HoseDrum()
    body: jax.Array = parameter("kg", "mass at its end: a drogue", default=17.91, above=0.0)
    arm: jax.Array = parameter("m", "of the body behind its joint", default=0.3, above=0.0)
    amplitude: jax.Array = parameter("rad", "largest angle of the S", default=jnp.pi / 4)

    def __check_init__(self):
        self.chain.with_body(self.body, self.arm)  # refuses chains that cannot carry one

    @property
    def loaded_chain(self) -> Any:
        """The chain with the body at its end."""
        return self.chain.with_body(self.body, self.arm)

    def init(self) -> dict[str, Any]:
        chain = self.loaded_chain
        along = (jnp.arange(chain.rope_links) + 0.5) / chain.rope_links
        along = jnp.append(along, 1.0)
        phi = jnp.pi / 2 - self.amplitude * jnp.cos(2 * jnp.pi * along)
        rope = chain.placed(direction(phi, 0 * phi), chain.lengths()[0])
        return {"rope": rope, "reeled": jnp.zeros(()), "reel_speed": jnp.zeros(())}

    @abstractmethod
    def place(self, x: Any) -> tuple[jax.Array, jax.Array]:
        """Positions and velocities (3, n + 1) of the nodes from the reel's mouth, in the chain's axes."""

    @abstractmethod
    def solve(self, t, x) -> tuple[Solved, jax.Array]:
        """Accelerations and tensions, and the reel's acceleration [m/s^2]."""

    def _drive(self, t, x):
        told = self.reel.taken_in(t, t, self.chain.length)
        return self.drum.drive(told, x["reeled"], x["reel_speed"])

    def derivative(self, t, x, u):
        solved, reel = self.solve(t, x)
        return {"rope": solved.rate, "reeled": x["reel_speed"], "reel_speed": reel}

    def output(self, t, x, u) -> dict[str, Any]:
        r, v = (flown(a) for a in self.place(x))
        solved, _ = self.solve(t, x)
        last = r[:, -1] - r[:, -2]
        return {
            "displacement": r[:, -1],
            "velocity": v[:, -1],
            "acceleration": flown(solved.acceleration)[:, -1],
            "tension": solved.tension,
            "hose_position": r,
            "tipping": tilt(last / jnp.sqrt(last @ last)),
            "reeled_length": x["reeled"],
            "reel_speed": x["reel_speed"],
            "reel_error": x["reeled"] - self.reel.taken_in(t, t, self.chain.length)[0],
        }


@kind("reel-in")
class ReelIn(ReeledChain):
    r"""A chain in an S of angle :math:`A\cos(2\pi\sigma/L)`, at rest, reeled in by its drum; no other force acts."""

    def place(self, x):
        nodes = self.loaded_chain.nodes(x["rope"], self._length(x, 0.0))
        return nodes.position, nodes.velocity

    def solve(self, t, x):
        def chain(reel):
            return self.loaded_chain.solve(t, x["rope"], Loads(jnp.zeros(3), length=self._length(x, reel)))

        return driven(chain, self._drive(t, x))

    def _length(self, x, reel):
        return remaining(self.chain.length, (x["reeled"], x["reel_speed"], reel))


@kind("duct-reel-in")
class DuctReelIn(ReeledChain):
    """The same chain with links of fixed length, drawn as a whole into a duct that turns them in line."""

    chain: Chain = eqx.field(default_factory=lambda: bare(transfer="none"))
    spring: jax.Array = parameter("N m/rad", "of a joint in the duct", default=500.0, at_least=0.0)
    damper: jax.Array = parameter("N m s", "of a joint in the duct", default=50.0, at_least=0.0)
    guide: jax.Array = parameter("N/m", "of the duct's wall on a joint inside", default=0.0, at_least=0.0)
    guide_damping: jax.Array = parameter(
        "N s/m", "of the duct's wall on a joint inside", default=0.0, at_least=0.0
    )
    entry: jax.Array = parameter("m", "way beyond the mouth over which they come on", default=0.02, above=0.0)

    @property
    def duct(self) -> jax.Array:
        """Direction (3,) into the duct, in the chain's axes."""
        own = self.chain.duct if isinstance(self.chain, LumpedChain) else None
        return jnp.array([-1.0, 0.0, 0.0]) if own is None else own

    def place(self, x):
        nodes = self.loaded_chain.nodes(x["rope"])
        carriage = jnp.stack([x["reeled"], x["reel_speed"]])[:, None] * self.duct
        return nodes.position + carriage[0][:, None], nodes.velocity + carriage[1][:, None]

    def solve(self, t, x):
        chain = self.loaded_chain
        duct, (r, v), s = self.duct, self.place(x), chain.shape(x["rope"])
        # a link is inside when its lower end is; the moment turns it in line with the one above
        inside = jnp.clip(duct @ r[:, 1:] / self.entry, 0.0, 1.0)
        inside = inside.at[-1].set(0.0)  # what hangs at the end stays outside
        phi, psi = angles(s.n)
        rate, _ = angle_rates(phi, psi, s.turn)
        bend = self.spring * (phi - before(phi, angles(-duct)[0])) + self.damper * (rate - before(rate))
        moment = -inside * bend
        pair = (moment - after(moment)) / (s.size * jnp.cos(psi) ** 2) * tangents(phi, psi)[0]
        wall = self.guide * r[:, 1:] + self.guide_damping * v[:, 1:]
        wall = -inside * (wall - duct[:, None] * (duct @ wall))
        node = gathered(pair) + jnp.concatenate([jnp.zeros((3, 1)), wall], axis=1)

        def drawn(reel):
            return chain.solve(t, x["rope"], Loads(field=-reel * duct, node=node))

        return driven(drawn, self._drive(t, x), lambda solved: -solved.reaction @ duct)

    def output(self, t, x, u):
        shown = super().output(t, x, u)
        _, reel = self.solve(t, x)
        return shown | {"acceleration": shown["acceleration"] + flown(reel * self.duct)}
