r"""Hydraulic lag dampers of a rotor: the ideal characteristic, and one with oil, orifice and relief valves.

A piston pushes oil through an orifice; a spring-loaded relief valve for each direction opens once the
pressure reaches its setting. The ideal is a steep slope while both valves are closed and a shallow one when
one is open, continuous at zero, unlike friction. The real one adds two things: the oil is compressible, so
after a reversal the force lags (the loop of resisting force over velocity is open at zero and drawn
anticlockwise); and the valve is a mass on a spring, which rings when it opens, the more the faster the
pressure rises [Wallace 2006, sec. 6.3 and 6.4.1].

The source gives shapes and no constants. Not modelled: temperature, cavitation, seal friction.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import kind, parameter
from dovetail.specimens.base import Memoryless, Specimen


@kind("ideal-lag-damper")
class IdealLagDamper(Memoryless):
    r"""Piecewise linear: slope C1 up to the knee force, C2 beyond.

    .. math:: F = -C_2 v - (C_1 - C_2)\,\mathrm{clip}(v, -v_k, v_k), \qquad v_k = F_k/C_1

    Its force follows the velocity at once. In a sampled loop with the force held over a tick dt this is an
    explicit scheme: beyond C1 dt = 2 m, with m the mass that the damper sees, it chatters about zero.
    """

    in_motion: ClassVar[str] = "the force of a damper"

    closed_slope: jax.Array = parameter("N s/m", "slope C1 with both valves closed", above=0.0)
    open_slope: jax.Array = parameter("N s/m", "slope C2 with one valve open", at_least=0.0)
    knee: jax.Array = parameter("N", "force at which a valve opens", above=0.0)

    def output(self, t, x, u):
        v, limit = u["velocity"], self.knee / self.closed_slope
        steep = (self.closed_slope - self.open_slope) * jnp.clip(v, -limit, limit)
        return {"force": -self.open_slope * v - steep}


@kind("lag-damper")
class LagDamper(Specimen):
    r"""Oil as a spring in series with an orifice and two relief valves, each a mass on a spring.

    With the resisting force f, all flows counted as piston speed and one valve a direction,

    .. math::
       \dot f &= k\,\bigl(v - q(f) - w_+ + w_-\bigr), \qquad f = c\,q + c_2\,q|q| \\
       \ddot w_\pm &= \omega^2\Bigl(\frac{\pm f - f_\pm}{C} - w_\pm\Bigr) - 2\zeta\omega\,\dot w_\pm,
       \qquad w_\pm \ge 0

    k is the stiffness of the oil, q the flow through the orifice (laminar, and turbulent with c2 > 0), w that
    through a valve, in proportion to its lift. A valve in its seat stays until its spring is overcome and
    does not bounce off it. Moved slowly it has the slope c below the setting and, with laminar flow,
    c C/(c + C) above.

    Oil and an open valve form a loop of their own, stable only if :math:`2\zeta\omega > k/C`: a valve less
    damped than that chatters. The fastest rate of the equations is about :math:`2\omega`; give the rig
    enough sub-steps for it.
    """

    in_motion: ClassVar[str] = "the force of a damper"

    stiffness: jax.Array = parameter("N/m", "stiffness k of the oil", above=0.0)
    orifice_slope: jax.Array = parameter("N s/m", "slope c of the orifice at low speed", above=0.0)
    setting: jax.Array = parameter("N", "force at which a relief valve leaves its seat", above=0.0)
    valve_slope: jax.Array = parameter("N s/m", "force above the setting for a unit of relief C", above=0.0)
    valve_frequency: jax.Array = parameter("Hz", "natural frequency of a valve on its spring", above=0.0)
    valve_damping: jax.Array = parameter("1", "damping ratio of a valve", above=0.0)
    turbulence: jax.Array = parameter(
        "N s^2/m^2", "quadratic part c2 of the orifice", default=0.0, at_least=0.0
    )
    asymmetry: jax.Array = parameter(
        "1", "the second valve's setting above the first's, as a share", default=0.0, above=-1.0
    )
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def sampled_at(self, dt: float, shape: tuple[int, ...] = ()) -> Self:
        return dataclasses.replace(self, shape=tuple(shape))

    def init(self) -> dict[str, Any]:
        sizes = [jnp.shape(getattr(self, f.name)) for f in dataclasses.fields(self) if f.name != "shape"]
        zero = jnp.zeros(jnp.broadcast_shapes(self.shape, *sizes))
        return {"resisting": zero, "lift": (zero, zero), "lift_rate": (zero, zero)}

    def derivative(self, t, x, u):
        f = x["resisting"]
        rates = [
            self._valve(pressure - setting, lift, rate)
            for pressure, setting, lift, rate in zip(
                (f, -f), self._settings, x["lift"], x["lift_rate"], strict=True
            )
        ]
        escaping = self._orifice(f) + self._relief(x)
        return {
            "resisting": self.stiffness * (u["velocity"] - escaping),
            "lift": tuple(lift for lift, _ in rates),
            "lift_rate": tuple(rate for _, rate in rates),
        }

    def output(self, t, x, u):
        return {"force": -x["resisting"], "relief_speed": self._relief(x)}

    @property
    def _settings(self):
        return self.setting, self.setting * (1.0 + self.asymmetry)

    def _relief(self, x):
        return jnp.maximum(x["lift"][0], 0.0) - jnp.maximum(x["lift"][1], 0.0)

    def _orifice(self, f):
        # the root of c q + c2 q |q| = f that does not cancel for small c2
        c = self.orifice_slope
        return 2.0 * f / (c + jnp.sqrt(c**2 + 4.0 * self.turbulence * jnp.abs(f)))

    def _valve(self, excess, lift, rate):
        """Rates of a valve's lift and lift rate; `excess` is the force above its setting."""
        w = 2.0 * jnp.pi * self.valve_frequency
        push = w**2 * excess / self.valve_slope
        free = push - w**2 * lift - 2.0 * self.valve_damping * w * rate
        # in its seat it can only be pushed open; what closing speed is left dies there, and what a step
        # carried it into the seat comes back
        held = jnp.maximum(push, 0.0) - 2.0 * w * jnp.minimum(rate, 0.0)
        seated = lift <= 0.0
        leaving = jnp.maximum(rate, 0.0) - 2.0 * w * lift
        return jnp.where(seated, leaving, rate), jnp.where(seated, held, free)
