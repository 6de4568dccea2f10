r"""Rotor in hover: thrust along the blade, thrust coefficients, figure of merit.

.. math:: C_T = \frac{T}{\rho\pi R^2(\Omega R)^2}, \qquad
   C_t(r) = \frac{dT}{\rho(\Omega r)^2 c\,dr}, \qquad
   M = \frac{C_T^{3/2}}{\sqrt2\,C_P}

and the estimate with constant drag and an induced-power factor [Schock 2020, sec. 6.3.6]:

.. math:: M = \frac{C_T^{3/2}}{\sqrt2\left(\sigma C_{D0}/8 + k_i C_T^{3/2}/\sqrt2\right)}
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax.typing import ArrayLike

from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.rotor import Rotor


def estimate_figure_of_merit(
    thrust: ArrayLike,
    solidity: jax.Array | float,
    drag: jax.Array | float = 0.01,
    induced: jax.Array | float = 1.1,
) -> jax.Array:
    """Figure of merit from thrust coefficient C_T, solidity, C_D0 and k_i.

    >>> round(float(estimate_figure_of_merit(0.08 * 0.0704, 0.0704)), 4)
    0.7171
    """
    ideal = jnp.asarray(thrust) ** 1.5 / jnp.sqrt(2.0)
    return ideal / (solidity * drag / 8 + induced * ideal)


def hover(rotor: Rotor, speed: float, collectives: np.ndarray, density: float = 1.225) -> xr.Dataset:
    """Hover coefficients and spanwise thrust over collective pitch [rad], at a rotor speed [rad/s]."""
    args = (jnp.asarray(speed, float), jnp.asarray(collectives, float), jnp.asarray(density, float))
    results, radius, sigma = jax.tree.map(np.asarray, _hover_results(rotor, *args))
    solidity = float(sigma)
    table: dict[str, tuple] = {name: ("collective", v) for name, v in results.items() if name != "C_t"}
    table["C_T_over_solidity"] = ("collective", results["C_T"] / solidity)
    table["merit"] = (
        "collective",
        results["C_T"] ** 1.5 / np.sqrt(2) / np.where(results["C_P"] > 0, results["C_P"], np.nan),
    )
    table["C_t"] = (("collective", "radius"), results["C_t"])
    coordinates = {"collective": np.asarray(collectives, float), "radius": radius}
    return xr.Dataset(table, coordinates, {"solidity": solidity})


@eqx.filter_jit
def _hover_results(rotor, speed, collectives, density):
    """Coefficients over collective pitch, radii and solidity, compiled as one program."""
    return (
        _coefficients(rotor, speed, collectives, density),
        rotor.blade.effective_elements().r,
        rotor.solidity,
    )


@eqx.filter_vmap(in_axes=(None, None, 0, None))
def _coefficients(rotor, speed, collective, density):
    elements = rotor.blade.effective_elements()
    tip, area = speed * rotor.blade.radius, jnp.pi * rotor.blade.radius**2
    loads = rotor.loads(Controls(speed, collective), density=density)
    element, thrust = jnp.mean(loads.disc.thrust, 0), loads.thrust / (density * area * tip**2)
    return {
        "thrust": loads.thrust,
        "torque": loads.torque,
        "residual": loads.residual,
        "C_T": thrust,
        "C_P": loads.power / (density * area * tip**3),
        "merit_estimate": estimate_figure_of_merit(thrust, rotor.solidity),
        "C_t": element / (density * (speed * elements.r) ** 2 * elements.chord * elements.width),
    }
