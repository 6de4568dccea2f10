r"""Rotor with blades coupled through the in-plane motion of the hub.

Blade k is at :math:`\psi_k = \Omega t + 2\pi k/N`, with :math:`n = (-\sin\psi, \cos\psi)` in the sense
of lag and :math:`r = (\cos\psi, \sin\psi)` outwards. In the plane of rotation a mode carries the static
moment s_i [kg m], so with :math:`S_k = \sum_i s_i\phi_{ki}` the hub X and the modes obey

.. math::
   M\ddot X + C\dot X + K X &=
   -\sum_k \bigl(\ddot S_k\,n_k - 2\Omega\dot S_k\,r_k - \Omega^2 S_k\,n_k\bigr) \\
   I_i\ddot\phi_{ki} &= \ldots - s_i\,n_k\cdot\ddot X

the equations of ground resonance [Coleman & Feingold 1958] with several modes for each blade. Identical blades transmit
only multiples of N per revolution to the aircraft; other frequencies indicate imbalance, for example of the dampers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor.modal import ModalBlade
from dovetail.core import Input, Output, Parameter, State, Time, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.base import Substructure


@kind("coupled-rotor")
class CoupledRotor(Substructure):
    """Identical blades, each with its own damper, on a hub that moves in the plane of rotation.

    The interface has one axis for each blade. Each hub direction has its own mass, damping and stiffness: those of the
    aircraft at the hub, blades included. The rotor speed is constant.
    """

    reference_settings: ClassVar[dict[str, Any]] = ModalBlade.reference_settings

    blade: ModalBlade
    static_moment: Parameter = parameter("kg m", "in-plane static moment of each mode")
    hub_mass: Parameter = parameter("kg", "mass at the hub, forward and sideways", above=0.0)
    hub_damping: Parameter = parameter("N s/m", "damping at the hub", at_least=0.0)
    hub_stiffness: Parameter = parameter("N/m", "stiffness at the hub", at_least=0.0)
    blades: int = count("number of blades", default=5, at_least=3)

    def __check_init__(self) -> None:
        if not all_concrete(self.static_moment):
            return
        if np.shape(self.static_moment) != (self.blade.modes.count,):
            raise ParameterError(
                f"CoupledRotor.static_moment: got shape {np.shape(self.static_moment)} for "
                f"{self.blade.modes.count} modes; expected one value for each mode"
            )
        effective_mass = self.blades / 2 * float(np.sum(self.static_moment**2 / self.blade.modes.inertia))
        if effective_mass >= float(np.min(self.hub_mass)):
            raise ParameterError(
                f"CoupledRotor.static_moment: the effective mass of the modes is {effective_mass:.4g} kg; expected "
                f"less than the hub mass of {float(np.min(self.hub_mass)):.4g} kg, which includes it"
            )

    def init(self) -> dict[str, jax.Array]:
        initial = self.blade.modes.init()
        blades = {
            name: jnp.broadcast_to(value, (self.blades, *value.shape)) for name, value in initial.items()
        }
        return {**blades, "hub": jnp.zeros(2), "hub_rate": jnp.zeros(2)}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        blades, hub = self._accelerations(t, x, u)
        return {"phi": x["rate"], "rate": blades, "hub": x["hub_rate"], "hub_rate": hub}

    def output(self, t: Time, x: State, u: Input) -> Output:
        p = self.blade.modes.active_modes * self.blade.participation
        blades, _ = self._accelerations(t, x, u)
        return {
            "displacement": x["phi"] @ p,
            "velocity": x["rate"] @ p,
            "acceleration": blades @ p,
            "modal_displacement": x["phi"],
            "hub_displacement": x["hub"],
        }

    def directions(self, t) -> tuple[jax.Array, jax.Array]:
        """Lag direction and outward direction of each blade, (blades, 2) each."""
        psi = self._azimuths(t)
        c, s = jnp.cos(psi), jnp.sin(psi)
        return jnp.stack([-s, c], axis=-1), jnp.stack([c, s], axis=-1)

    def momentum(self, t, x) -> jax.Array:
        """In-plane momentum [kg m/s] of hub and lagging blades together."""
        n, r = self.directions(t)
        s = self._moment
        lag, rate = x["phi"] @ s, x["rate"] @ s
        return self.hub_mass * x["hub_rate"] + rate @ n - self.blade.modes.rotor_speed * (lag @ r)

    @property
    def _moment(self):
        return self.blade.modes.active_modes * self.static_moment

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

        fixed_hub = jax.vmap(free)(times, x["phi"], x["rate"], force)
        lag, rate, bare = x["phi"] @ s, x["rate"] @ s, fixed_hub @ s
        speed = modes.rotor_speed
        load = -(bare @ n) + 2.0 * speed * (rate @ r) + speed**2 * (lag @ n)
        load = load - self.hub_damping * x["hub_rate"] - self.hub_stiffness * x["hub"]
        # effective mass of the modes; the sum of n n^T over three or more equally spaced blades is N/2
        effective_mass = self.blades / 2 * jnp.sum(s**2 / modes.inertia)
        hub = load / (self.hub_mass - effective_mass)
        return fixed_hub - (n @ hub)[:, None] * s / modes.inertia, hub
