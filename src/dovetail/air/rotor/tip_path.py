r"""Tip-path plane of flapping blades: equations of coning and tilt, steady or dynamic.

All blades follow :math:`\phi(\psi) = a_0 + a_c\cos\psi + a_s\sin\psi`, with the coordinate :math:`\phi` of the flap
mode of any blade (`structure`): the flap angle of a hinged one. With its inertia I, its lever
:math:`J = \int\!m\,r\,w\,dr` about the axis and its frequency :math:`\omega`,

.. math::

    \ddot a_0 + \omega^2 a_0 &= \overline{m}\\
    \ddot a_c + 2\Omega\dot a_s + (\omega^2-\Omega^2) a_c &= 2\,\overline{m\cos\psi} - 2\Omega p J/I\\
    \ddot a_s - 2\Omega\dot a_c + (\omega^2-\Omega^2) a_s &= 2\,\overline{m\sin\psi} - 2\Omega q J/I

with m the modal moment of the air loads over I, the bar a mean over azimuth, and p, q the hub's angular velocity about
its forward and port axes [Johnson 1980, ch. 5]. Angular acceleration of the hub and lead-lag are neglected. The moment
on the hub is :math:`N_b J(\omega^2-\Omega^2)/2` times the tilt, caused by hinge spring, hinge offset or root bending.
The in-plane force is the component of the thrust from the tilt of the disc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from dovetail.air.rotor.rotor import Rotor, RotorLoads

MIN_ROTOR_SPEED = 1.0  # [rad/s] rotor speed below which blades rest on their stops


class FlapMode(NamedTuple):
    """Flap mode of the blades at the elements."""

    inertia: jax.Array  # [kg m^2]
    static_moment: jax.Array  # [kg m^2]
    squared_frequency: jax.Array  # [rad^2/s^2] of the natural frequency
    arm: jax.Array  # (elements,) [m] deflection for a unit of the mode
    slope: jax.Array  # (elements,) [1]


def flap_mode(rotor: Rotor, speed: Any) -> FlapMode:
    """Return the flap mode of a rotor's blades at a speed [rad/s]."""
    blade = rotor.structure
    i, shapes = blade.flap_mode(), blade.shapes_at(rotor.blade.effective_elements().r)
    arm, slope = blade.reach * shapes.flap[i], blade.reach * shapes.flap_slope[i]
    return FlapMode(
        blade.inertias[i], blade.static_moments[i], blade.squared_frequencies(speed)[i], arm, slope
    )


def rotating_frame_motion(
    rotor: Rotor, a: jax.Array, rate: jax.Array, speed: Any
) -> tuple[jax.Array, jax.Array]:
    """Modal coordinate and its rate in the rotating frame at the azimuths, from coning, tilt (3,) and their rates."""
    psi = rotor.azimuths
    basis = jnp.stack([jnp.ones_like(psi), jnp.cos(psi), jnp.sin(psi)])
    rate_terms = jnp.stack([rate[0], rate[1] + speed * a[2], rate[2] - speed * a[1]])
    return a @ basis, rate_terms @ basis


def loads_and_rates(
    rotor: Rotor, a: jax.Array, rate: jax.Array, controls: Any, flight: tuple[Any, ...], induced: Any = None
) -> tuple[RotorLoads, jax.Array]:
    """Loads on the hub and second rates (3,) of coning and tilt a (3,) with rates `rate`.

    `flight` is velocity, angular_velocity, wind and density as for `Rotor.loads`.
    """
    speed = jnp.asarray(controls.speed, float)
    mode = flap_mode(rotor, speed)
    phi, phi_rate = rotating_frame_motion(rotor, a, rate, speed)
    slope = phi[:, None] * mode.slope
    air = rotor.air_loads(controls, *flight, flap=(slope, phi_rate[:, None] * mode.arm), induced=induced)
    psi, weight = rotor.azimuths, rotor.blades / rotor.sectors
    inner = jnp.sum(air.disc.thrust * slope, 1)
    inward = -weight * jnp.stack([jnp.sum(inner * f) for f in (jnp.cos(psi), jnp.sin(psi))])
    soft = mode.squared_frequency - speed**2
    stiff = 0.5 * rotor.blades * mode.static_moment * soft
    # a blade flapped up at psi lifts the hub there: moment about x by sin(psi), about y by -cos(psi)
    moment = jnp.stack([stiff * a[2], -stiff * a[1], air.moment[2]])
    m = air.disc.thrust @ mode.arm / mode.inertia
    mean = jnp.stack([jnp.mean(m), 2 * jnp.mean(m * jnp.cos(psi)), 2 * jnp.mean(m * jnp.sin(psi))])
    p, q = jnp.asarray(flight[1], float)[:2]
    gyro = -2 * speed * mode.static_moment / mode.inertia * jnp.stack([jnp.zeros(()), p, q])
    restoring = jnp.stack(
        [mode.squared_frequency * a[0], 2 * speed * rate[2] + soft * a[1], -2 * speed * rate[1] + soft * a[2]]
    )
    return air._replace(force=air.force.at[:2].add(inward), moment=moment), mean + gyro - restoring


def equilibrium_loads(rotor: Rotor, controls: Any, flight: tuple[Any, ...]) -> RotorLoads:
    """Loads on the hub with coning and tilt in equilibrium: three Newton steps on nearly linear equations.

    Valid for motions that are slow compared with a revolution. Below `MIN_ROTOR_SPEED` the blades rest on their stops.
    """
    zero_rate = jnp.zeros(3)

    def residual(a):
        return loads_and_rates(rotor, a, zero_rate, controls, flight)[1]

    rotating = jnp.asarray(controls.speed, float) > MIN_ROTOR_SPEED
    a = zero_rate
    for _ in range(3):
        slope = jnp.where(rotating, jax.jacfwd(residual)(a), -jnp.eye(3))
        a = jnp.where(rotating, a - jnp.linalg.solve(slope, residual(a)), 0.0)
    return loads_and_rates(rotor, a, zero_rate, controls, flight)[0]
