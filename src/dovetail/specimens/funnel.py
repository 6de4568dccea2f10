r"""Drogue as a funnel with coupling and latch: wrench on the drogue from the pose of the nozzle.

In the drogue's frame D (x forward along its axis, origin in the ball joint) the nozzle, a point, has the axial position
:math:`\xi = -x` aft of the ball joint and the radius :math:`\eta`. The inner wall :math:`R(\xi)` is piecewise linear:
bore, lead-in cone of the coupling, ribs. Its gap is :math:`g = (R - \eta)\cos\beta`, with the wall's slope
:math:`\tan\beta`, and its normal on the drogue is :math:`n = \cos\beta\,e_r + \sin\beta\,e_x`. `law` and `friction`
give the contact force (see `mechanics.contact.surface_contact`). A parameter of the law may have three values: bore,
lead-in, ribs.

An end stop and, after engagement, a latch keep the nozzle in the bore, with the spring of the bore's law. The rim is a
ring with the law of the ribs and no friction. A nozzle that has passed outside the rim has no contact; the state
`outside` records this. This state and the latch depend on the travelled distance, not on time, and so does brush
friction: they are equal in a slow and in a fast test. A law with rate-dependent loss is the full-speed variant; it has
no loss at rest, as in a slow test.

This is a surrogate model: only canopy and offsets are published [Bolien 2018]. Geometry, stiffness and friction were
chosen to give the tip angles at 50, 100 and 200 mm that the thesis describes. The ribs have no inertia.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import ContactForces, KelvinVoigt, NormalLaw, SurfaceContact
from dovetail.mechanics.friction import Brush, Friction, NoFriction
from dovetail.mechanics.geometry.revolved_wall import ring, wall
from dovetail.specimens.base import Specimen

FREE, RIM, RIBS, LEAD_IN, BORE = 0, 1, 2, 3, 4  # contact zone of the nozzle
TINY = 1e-24  # keeps square roots differentiable; far below any squared position or speed


class FunnelContact(eqx.Module):
    """Contact state between nozzle and drogue."""

    force: jax.Array  # (3,) [N] on the drogue, in its axes
    position: jax.Array  # (3,) [m] of the nozzle
    penetration: jax.Array  # [m] of the wall, positive in contact
    normal: jax.Array  # [N] normal force of wall and rim
    zone: jax.Array
    wall: ContactForces
    rim: ContactForces


@kind("funnel")
class Funnel(Specimen):
    """Drogue with ribs, coupling and latch, in contact with a point nozzle."""

    initial_position: Parameter = parameter(
        "m", "initial position of the nozzle in the drogue's frame", default=(-0.75, 0.0, 0.05)
    )
    depths: Parameter = parameter(
        "m",
        "axial positions aft of the ball joint: latch, end of bore, end of lead-in, rim",
        default=(0.12, 0.20, 0.26, 0.70),
    )
    radii: Parameter = parameter("m", "inner radii at `depths`", default=(0.006, 0.006, 0.065, 0.27))
    law: NormalLaw = KelvinVoigt((5e4, 5e4, 2.5e3), tension="clamped")
    friction: Friction = Brush(mu=0.1)
    memory_distance: Parameter = parameter(
        "m", "travel over which the states `latched` and `outside` change", default=1e-3, above=0.0
    )
    rim_radius: Parameter = parameter("m", "radius of the rim's tube", default=0.01, above=0.0)
    latch_reach: Parameter = parameter(
        "m", "distance from the stop at which the latch engages", default=1e-3, at_least=0.0
    )

    def __check_init__(self) -> None:
        super().__check_init__()
        if not {jnp.shape(number) for number in jax.tree.leaves(self.law)} <= {(), (3,)}:
            raise ParameterError(
                "Funnel.law: expected one or three values for each parameter of the law (all sections, or bore, "
                "lead-in and ribs)"
            )

    def init(self) -> dict[str, jax.Array]:
        zeros = dict.fromkeys(("rim_speed", "latched", "outside"), jnp.zeros(()))
        return {**self._surface_contact.init(3), **zeros}

    @property
    def _surface_contact(self) -> SurfaceContact:
        return SurfaceContact(self.law, self.friction)

    def _section(self, i: jax.Array | int) -> NormalLaw:
        """Normal law of bore (0), lead-in (1) or ribs (2)."""
        law: NormalLaw = jax.tree.map(lambda a: a[i] if jnp.ndim(a) else a, self.law)
        return law

    def derivative(self, t: Time, x: State, u: Input) -> State:
        contact = self.contact(x, u)
        xi, eta = self._axial_and_radial(contact.position)
        at_stop = (xi <= self.depths[0] + self.latch_reach) & (x["outside"] < 0.5)
        aft = xi > self.depths[-1]
        beyond = jnp.where(eta > self.radii[-1], 1.0, 0.0)
        rate = jnp.sqrt(u["velocity"][:3] @ u["velocity"][:3] + TINY) / self.memory_distance
        return {
            **contact.wall.rate,
            "rim_speed": jnp.zeros(()),
            "latched": jnp.where(at_stop, rate * (1 - x["latched"]), 0.0),
            "outside": jnp.where(aft, rate * (beyond - x["outside"]), 0.0),
        }

    @property
    def jumps(self) -> bool:
        """True if the contact has states that change at each step."""
        return self._surface_contact.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        contact = self.contact(x, u)
        rim = self._surface_contact.impact_speed_memory.update(
            x["rim_speed"], contact.rim.depth, contact.rim.speed
        )
        return {**x, **self._surface_contact.update_memory(x, contact.wall), "rim_speed": rim}

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        contact = self.contact(x, u)
        xi, eta = self._axial_and_radial(contact.position)
        gap, cosine, *_ = wall(self.depths, self.radii, xi, eta)
        places = [eta - self.radii[-1], xi - (self.depths[0] + self.latch_reach), *(xi - self.depths)]
        switches = [x["latched"] - 0.5, x["outside"] - 0.5]
        return jnp.concatenate(
            [
                jnp.stack([gap / cosine, -contact.rim.depth, *places, *switches]),  # all are continuous
                self._surface_contact.guards(contact.wall)[1:],
            ]
        )

    def output(self, t: Time, x: State, u: Input) -> Output:
        contact = self.contact(x, u)
        return {
            "force": jnp.concatenate([contact.force, jnp.cross(contact.position, contact.force)]),
            "penetration": contact.penetration,
            "normal_force": contact.normal,
            "contact_zone": contact.zone.astype(float),
            "latched": x["latched"],
        }

    def contact(self, x: State, u: Input) -> FunnelContact:
        """Contact forces between nozzle and drogue, as they act on the drogue."""
        p, v = self.initial_position + u["displacement"][:3], u["velocity"][:3]
        xi, eta = self._axial_and_radial(p)
        radial = jnp.stack([jnp.zeros(()), p[1], p[2]]) / eta
        axis = jnp.eye(3)[0]

        inside = 1 - x["outside"]
        gap, cosine, sine, section = wall(self.depths, self.radii, xi, eta)
        before_rim = xi <= self.depths[-1]
        gap = jnp.where(before_rim, gap, self.rim_radius)
        n = cosine * radial + sine * axis
        contact = SurfaceContact(self._section(section), self.friction).forces(x, gap, -n, v)

        # the end stop only pushes; the latch also pulls
        overtravel = self.depths[0] - xi
        stop_force = jnp.where(overtravel > 0, 1.0, x["latched"]) * self._section(0).spring(overtravel)
        rim = self._rim(x, xi, eta, radial, v)
        force = inside * (stop_force * axis - contact.force) - rim.force

        zone = jnp.where(rim.normal_force > 0, RIM, FREE)
        zone = jnp.where((gap < 0) & (inside > 0.5), jnp.array([BORE, LEAD_IN, RIBS])[section], zone)
        normal = inside * contact.normal_force + rim.normal_force
        return FunnelContact(force, p, jnp.where(before_rim, -gap, 0.0) * inside, normal, zone, contact, rim)

    def _axial_and_radial(self, p: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Axial position aft of the ball joint and radius of a point [m]."""
        return -p[0], jnp.sqrt(p[1] ** 2 + p[2] ** 2 + TINY)

    def _rim(self, x: State, xi: jax.Array, eta: jax.Array, radial: jax.Array, v: jax.Array) -> ContactForces:
        """Contact forces at the rim, modelled as a ring."""
        gap, ahead, outward = ring(self.depths[-1], self.radii[-1], self.rim_radius, xi, eta)
        normal = outward * radial + ahead * jnp.eye(3)[0]
        memory = {"impact_speed": x["rim_speed"], "bristle": NoFriction().initial_bristles(3)}
        return SurfaceContact(self._section(2), NoFriction()).forces(memory, gap, normal, v)
