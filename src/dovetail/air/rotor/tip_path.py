r"""The plane that the tips of flapping blades describe: equations of its cone and tilt, at rest or moving.

All blades follow :math:`\phi(\psi) = a_0 + a_c\cos\psi + a_s\sin\psi`, with the coordinate :math:`\phi` of the flap
mode of any blade (`structure`): the flap angle of a hinged one. With its inertia I, its lever
:math:`J = \int\!m\,r\,w\,dr` about the axis and its frequency :math:`\omega`,

.. math::

    \ddot a_0 + \omega^2 a_0 &= \overline{m}\\
    \ddot a_c + 2\Omega\dot a_s + (\omega^2-\Omega^2) a_c &= 2\,\overline{m\cos\psi} - 2\Omega p J/I\\
    \ddot a_s - 2\Omega\dot a_c + (\omega^2-\Omega^2) a_s &= 2\,\overline{m\sin\psi} - 2\Omega q J/I

with m the modal moment of the air over I, the bar a mean over azimuth, and p, q the hub's angular velocity about its
axes forward and to port [Johnson 1980, ch. 5]. Angular acceleration of the hub and lead-lag are left out. The hub
feels the moment :math:`N_b J(\omega^2-\Omega^2)/2` times the tilt, that of hinge spring, offset or bent root, and the
force in the plane that the tilt of the disc makes of the thrust.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

if TYPE_CHECKING:
    from dovetail.air.rotor.rotor import Rotor, RotorLoads

SLOW = 1.0  # [rad/s] rotor speed below which blades lie on their stops


class FlapMode(NamedTuple):
    """The mode that blades flap in, along the elements."""

    inertia: jax.Array  # [kg m^2]
    lever: jax.Array  # [kg m^2]
    square: jax.Array  # [rad^2/s^2] of its frequency
    arm: jax.Array  # (elements,) [m] deflection for a unit of the mode
    slope: jax.Array  # (elements,) [1]


def flap_mode(rotor: Rotor, speed: Any) -> FlapMode:
    """Of a rotor's blades at a speed [rad/s]."""
    blade = rotor.structure
    i, shapes = blade.flap_mode(), blade.at(rotor.blade.cut().r)
    arm, slope = blade.reach * shapes.flap[i], blade.reach * shapes.flap_slope[i]
    return FlapMode(blade.inertias[i], blade.levers[i], blade.squares(speed)[i], arm, slope)


def swung(rotor: Rotor, a: jax.Array, rate: jax.Array, speed: Any) -> tuple[jax.Array, jax.Array]:
    """Mode and its rate in the turning frame at the rotor's azimuths, from cone and tilt (3,) and their rates."""
    psi = rotor.azimuths
    basis = jnp.stack([jnp.ones_like(psi), jnp.cos(psi), jnp.sin(psi)])
    turned = jnp.stack([rate[0], rate[1] + speed * a[2], rate[2] - speed * a[1]])
    return a @ basis, turned @ basis


def flapping(
    rotor: Rotor, a: jax.Array, rate: jax.Array, controls: Any, flight: tuple[Any, ...], induced: Any = None
) -> tuple[RotorLoads, jax.Array]:
    """Loads on the hub and second rates (3,) of cone and tilt a (3,) that change at `rate`.

    `flight` is velocity, turning, wind and density as for `Rotor.loads`.
    """
    speed = jnp.asarray(controls.speed, float)
    mode = flap_mode(rotor, speed)
    phi, moving = swung(rotor, a, rate, speed)
    bent = phi[:, None] * mode.slope
    air = rotor.air(controls, *flight, flap=(bent, moving[:, None] * mode.arm), induced=induced)
    psi, share = rotor.azimuths, rotor.blades / rotor.sectors
    inner = jnp.sum(air.disc.thrust * bent, 1)
    inward = -share * jnp.stack([jnp.sum(inner * f) for f in (jnp.cos(psi), jnp.sin(psi))])
    soft = mode.square - speed**2
    stiff = 0.5 * rotor.blades * mode.lever * soft
    # a blade that is up at psi lifts the hub there: about x by its sine, about y by minus its cosine
    moment = jnp.stack([stiff * a[2], -stiff * a[1], air.moment[2]])
    m = air.disc.thrust @ mode.arm / mode.inertia
    mean = jnp.stack([jnp.mean(m), 2 * jnp.mean(m * jnp.cos(psi)), 2 * jnp.mean(m * jnp.sin(psi))])
    p, q = jnp.asarray(flight[1], float)[:2]
    gyro = -2 * speed * mode.lever / mode.inertia * jnp.stack([jnp.zeros(()), p, q])
    own = jnp.stack(
        [mode.square * a[0], 2 * speed * rate[2] + soft * a[1], -2 * speed * rate[1] + soft * a[2]]
    )
    return air._replace(force=air.force.at[:2].add(inward), moment=moment), mean + gyro - own


def at_rest(rotor: Rotor, controls: Any, flight: tuple[Any, ...]) -> RotorLoads:
    """Loads on the hub while cone and tilt balance the air: three steps of Newton's method on nearly linear equations.

    For motions that are slow beside a revolution. Below `SLOW` the blades lie on their stops and do not flap.
    """
    still = jnp.zeros(3)

    def left(a):
        return flapping(rotor, a, still, controls, flight)[1]

    turns = jnp.asarray(controls.speed, float) > SLOW
    a = still
    for _ in range(3):
        slope = jnp.where(turns, jax.jacfwd(left)(a), -jnp.eye(3))
        a = jnp.where(turns, a - jnp.linalg.solve(slope, left(a)), 0.0)
    return flapping(rotor, a, still, controls, flight)[0]
