r"""A rotor whose blades flap, in the coordinates of its tip-path plane, with steady or dynamic inflow.

All blades follow :math:`\beta(\psi) = a_0 + a_c\cos\psi + a_s\sin\psi`. A rigid blade hinged at eR, with flapping
inertia I and a spring k, has the frequency :math:`\nu^2 = 1 + \tfrac{3}{2}\tfrac{e}{1-e} + k/(I\Omega^2)` over
the rotor speed (uniform mass) and

.. math::

    \ddot a_0 + \nu^2\Omega^2 a_0 &= \overline{m}\\
    \ddot a_c + 2\Omega\dot a_s + (\nu^2-1)\Omega^2 a_c &= 2\,\overline{m\cos\psi} - 2\Omega p - \dots\\
    \ddot a_s - 2\Omega\dot a_c + (\nu^2-1)\Omega^2 a_s &= 2\,\overline{m\sin\psi} - 2\Omega q - \dots

with m the moment of the air about the hinge over I, the bar a mean over azimuth, and p, q the hub's angular
velocity about its axes forward and to port [Johnson 1980, ch. 5]. Angular acceleration of the hub and lead-lag are
left out. The hub feels the moment of the hinge spring and of the offset, :math:`N_b I\Omega^2(\nu^2-1)/2` times the
tilt, and the force in the plane that the tilt of the disc makes of the thrust.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.dynamic_inflow import PittPeters
from dovetail.air.rotor.rotor import Rotor, RotorLoads
from dovetail.core import Flow, kind, parameter


@kind("flapping-rotor")
class FlappingRotor(Flow):
    """Input: a dictionary with `controls` and, where they are not zero, `velocity`, `turning`, `wind`, `density`.

    State: `flap` and `flap_rate` (3,) [rad], [rad/s]; with `wake` also `inflow` (3,) [m/s].
    """

    rotor: Rotor
    inertia: jax.Array = parameter("kg m^2", "of a blade about its flapping hinge", above=0.0)
    hinge: jax.Array = parameter(
        "1", "offset of the hinge, over the radius", default=0.0, at_least=0.0, below=1.0
    )
    spring: jax.Array = parameter("N m/rad", "of the hinge", default=0.0, at_least=0.0)
    wake: PittPeters | None = None

    def init(self) -> dict[str, jax.Array]:
        state = {"flap": jnp.zeros(3), "flap_rate": jnp.zeros(3)}
        return state if self.wake is None else state | {"inflow": self.wake.init()}

    def frequency_squared(self, speed: jax.Array | float) -> jax.Array:
        """nu^2 Omega^2 [rad^2/s^2] of a blade."""
        return (1 + 1.5 * self.hinge / (1 - self.hinge)) * jnp.asarray(
            speed
        ) ** 2 + self.spring / self.inertia

    def angles(self, x: dict[str, jax.Array], speed: jax.Array | float) -> tuple[jax.Array, jax.Array]:
        """Flap angle [rad] and its rate in the turning frame [rad/s] at the rotor's azimuths."""
        psi = self.rotor.azimuths
        basis = jnp.stack([jnp.ones_like(psi), jnp.cos(psi), jnp.sin(psi)])
        a, b = x["flap"], x["flap_rate"]
        turned = jnp.stack([b[0], b[1] + speed * a[2], b[2] - speed * a[1]])
        return a @ basis, turned @ basis

    def loads(self, x: dict[str, jax.Array], u: dict) -> RotorLoads:
        """Of the air on the blades, in the hub's axes; the moment is what the blades pass on to the hub."""
        controls: Controls = u["controls"]
        density = u.get("density", 1.225)
        beta, rate = self.angles(x, controls.speed)
        arm = jnp.maximum(self.rotor.blade.cut().r - self.hinge * self.rotor.blade.radius, 0.0)
        induced = None
        if self.wake is not None:
            induced = self.wake.velocity(x["inflow"], self.rotor.places(), self.rotor.blade.radius)
        air = self.rotor.loads(
            controls,
            u.get("velocity", jnp.zeros(3)),
            u.get("turning", jnp.zeros(3)),
            u.get("wind", jnp.zeros(3)),
            density,
            flap=(beta, rate[:, None] * arm),
            induced=induced,
        )
        psi, share = self.rotor.azimuths, self.rotor.blades / self.rotor.sectors
        thrust = jnp.sum(air.disc.thrust, 1)
        inward = -share * jnp.stack([jnp.sum(thrust * beta * f) for f in (jnp.cos(psi), jnp.sin(psi))])
        force = air.force.at[:2].add(inward)
        stiff = 0.5 * self.rotor.blades * self.inertia * (
            self.frequency_squared(controls.speed) - jnp.asarray(controls.speed) ** 2
        )  # fmt: skip
        # a blade that is up at psi lifts the hub there: about x by its sine, about y by minus its cosine
        moment = jnp.stack([stiff * x["flap"][2], -stiff * x["flap"][1], air.moment[2]])
        return air._replace(force=force, moment=moment)

    def derivative(self, t, x, u):
        controls: Controls = u["controls"]
        speed = jnp.asarray(controls.speed, float)
        air = self.loads(x, u)
        psi, blade = self.rotor.azimuths, self.rotor.blade.cut()
        arm = jnp.maximum(blade.r - self.hinge * self.rotor.blade.radius, 0.0)
        m = air.disc.thrust @ arm / self.inertia
        mean = jnp.stack([jnp.mean(m), 2 * jnp.mean(m * jnp.cos(psi)), 2 * jnp.mean(m * jnp.sin(psi))])
        p, q = jnp.asarray(u.get("turning", jnp.zeros(3)), float)[:2]
        gyro = -2 * speed * jnp.stack([jnp.zeros(()), p, q])
        a, b, square = x["flap"], x["flap_rate"], self.frequency_squared(speed)
        soft = square - speed**2
        inner = jnp.stack([square * a[0], 2 * speed * b[2] + soft * a[1], -2 * speed * b[1] + soft * a[2]])
        rates = {"flap": b, "flap_rate": mean + gyro - inner}
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
        shown = {"rotor_force": air.force, "rotor_moment": air.moment, "flap": x["flap"]}
        return shown if self.wake is None else shown | {"inflow": x["inflow"]}
