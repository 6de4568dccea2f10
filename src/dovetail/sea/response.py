r"""Response amplitude operators: motion of a ship per wave amplitude, at a heading and a speed.

A wave :math:`\zeta = a\,\mathrm{Re}\,e^{i(\omega t - k(x\cos\beta + y\sin\beta))}` travels at the angle
:math:`\beta` from the ship's course, measured to port: 0 following, 90 degrees from starboard, 180 head sea. The
encounter frequency of a ship at speed U is :math:`\omega_e = \omega - kU\cos\beta`, :math:`k = \omega^2/g`. Each of the
six displacements is :math:`a\,\mathrm{Re}(H e^{i\omega_e t})`.

`BoxShip` has the closed forms of [Jensen, Mansour & Olsen 2004] for heave and pitch of a box, with draught T, beam B
and length L, :math:`\alpha = \omega_e/\omega`:

.. math::

    D &= 1 - 2kT\alpha^2 + i\frac{A^2}{kB\alpha^2},\quad A = 2\sin(\tfrac12 kB\alpha^2)e^{-kT\alpha^2},\quad
    f = \sqrt{(1-kT)^2 + (A^2/(kB\alpha^3))^2}\\
    H_3 &= \frac{e^{-kT}f}{D}\,\frac{\sin\xi}{\xi},\qquad
    H_5 = \frac{e^{-kT}f}{D}\,i\,k\cos\beta\,\frac{3(\sin\xi-\xi\cos\xi)}{\xi^3},\quad \xi = \tfrac12 kL\cos\beta

Further assumptions, not from the source: roll is an oscillator driven by the wave slope; surge and sway follow the
water; both are averaged over the length; yaw is zero. `BoxShip` is suitable for studies of decks. For a given ship use
`TabulatedResponse` with the results of a seakeeping program. The source attenuates with depth by the wave number along
the ship; here the wave number of the wave itself is used, without which short beam seas would not be attenuated.
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.core.arrays_file import read_arrays, require_rising
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete, file_name

G = 9.81  # [m/s^2]


class ShipResponse(Part):
    """Complex amplitudes of a ship's motion for waves of one metre."""

    @abstractmethod
    def operators(self, omega: jax.Array, heading: jax.Array, speed: jax.Array) -> jax.Array:
        """H (6, n) [m/m, rad/m] for frequencies (n,) [rad/s] and wave directions (n,) [rad] at a speed [m/s]."""


def encounter_omega(omega: jax.Array, heading: jax.Array, speed: jax.Array) -> jax.Array:
    """Frequency [rad/s] of encounter of a ship at `speed`; negative if the ship overtakes the wave."""
    return omega - omega**2 / G * speed * jnp.cos(heading)


@kind("wave-follower")
class WaveFollower(ShipResponse):
    """Raft that follows the water surface: long-wave limit of any ship, and a simple test case."""

    def operators(self, omega, heading, speed):
        k = omega**2 / G
        c, s, zero = jnp.cos(heading), jnp.sin(heading), jnp.zeros_like(omega)
        return jnp.stack([-1j * c, -1j * s, 1 + 0j * c, -1j * k * s, 1j * k * c, zero + 0j])


@kind("box-ship")
class BoxShip(ShipResponse):
    """Box-shaped ship; by default a frigate 120 m long, 14 m wide, 4.5 m draught, roll period 10 s."""

    length: Parameter = parameter("m", "length at the water line", default=120.0, above=0.0)
    beam: Parameter = parameter("m", "beam times block coefficient", default=11.0, above=0.0)
    draught: Parameter = parameter("m", "draught", default=4.5, above=0.0)
    roll_period: Parameter = parameter("s", "natural period of the roll", default=10.0, above=0.0)
    roll_damping: Parameter = parameter("1", "damping ratio of the roll", default=0.1, above=0.0)

    def operators(self, omega, heading, speed):
        k, c, s = omega**2 / G, jnp.cos(heading), jnp.sin(heading)
        T, B, L = self.draught, self.beam, self.length
        omega_e = encounter_omega(omega, heading, speed)
        alpha = omega_e / omega
        alpha = jnp.where(jnp.abs(alpha) < 0.05, 0.05, alpha)  # lower limit: the ship moves with the wave
        square = k * B * alpha**2
        A = 2 * jnp.sin(jnp.minimum(square / 2, jnp.pi / 2)) * jnp.exp(-k * T * alpha**2)
        smith = jnp.exp(-k * T)
        D = 1 - 2 * k * T * alpha**2 + 1j * jnp.sign(alpha) * A**2 / square
        f = jnp.sqrt((1 - k * T) ** 2 + (A**2 / (square * alpha)) ** 2)
        xi = 0.5 * k * L * c
        mean, slope = jnp.sinc(xi / jnp.pi), _slope(xi)
        heave = smith * f / D * mean
        pitch = smith * f / D * 1j * k * c * slope
        w = 2 * jnp.pi / self.roll_period
        roll = -1j * k * s * smith * mean * w**2 / (w**2 - omega_e**2 + 2j * self.roll_damping * w * omega_e)
        surge, sway = -1j * c * smith * mean, -1j * s * smith * mean
        return jnp.stack([surge, sway, heave, roll, pitch, jnp.zeros_like(omega) + 0j])


def _slope(x):
    """3 (sin x - x cos x)/x^3, 1 for small x."""
    small = jnp.abs(x) < 1e-2
    y = jnp.where(small, 1.0, x)
    return jnp.where(small, 1 - x**2 / 10, 3 * (jnp.sin(y) - y * jnp.cos(y)) / y**3)


@kind("tabulated-response")
class TabulatedResponse(ShipResponse):
    """Response operators from a grid of frequencies and headings, for one speed.

    Real and imaginary parts are interpolated linearly. The file is an `.npz` with increasing `omega` (n,) [rad/s],
    `heading` (m,) [rad] increasing from 0 to pi or to 2 pi, `amplitude` and `phase` (6, n, m). With headings to pi
    only, starboard mirrors port: sway, roll and yaw change sign. Waves outside the frequency range have no effect.
    """

    file: str = file_name(default="")
    omega: Parameter = parameter("rad/s", "wave frequencies", default=())
    heading: Parameter = parameter("rad", "wave directions", default=())
    real: Parameter = parameter("1", "real parts (6, frequencies, headings)", default=())
    imaginary: Parameter = parameter("1", "imaginary parts (6, frequencies, headings)", default=())

    def __post_init__(self):
        if self.file and isinstance(self.omega, tuple | list) and not len(self.omega):
            data = read_arrays(self.file, ("omega", "heading", "amplitude", "phase"), "operators")
            require_rising(self.file, data, ("omega",))
            require_rising(self.file, data, ("heading",), at_least=1)
            if data["amplitude"].shape != data["phase"].shape:
                text = f"amplitude is {data['amplitude'].shape}, phase {data['phase'].shape}; expected equal shapes"
                raise ParameterError(f"{self.file}: {text}")
            self.omega, self.heading = data["omega"], data["heading"]
            self.real = data["amplitude"] * np.cos(data["phase"])
            self.imaginary = data["amplitude"] * np.sin(data["phase"])

    def __check_init__(self) -> None:
        axes = (self.omega, self.heading, self.real)
        if not all_concrete(*axes):
            return
        shape = (6, self.omega.size, self.heading.size)
        if self.real.shape != shape or self.imaginary.shape != shape or self.omega.size < 2:
            raise ParameterError(
                f"TabulatedResponse: got operators {self.real.shape} for {self.omega.size} frequencies and "
                f"{self.heading.size} headings; expected {shape}"
            )

    def operators(self, omega, heading, speed):
        direction = jnp.mod(heading, 2 * jnp.pi)
        half = self.heading[-1] < 1.5 * jnp.pi
        mirrored = half & (direction > jnp.pi)
        direction = jnp.where(mirrored, 2 * jnp.pi - direction, direction)
        index = [
            jnp.interp(omega, self.omega, jnp.arange(self.omega.size, dtype=float)),
            jnp.interp(direction, self.heading, jnp.arange(self.heading.size, dtype=float)),
        ]

        def interpolate(tables):
            return jnp.stack([jax.scipy.ndimage.map_coordinates(table, index, order=1) for table in tables])

        inside = (omega >= self.omega[0]) & (omega <= self.omega[-1])
        sign = jnp.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])[:, None]
        response = jnp.where(inside, interpolate(self.real) + 1j * interpolate(self.imaginary), 0.0)
        return jnp.where(mirrored, sign * response, response)
