r"""Hydraulic lag dampers of a rotor: ideal characteristic, and a model with oil, orifice and relief valves.

A piston pushes oil through an orifice. A spring-loaded relief valve for each direction opens when the pressure reaches
its opening value. The ideal characteristic has a steep slope while both valves are closed and a shallow slope while one
is open; unlike friction it is continuous at zero. The full model adds two effects. The oil is compressible, so the
force lags after a reversal (the loop of resisting force over velocity is open at zero and drawn anticlockwise). The
valve is a mass on a spring, which oscillates when it opens, more strongly for a faster pressure rise [Wallace 2006,
sec. 6.3 and 6.4.1].

The source gives shapes of the curves and no constants. Not modelled: temperature, cavitation, seal friction.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.specimens.base import Memoryless, Specimen


@kind("ideal-lag-damper")
class IdealLagDamper(Memoryless):
    r"""Piecewise linear lag damper: slope C1 up to the opening force, C2 beyond.

    .. math:: F = -C_2 v - (C_1 - C_2)\,\mathrm{clip}(v, -v_k, v_k), \qquad v_k = F_k/C_1

    The force follows the velocity without delay. In a sampled loop that holds the force over a tick dt this is an
    explicit scheme: for C1 dt > 2 m, with m the mass at the damper, the force alternates about zero.
    """

    dynamic_effect: ClassVar[str] = "the force of a damper"

    closed_slope: Parameter = parameter("N s/m", "slope C1 with both valves closed", above=0.0)
    open_slope: Parameter = parameter("N s/m", "slope C2 with one valve open", at_least=0.0)
    opening_force: Parameter = parameter("N", "force at which a valve opens", above=0.0)

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        limit = self.opening_force / self.closed_slope
        return jnp.ravel(jnp.stack([u["velocity"] - limit, u["velocity"] + limit]))

    def output(self, t: Time, x: State, u: Input) -> Output:
        v, limit = u["velocity"], self.opening_force / self.closed_slope
        steep = (self.closed_slope - self.open_slope) * jnp.clip(v, -limit, limit)
        return {"force": -self.open_slope * v - steep}


@kind("lag-damper")
class LagDamper(Specimen):
    r"""Lag damper with compressible oil in series with an orifice and two relief valves.

    With the resisting force f, all flows expressed as piston speed and one valve for each direction,

    .. math::
       \dot f &= k\,\bigl(v - q(f) - w_+ + w_-\bigr), \qquad f = c\,q + c_2\,q|q| \\
       \ddot w_\pm &= \omega^2\Bigl(\frac{\pm f - f_\pm}{C} - w_\pm\Bigr) - 2\zeta\omega\,\dot w_\pm,
       \qquad w_\pm \ge 0

    k is the stiffness of the oil, q the flow through the orifice (laminar, and turbulent with c2 > 0), w the flow
    through a valve, proportional to its lift. A valve stays closed until the force exceeds its spring, and does not
    bounce off its seat. At low speed the damper has the slope c below the opening force and, with laminar flow,
    c C/(c + C) above it.

    Oil and an open valve form an internal loop that is stable only if :math:`2\zeta\omega > k/C`; with less damping
    the valve chatters. The fastest rate of the equations is about :math:`2\omega`. Set enough substeps in the rig to
    resolve it.
    """

    dynamic_effect: ClassVar[str] = "the force of a damper"

    stiffness: Parameter = parameter("N/m", "stiffness k of the oil", above=0.0)
    orifice_slope: Parameter = parameter("N s/m", "slope c of the orifice at low speed", above=0.0)
    opening_force: Parameter = parameter("N", "force at which a relief valve leaves its seat", above=0.0)
    valve_slope: Parameter = parameter("N s/m", "force above the opening force per relief flow, C", above=0.0)
    valve_frequency: Parameter = parameter("Hz", "natural frequency of a valve on its spring", above=0.0)
    valve_damping: Parameter = parameter("1", "damping ratio of a valve", above=0.0)
    quadratic_damping: Parameter = parameter(
        "N s^2/m^2", "quadratic coefficient c2 of the orifice", default=0.0, at_least=0.0
    )
    asymmetry: Parameter = parameter(
        "1", "relative difference of the second valve's opening force to the first's", default=0.0, above=-1.0
    )
    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def init(self) -> dict[str, Any]:
        sizes = [jnp.shape(getattr(self, f.name)) for f in dataclasses.fields(self) if f.name != "shape"]
        zero = jnp.zeros(jnp.broadcast_shapes(self.shape, *sizes))
        return {"resisting": zero, "lift": (zero, zero), "lift_rate": (zero, zero)}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        f = x["resisting"]
        rates = [
            self._valve(pressure - opening, lift, rate)
            for pressure, opening, lift, rate in zip(
                (f, -f), self._opening_forces, x["lift"], x["lift_rate"], strict=True
            )
        ]
        outflow = self._orifice(f) + self._relief(x)
        return {
            "resisting": self.stiffness * (u["velocity"] - outflow),
            "lift": tuple(lift for lift, _ in rates),
            "lift_rate": tuple(rate for _, rate in rates),
        }

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        first, second = self._opening_forces
        excess = jnp.stack([x["resisting"] - first, x["resisting"] + second])
        return jnp.ravel(jnp.concatenate([excess / self.valve_slope, jnp.stack(x["lift"])]))

    def output(self, t: Time, x: State, u: Input) -> Output:
        return {"force": -x["resisting"], "relief_speed": self._relief(x)}

    @property
    def _opening_forces(self) -> tuple[jax.Array, jax.Array]:
        return self.opening_force, self.opening_force * (1.0 + self.asymmetry)

    def _relief(self, x: State) -> jax.Array:
        return jnp.maximum(x["lift"][0], 0.0) - jnp.maximum(x["lift"][1], 0.0)

    def _orifice(self, f: jax.Array) -> jax.Array:
        # root of c q + c2 q |q| = f in a form without cancellation for small c2
        c = self.orifice_slope
        return 2.0 * f / (c + jnp.sqrt(c**2 + 4.0 * self.quadratic_damping * jnp.abs(f)))

    def _valve(self, excess: jax.Array, lift: jax.Array, rate: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Rates of a valve's lift and lift rate; `excess` is the force above its opening force."""
        w = 2.0 * jnp.pi * self.valve_frequency
        push = w**2 * excess / self.valve_slope
        free = push - w**2 * lift - 2.0 * self.valve_damping * w * rate
        # a closed valve can only be pushed open: closing speed decays on the seat, and a lift below zero caused by a
        # step returns to zero
        seat_rate = jnp.maximum(push, 0.0) - 2.0 * w * jnp.minimum(rate, 0.0)
        seated = lift <= 0.0
        leaving = jnp.maximum(rate, 0.0) - 2.0 * w * lift
        return jnp.where(seated, leaving, rate), jnp.where(seated, seat_rate, free)
