r"""A drogue as a funnel with coupling and latch: pose of the nozzle in, wrench on the drogue out.

In the drogue's frame D (x forward along its axis, origin in the ball joint) the nozzle, a point, is at a depth
:math:`\xi = -x` aft of the ball joint and at a radius :math:`\eta`. The inner wall :math:`R(\xi)` is piecewise
straight: bore, lead-in cone of the coupling, ribs. Its gap is :math:`g = (R - \eta)\cos\beta`, with the wall's slope
:math:`\tan\beta`, and its normal on the drogue :math:`n = \cos\beta\,e_r + \sin\beta\,e_x`; what then acts is said by
`law` and `friction` (see `mechanics.contact.meeting`). A number of the law may be three: of bore, lead-in, ribs.

An end stop and, once it has engaged, a latch hold the nozzle in the bore, with the spring of the bore's law; the rim is
a ring with the law of the ribs and no friction. A nozzle that has passed outside the rim meets nothing: the memory
`outside` says so. This memory, and the latch's, follow the way and not the time; so does the friction of a brush, which
therefore is the same in a slow test as in a fast one. A law that loses with the rate makes the full-speed variant: at
rest, as in a slow test, it is without loss.

This is a surrogate: only canopy and offsets are published [Bolien 2018]; geometry, stiffness and friction were
chosen so that tip angles at 50, 100 and 200 mm come out as the thesis describes them. It has no rib inertia.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import KelvinVoigt, Meeting, Met, NormalLaw
from dovetail.mechanics.friction import Brush, Friction, NoFriction
from dovetail.mechanics.geometry.revolved_wall import ring, wall
from dovetail.specimens.base import Specimen

FREE, RIM, RIBS, LEAD_IN, BORE = 0, 1, 2, 3, 4  # where the nozzle touches
TINY = 1e-24  # keeps roots differentiable; far below any place or speed squared


class FunnelContact(eqx.Module):
    """What goes on at the wall."""

    force: jax.Array  # (3,) [N] on the drogue, in its axes
    place: jax.Array  # (3,) [m] of the nozzle
    depth: jax.Array  # [m] overlap with the wall, positive in contact
    normal: jax.Array  # [N] force of wall and rim
    zone: jax.Array
    wall: Met
    rim: Met


@kind("funnel")
class Funnel(Specimen):
    """Drogue with ribs, coupling and latch, met by a point-like nozzle."""

    home: jax.Array = parameter("m", "nozzle in the drogue at the start", default=(-0.75, 0.0, -0.05))
    depths: jax.Array = parameter(
        "m",
        "aft of the ball joint: latch, end of the bore, of the lead-in, rim",
        default=(0.12, 0.20, 0.26, 0.70),
    )
    radii: jax.Array = parameter("m", "inner radii there", default=(0.006, 0.006, 0.065, 0.27))
    law: NormalLaw = KelvinVoigt((5e4, 5e4, 2.5e3), tension="clamped")
    friction: Friction = Brush(mu=0.1)
    way: jax.Array = parameter("m", "over which memory follows: latch, side", default=1e-3, above=0.0)
    rim_radius: jax.Array = parameter("m", "of the rim's tube", default=0.01, above=0.0)
    latch_reach: jax.Array = parameter(
        "m", "how close to the stop the latch engages", default=1e-3, at_least=0.0
    )

    def __check_init__(self):
        super().__check_init__()
        if not {jnp.shape(number) for number in jax.tree.leaves(self.law)} <= {(), (3,)}:
            raise ParameterError(
                "Funnel.law: a number of the law has other than one or three entries; give one for all, or those of "
                "bore, lead-in and ribs"
            )

    def init(self) -> dict[str, jax.Array]:
        nothing = jnp.zeros(())
        rest = {"rim_speed": nothing, "latched": nothing, "outside": nothing}
        return {**self._meeting.init(3), **rest}

    @property
    def _meeting(self) -> Meeting:
        return Meeting(self.law, self.friction)

    def _section(self, i) -> NormalLaw:
        """The law of bore, lead-in or ribs."""
        return jax.tree.map(lambda a: a[i] if jnp.ndim(a) else a, self.law)

    def derivative(self, t, x, u):
        contact = self.contact(x, u)
        xi, eta = self._where(contact.place)
        home = (xi <= self.depths[0] + self.latch_reach) & (x["outside"] < 0.5)
        aft = xi > self.depths[-1]
        beyond = jnp.where(eta > self.radii[-1], 1.0, 0.0)
        pace = jnp.sqrt(u["velocity"][:3] @ u["velocity"][:3] + TINY) / self.way
        return {
            **contact.wall.rate,
            "rim_speed": jnp.zeros(()),
            "latched": jnp.where(home, pace * (1 - x["latched"]), 0.0),
            "outside": jnp.where(aft, pace * (beyond - x["outside"]), 0.0),
        }

    @property
    def jumps(self) -> bool:
        """Whether anything is remembered from step to step."""
        return self._meeting.jumps

    def jump(self, t, x, u):
        contact = self.contact(x, u)
        rim = self._meeting.latch.update(x["rim_speed"], contact.rim.depth, contact.rim.speed)
        return {**x, **self._meeting.after(x, contact.wall), "rim_speed": rim}

    def output(self, t, x, u):
        contact = self.contact(x, u)
        return {
            "force": jnp.concatenate([contact.force, jnp.cross(contact.place, contact.force)]),
            "depth": contact.depth,
            "normal_force": contact.normal,
            "contact_zone": contact.zone.astype(float),
            "latched": x["latched"],
        }

    def contact(self, x, u) -> FunnelContact:
        """Forces of the wall on the nozzle, as they act on the drogue."""
        p, v = self.home + u["displacement"][:3], u["velocity"][:3]
        xi, eta = self._where(p)
        out = jnp.stack([jnp.zeros(()), p[1], p[2]]) / eta
        ahead = jnp.eye(3)[0]

        inside = 1 - x["outside"]
        gap, cosine, sine, section = wall(self.depths, self.radii, xi, eta)
        within = xi <= self.depths[-1]
        gap = jnp.where(within, gap, self.rim_radius)
        n = cosine * out + sine * ahead
        met = Meeting(self._section(section), self.friction).at(x, gap, -n, v)

        # beyond the end stop its spring pushes; the latch pulls too
        stop = self.depths[0] - xi
        held = jnp.where(stop > 0, 1.0, x["latched"]) * self._section(0).spring(stop)
        rim = self._rim(x, xi, eta, out, v)
        force = inside * (held * ahead - met.force) - rim.force

        zone = jnp.where(rim.normal_force > 0, RIM, FREE)
        zone = jnp.where((gap < 0) & (inside > 0.5), jnp.array([BORE, LEAD_IN, RIBS])[section], zone)
        normal = inside * met.normal_force + rim.normal_force
        return FunnelContact(force, p, jnp.where(within, -gap, 0.0) * inside, normal, zone, met, rim)

    def _where(self, p):
        return -p[0], jnp.sqrt(p[1] ** 2 + p[2] ** 2 + TINY)

    def _rim(self, x, xi, eta, out, v) -> Met:
        """What goes on at the ring that the rim is."""
        gap, ahead, outward = ring(self.depths[-1], self.radii[-1], self.rim_radius, xi, eta)
        normal = outward * out + ahead * jnp.eye(3)[0]
        memory = {"impact_speed": x["rim_speed"], "bristle": NoFriction().memory(3)}
        return Meeting(self._section(2), NoFriction()).at(memory, gap, normal, v)
