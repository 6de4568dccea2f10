r"""A rotor whose blades are coupled through the in-plane motion of the hub.

Blade k stands at :math:`\psi_k = \Omega t + 2\pi k/N`, with :math:`n = (-\sin\psi, \cos\psi)` in the sense
of lag and :math:`r = (\cos\psi, \sin\psi)` outwards. In the plane of rotation a mode carries the static
moment s_i [kg m], so with :math:`S_k = \sum_i s_i\phi_{ki}` the hub X and the modes obey

.. math::
   M\ddot X + C\dot X + K X &=
   -\sum_k \bigl(\ddot S_k\,n_k - 2\Omega\dot S_k\,r_k - \Omega^2 S_k\,n_k\bigr) \\
   I_i\ddot\phi_{ki} &= \ldots - s_i\,n_k\cdot\ddot X

the equations of ground resonance [Coleman & Feingold 1958] with several modes a blade. Alike blades hand the
aircraft only multiples of N per revolution; what else it feels is imbalance, for instance of the dampers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor.modal import ModalBlade
from dovetail.core import count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.mechanics.base import Substructure


@kind("coupled-rotor")
class CoupledRotor(Substructure):
    """Alike blades, each with a damper of its own, on a hub that moves in the plane of rotation.

    The interface has one axis a blade. Both hub directions have their own mass, damping and stiffness, those
    of the aircraft seen at the hub, blades included. The rotor speed is constant, whatever torque that takes.
    """

    ideal: ClassVar[dict[str, Any]] = ModalBlade.ideal

    blade: ModalBlade
    static_moment: jax.Array = parameter("kg m", "in-plane static moment of each mode")
    hub_mass: jax.Array = parameter("kg", "mass at the hub, forward and sideways", above=0.0)
    hub_damping: jax.Array = parameter("N s/m", "damping at the hub", at_least=0.0)
    hub_stiffness: jax.Array = parameter("N/m", "stiffness at the hub", at_least=0.0)
    blades: int = count("number of blades", default=5, at_least=3)

    def __check_init__(self):
        if not known(self.static_moment):
            return
        if np.shape(self.static_moment) != (self.blade.modes.count,):
            raise ParameterError(
                f"CoupledRotor.static_moment: has shape {np.shape(self.static_moment)} for "
                f"{self.blade.modes.count} modes; give one a mode"
            )
        carried = self.blades / 2 * float(np.sum(self.static_moment**2 / self.blade.modes.inertia))
        if carried >= float(np.min(self.hub_mass)):
            raise ParameterError(
                f"CoupledRotor.static_moment: the modes carry {carried:.4g} kg with them, more than the "
                f"hub mass of {float(np.min(self.hub_mass)):.4g} kg, which includes them"
            )

    def init(self) -> dict[str, jax.Array]:
        one = self.blade.modes.init()
        blades = {name: jnp.broadcast_to(value, (self.blades, *value.shape)) for name, value in one.items()}
        return {**blades, "hub": jnp.zeros(2), "hub_rate": jnp.zeros(2)}

    def derivative(self, t, x, u):
        blades, hub = self._accelerations(t, x, u)
        return {"phi": x["rate"], "rate": blades, "hub": x["hub_rate"], "hub_rate": hub}

    def output(self, t, x, u):
        p = self.blade.modes.mask * self.blade.participation
        blades, _ = self._accelerations(t, x, u)
        return {
            "displacement": x["phi"] @ p,
            "velocity": x["rate"] @ p,
            "acceleration": blades @ p,
            "modal_displacement": x["phi"],
            "hub_displacement": x["hub"],
        }

    def directions(self, t) -> tuple[jax.Array, jax.Array]:
        """Direction of lag and outwards of every blade, each (blades, 2)."""
        psi = self._azimuths(t)
        c, s = jnp.cos(psi), jnp.sin(psi)
        return jnp.stack([-s, c], axis=-1), jnp.stack([c, s], axis=-1)

    def momentum(self, t, x) -> jax.Array:
        """In-plane momentum [kg m/s] that hub and lagging blades have together."""
        n, r = self.directions(t)
        s = self._moment
        lag, rate = x["phi"] @ s, x["rate"] @ s
        return self.hub_mass * x["hub_rate"] + rate @ n - self.blade.modes.rotor_speed * (lag @ r)

    @property
    def _moment(self):
        return self.blade.modes.mask * self.static_moment

    def _azimuths(self, t):
        modes = self.blade.modes
        return modes.azimuth + modes.rotor_speed * t + 2.0 * jnp.pi * jnp.arange(self.blades) / self.blades

    def _accelerations(self, t, x, u):
        """Second rates of the modes (blades, modes) and of the hub (2,)."""
        modes, p, s = self.blade.modes, self.blade.participation, self._moment
        n, r = self.directions(t)
        times = t + 2.0 * jnp.pi * jnp.arange(self.blades) / self.blades / modes.rotor_speed
        force = jnp.broadcast_to(u["force"], (self.blades,))

        def free(time, phi, rate, f):
            return modes.acceleration(time, {"phi": phi, "rate": rate}, p * f)

        held = jax.vmap(free)(times, x["phi"], x["rate"], force)  # with the hub held still
        lag, rate, bare = x["phi"] @ s, x["rate"] @ s, held @ s
        speed = modes.rotor_speed
        load = -(bare @ n) + 2.0 * speed * (rate @ r) + speed**2 * (lag @ n)
        load = load - self.hub_damping * x["hub_rate"] - self.hub_stiffness * x["hub"]
        # what the modes carry of the hub's inertia; the sum of n n^T over three or more even spokes is N/2
        carried = self.blades / 2 * jnp.sum(s**2 / modes.inertia)
        hub = load / (self.hub_mass - carried)
        return held - (n @ hub)[:, None] * s / modes.inertia, hub
