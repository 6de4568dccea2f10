r"""A bristle that bends, slides at a limit, and is released when the body leaves: stick and slip of a foot on a deck.

With the slip :math:`v`, :math:`\dot z = -v` while it sticks, and the limit

.. math:: z_{max} = \frac{N}{K_f}\left[\mu_d + (\mu_s - \mu_d)\,e^{-(v/v_s)^2}\right]

[Schock 2020, eqs 4.46 to 4.52, with the base of the exponential and the sign of the bristle damping put right].
"""

from __future__ import annotations

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import choice, kind, parameter
from dovetail.mechanics.friction.base import Friction, length


@kind("bristle-friction")
class Bristle(Friction):
    r"""The source's form of LuGre: a spring and damper on an anchor that slides at the limit.

    Inside a step a deflection beyond the limit gives the limiting force; the anchor is moved when the step has been
    accepted. The fall from stiction is as steep as a negative damper of :math:`(\mu_s - \mu_d)N/v_s`, which throws a
    light foot about within microseconds; `fall = "lagged"` lets the coefficient follow the slip over `lag`, as dry
    friction does [Hess & Soom 1990], `fall = "now"` takes that of the moment, as printed. The damper may not lift
    the force above the limit, unless `damping_bound = "free"`, as printed: then a foot that slides as it touches
    feels the full damper at the slightest normal force, a jump that no step gets past. With equal coefficients it
    is Coulomb's slider.

    The damper resists the slip. Eqs 4.47 and 4.52 taken literally, :math:`F = K_f z - C_f\dot z` with
    :math:`\dot z = -v(1 - |z|/z_{max})`, make it push along with the slip (`damper = "printed"`): a foot that sticks is
    then not damped but driven.

    The source moves an anchor at the end of each of its intervals of 2.5 ms. Within one the bristle stretches beyond
    what slip allows, so that a foot that slows down feels all of its stiction at once and catches itself; `interval`
    does the same. With 0 the anchor follows every step, and a foot catches itself with no more than sliding friction.
    """

    remembers: ClassVar[bool] = True
    settles: ClassVar[bool] = True

    stiffness: jax.Array = parameter("N/m", "of the bristle, K_f", above=0.0, default=3e3)
    sliding: jax.Array = parameter("1", "coefficient of slip, mu_d", at_least=0.0, default=0.4)
    stiction: jax.Array = parameter("1", "coefficient at the onset of slip, mu_s", at_least=0.0, default=0.4)
    damping: jax.Array = parameter("N s/m", "of the bristle, C_f", at_least=0.0, default=0.0)
    stribeck: jax.Array = parameter("m/s", "speed over which it falls, v_s", above=0.0, default=1e-3)
    fall: str = choice("lagged", "now", about="which slip sets the coefficient", default="lagged")
    lag: jax.Array = parameter("s", "time in which the coefficient follows the slip", default=5e-3, above=0.0)
    damping_bound: str = choice(
        "limit", "free", about="whether the damper may exceed the limit", default="limit"
    )
    interval: jax.Array = parameter(
        "s", "time between moves of the anchor; 0 for every step", default=0.0, at_least=0.0
    )
    damper: str = choice("resists", "printed", about="sign of the bristle's damper", default="resists")

    def coefficient(self, speed):
        return self.sliding + (self.stiction - self.sliding) * jnp.exp(-((speed / self.stribeck) ** 2))

    def share(self, slip, z):
        return self.coefficient(length(slip)) * z / jnp.maximum(length(z), 1e-12)

    def _most(self, normal, slip, slid):
        """Largest force [N]."""
        lagged = self.fall == "lagged" and slid is not None
        return self.coefficient(slid if lagged else length(slip)) * normal

    def act(self, normal, slip, z, slid=None):
        most = self._most(normal, slip, slid)
        pull = self.stiffness * length(z)
        slides = pull >= most
        share = jnp.where(slides, 0.0, 1 - pull / jnp.where(most > 0, most, 1.0))
        damping = -self.damping if self.damper == "printed" else self.damping
        stuck = self.stiffness * z - damping * slip * share
        if self.damping_bound == "limit":
            size = length(stuck)
            stuck = stuck * jnp.where(size > most, most / jnp.where(size > 0, size, 1.0), 1.0)
        sliding = z * (self.stiffness * most / jnp.where(pull > 0, pull, 1.0))
        return jnp.where(slides, sliding, stuck), -slip, jnp.zeros_like(normal)

    def due(self, before, now):
        every = jnp.where(self.interval > 0, self.interval, 1.0)
        ends = jnp.floor(now / every + 1e-6) > jnp.floor(before / every + 1e-6)
        return ends | (self.interval <= 0)

    def remembered(self, slid, speed, dt):
        return speed + (slid - speed) * jnp.exp(-dt / self.lag)

    def settled(self, normal, slip, z, slid=None):
        most = self._most(normal, slip, slid) / self.stiffness
        size = length(z)
        return z * jnp.where(size > most, most / jnp.where(size > 0, size, 1.0), 1.0)
