r"""A drogue as a funnel with coupling and latch: pose of the nozzle in, wrench on the drogue out.

In the drogue's frame D (x forward along its axis, origin in the ball joint) the nozzle, a point, is at a depth
:math:`\xi = -x` aft of the ball joint and at a radius :math:`\eta`. The inner wall :math:`R(\xi)` is piecewise
straight: bore, lead-in cone of the coupling, ribs. Where :math:`g = (\eta - R)\cos\beta > 0`, with the wall's slope
:math:`\tan\beta`, a section of stiffness k answers with

.. math:: f = k g\,(n + \mu\,s), \qquad n = \cos\beta\,e_r + \sin\beta\,e_x

and friction along s, the direction of slip. An end stop and, once it has engaged, a latch hold the nozzle in the
bore; the rim is a ring. A nozzle that has passed outside the rim meets nothing: the memory `outside` says so.

Friction comes either from the speed (`speed`: :math:`\tanh(v/v_0)`, the form the geometry was fitted with), or from a
brush (`brush`: :math:`\dot z = v - |v| z/z_0`, :math:`s = z/z_0`), which does not depend on the rate and so is
the same in a slow test as in a fast one. All memory follows the way, not the time.

`damping` of the wall and `fast_loss`, what it gives back less when it springs back fast, make the full-speed variant;
taken at rest, as in a slow test, the force is without both.

This is a surrogate: only canopy and offsets are published [Bolien 2018]; geometry, stiffness and friction were
chosen so that tip angles at 50, 100 and 200 mm come out as the thesis describes them. It has no rib inertia.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import choice, kind, parameter
from dovetail.specimens.base import Specimen

FREE, RIM, RIBS, LEAD_IN, BORE = 0, 1, 2, 3, 4  # where the nozzle touches
TINY = 1e-24  # keeps roots differentiable; far below any place or speed squared


class FunnelContact(eqx.Module):
    """What goes on at the wall."""

    force: jax.Array  # (3,) [N] on the drogue, in its axes
    place: jax.Array  # (3,) [m] of the nozzle
    gap: jax.Array  # [m] overlap with the wall, positive in contact
    normal: jax.Array  # [N] force of the wall
    zone: jax.Array
    slip: jax.Array  # (3,) [m/s] along the wall


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
    rib_stiffness: jax.Array = parameter("N/m", "of the ribs", default=2.5e3, at_least=0.0)
    coupling_stiffness: jax.Array = parameter(
        "N/m", "of lead-in, bore and end stop", default=5e4, at_least=0.0
    )
    friction: jax.Array = parameter("1", "friction coefficient", default=0.1, at_least=0.0)
    friction_law: str = choice("brush", "speed", about="what friction follows from", default="brush")
    slip_speed: jax.Array = parameter(
        "m/s", "speed at which friction is fully there", default=0.02, above=0.0
    )
    bristle: jax.Array = parameter(
        "m", "way over which memory follows: slip, latch, side", default=1e-3, above=0.0
    )
    damping: jax.Array = parameter("N s/m", "of the wall: what a slow test loses", default=0.0, at_least=0.0)
    fast_loss: jax.Array = parameter(
        "1", "share of the force lost as it springs back fast", default=0.0, at_least=0.0
    )
    fast_speed: jax.Array = parameter(
        "m/s", "speed at which that loss is fully there", default=0.1, above=0.0
    )
    rim_radius: jax.Array = parameter("m", "of the rim's tube", default=0.01, above=0.0)
    latch_reach: jax.Array = parameter(
        "m", "how close to the stop the latch engages", default=1e-3, at_least=0.0
    )

    def init(self) -> dict[str, jax.Array]:
        nothing = jnp.zeros(())
        return {"bristle": jnp.zeros(3), "latched": nothing, "outside": nothing}

    def derivative(self, t, x, u):
        now = self.contact(x, u)
        xi, eta = self._where(now.place)
        speed = jnp.sqrt(now.slip @ now.slip + TINY)
        stuck = now.slip - speed * x["bristle"] / self.bristle
        home = (xi <= self.depths[0] + self.latch_reach) & (x["outside"] < 0.5)
        aft = xi > self.depths[-1]
        beyond = jnp.where(eta > self.radii[-1], 1.0, 0.0)
        pace = jnp.sqrt(u["velocity"][:3] @ u["velocity"][:3] + TINY) / self.bristle
        return {
            "bristle": jnp.where(now.normal > 0, stuck, -pace * x["bristle"]),
            "latched": jnp.where(home, pace * (1 - x["latched"]), 0.0),
            "outside": jnp.where(aft, pace * (beyond - x["outside"]), 0.0),
        }

    def output(self, t, x, u):
        now = self.contact(x, u)
        return {
            "force": jnp.concatenate([now.force, jnp.cross(now.place, now.force)]),
            "depth": now.gap,
            "normal_force": now.normal,
            "contact_zone": now.zone.astype(float),
            "latched": x["latched"],
        }

    def contact(self, x, u) -> FunnelContact:
        """Forces of the wall on the nozzle, as they act on the drogue."""
        p = self.home + u["displacement"][:3]
        v = u["velocity"][:3]
        xi, eta = self._where(p)
        out = jnp.stack([jnp.zeros(()), p[1], p[2]]) / eta
        ahead = jnp.eye(3)[0]

        inside = 1 - x["outside"]
        section = jnp.clip(jnp.searchsorted(self.depths, xi, side="right") - 1, 0, 2)
        length = jnp.diff(self.depths)[section]
        slope = jnp.diff(self.radii)[section] / length
        cosine = 1 / jnp.sqrt(1 + slope**2)
        sine = slope * cosine
        wall = self.radii[section] + slope * (xi - self.depths[section])
        gap = (eta - wall) * cosine
        k = jnp.where(section == 2, self.rib_stiffness, self.coupling_stiffness)
        within = xi <= self.depths[-1]
        n = cosine * out + sine * ahead
        lost = self.fast_loss * jnp.tanh(jnp.maximum(-(v @ n), 0.0) / self.fast_speed)
        pushed = jnp.maximum(k * gap * (1 - lost) + self.damping * (v @ n), 0.0)
        normal = jnp.where(within & (gap > 0), pushed, 0.0) * inside

        slip = v - n * (v @ n)
        if self.friction_law == "speed":
            size = jnp.sqrt(slip @ slip + TINY)
            share = jnp.tanh(size / self.slip_speed) * slip / size
        else:
            share = x["bristle"] / self.bristle
            share = share - n * (share @ n)
        force = normal * (n + self.friction * share)

        stop = self.depths[0] - xi  # positive beyond the end stop; the latch pulls too
        held = jnp.where(stop > 0, stop, x["latched"] * stop)
        force = force + self.coupling_stiffness * held * inside * ahead

        ring, along = self._rim(xi, eta)
        normal = normal + ring
        force = force + ring * (along[0] * ahead + along[1] * out)

        zone = jnp.where(ring > 0, RIM, FREE)
        zone = jnp.where((gap > 0) & within & (inside > 0.5), jnp.array([BORE, LEAD_IN, RIBS])[section], zone)
        return FunnelContact(force, p, jnp.where(within, gap, 0.0) * inside, normal, zone, slip)

    def _where(self, p):
        return -p[0], jnp.sqrt(p[1] ** 2 + p[2] ** 2 + TINY)

    def _rim(self, xi, eta):
        """Force of the ring that the rim is [N], and its direction on the drogue: forward, outward."""
        dx, dr = self.depths[-1] - xi, self.radii[-1] - eta  # from nozzle to ring: forward is less deep
        far = jnp.sqrt(dx**2 + dr**2 + TINY)
        overlap = jnp.maximum(self.rim_radius - far, 0.0)
        return self.rib_stiffness * overlap, jnp.stack([-dx, dr]) / far
