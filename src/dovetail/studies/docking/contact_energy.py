r"""Energy that a rig with delay adds to an impact, and the delay above which it adds energy.

A force with delay :math:`\tau` acts as negative damping. For a linear contact (stiffness k, damping b) the loop gains
energy when :math:`\tau > b/k`. For an elastic impact of any stiffness the energy gain of one impact is, to first
order,

.. math:: \Delta E = \frac{\tau}{m}\int F^2\,dt ,

and depends on the ratio of the lag to the contact time. The exact gain follows from the impact simulated with
instruments.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy

from dovetail.core.errors import AnalysisError
from dovetail.mechanics.contact import DissipativeLaw, NormalLaw, restitution_of_law
from dovetail.studies.docking.impact import Instruments, first_impact, hertz_depth


def contact_time(law: NormalLaw, mass, speed) -> jax.Array:
    r"""Return the duration [s] of an elastic impact. In units of stopping depth over speed it is

    .. math:: 2\int_0^1 \frac{ds}{\sqrt{1 - s^{n+1}}}
        = \frac{2}{n+1}\,\mathrm{B}\!\left(\tfrac{1}{n+1}, \tfrac12\right),

    which is 2.943 for Hertz's exponent n = 3/2 and :math:`\pi` for a linear contact.
    """
    n = law.exponent
    depth = hertz_depth(law.stiffness.value, n, mass, speed)
    return 2 / (n + 1) * scipy.special.beta(1 / (n + 1), 0.5) * depth / speed


def first_order_gain(law: NormalLaw, mass, speed, lag) -> jax.Array:
    r"""Return the energy [J] that a small lag [s] adds to an elastic impact, :math:`\frac{\tau}{m}\int F^2 dt`.

    With :math:`s = \delta/\delta_{max}` the integral is
    :math:`2 k^2\delta_{max}^{2n+1} v^{-1}\int_0^1 s^{2n}(1 - s^{n+1})^{-1/2} ds`, which is
    :math:`\mathrm{B}(\frac{2n+1}{n+1}, \frac12)/(n+1)`.
    """
    n = law.exponent
    depth = hertz_depth(law.stiffness.value, n, mass, speed)
    shape = scipy.special.beta((2 * n + 1) / (n + 1), 0.5) / (n + 1)
    squares = 2 * law.stiffness.value**2 * depth ** (2 * n + 1) / speed * shape
    return lag / mass * squares


@eqx.filter_jit
def realised_through(law: NormalLaw, mass, speed, tools: Instruments, steps: int = 3000) -> jax.Array:
    """Return the restitution of an impact with instruments; above 1 the impact gains energy."""
    return -first_impact(law, mass, speed, tools, steps=steps).hil.final_rebound / speed


def neutral_delay(
    law: DissipativeLaw,
    mass: float,
    speed: float,
    *,
    sensor_omega: float,
    actuator_damping: float = 0.7,
    sensor_damping: float = 0.7,
) -> float:
    """Return the total actuator delay [s] (four time constants) at which an impact conserves energy."""
    if float(restitution_of_law(law, speed)) >= 1:
        raise AnalysisError("the contact is elastic, so any delay adds energy; choose a restitution below 1")

    def excess(delay):
        tools = Instruments(4 / delay, sensor_omega, actuator_damping, sensor_damping)
        return float(realised_through(law, mass, speed, tools)) - 1

    time = float(contact_time(law, mass, speed))
    low, high = 0.02 * time, time
    if excess(low) > 0:
        raise AnalysisError(
            f"with an actuator delay of {1e6 * low:.0f} us the loop still adds energy; use a faster sensor"
        )
    return float(scipy.optimize.brentq(excess, low, high, xtol=1e-6 * time))


def gain_map(law: NormalLaw, mass: float, speed: float, delays, sensor_omega) -> np.ndarray:
    """Return the energy ratio after/before an impact for actuator delays [s] x sensor frequencies [rad/s]."""
    delays, sensors = jnp.asarray(delays, float), jnp.asarray(sensor_omega, float)
    each = jax.vmap(
        jax.vmap(lambda delay, w: realised_through(law, mass, speed, Instruments(4 / delay, w)), (None, 0)),
        (0, None),
    )
    return np.asarray(each(delays, sensors)) ** 2
