r"""Wave spectra: distribution of wave energy over frequency.

.. math::

    S_B(\omega) &= \tfrac{5}{16}H_s^2\,\frac{\omega_p^4}{\omega^5}\,e^{-\frac54(\omega_p/\omega)^4}
    \qquad\text{(Bretschneider)}\\
    S_J(\omega) &= c(\gamma)\,S_B(\omega)\;\gamma^{\exp\left(-\frac{(\omega-\omega_p)^2}{2\sigma^2\omega_p^2}\right)},
    \quad \sigma = 0.07,\ 0.09\ \text{below and above the peak}\qquad\text{(JONSWAP)}

One-sided over :math:`\omega` [rad/s], in m^2 s. Moments :math:`m_n = \int\omega^n S\,d\omega`; the significant height
is :math:`4\sqrt{m_0}` and the mean zero-crossing period :math:`2\pi\sqrt{m_0/m_2}`. The factor c gives the JONSWAP
spectrum the specified height. Sources: [Bretschneider 1959]; [Hasselmann et al. 1973].
"""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, kind, parameter

GRID = np.geomspace(0.3, 30.0, 1201)  # frequency over peak frequency; omits 1e-9 of m_0 below and 1e-6 above


class WaveSpectrum(Part):
    """Base of wave spectra at one point, without directions."""

    height: Parameter = parameter("m", "significant wave height", at_least=0.0)
    period: Parameter = parameter("s", "peak period", above=0.0)

    @abstractmethod
    def density(self, omega: jax.Array) -> jax.Array:
        """Spectral density S [m^2 s] at frequencies [rad/s]."""

    @property
    def peak(self) -> jax.Array:
        """Frequency of the peak [rad/s]."""
        return 2 * jnp.pi / self.period

    def moment(self, order: float) -> jax.Array:
        """Spectral moment m_n, up to 30 times the peak frequency."""
        omega = self.peak * jnp.asarray(GRID)
        return jnp.trapezoid(self.density(omega) * omega**order, omega)


def _bretschneider(omega, height, peak):
    x = peak / omega
    return 5 / 16 * height**2 * x**4 / omega * jnp.exp(-1.25 * x**4)


@kind("bretschneider")
class Bretschneider(WaveSpectrum):
    """Fully developed sea; with a matching height and peak period the Pierson-Moskowitz spectrum."""

    def density(self, omega: jax.Array) -> jax.Array:
        return _bretschneider(omega, self.height, self.peak)


@kind("jonswap")
class Jonswap(WaveSpectrum):
    """Developing sea with a sharper peak."""

    enhancement: Parameter = parameter("1", "peak enhancement factor gamma", default=3.3, at_least=1.0)

    def density(self, omega: jax.Array) -> jax.Array:
        x = jnp.asarray(GRID)
        area = jnp.trapezoid(_bretschneider(x, 1.0, 1.0) * self._enhancement_factor(x), x)
        shape = _bretschneider(omega, self.height, self.peak) * self._enhancement_factor(omega / self.peak)
        return shape / (16 * area)

    def _enhancement_factor(self, x):
        sigma = jnp.where(x <= 1.0, 0.07, 0.09)
        return self.enhancement ** jnp.exp(-0.5 * ((x - 1.0) / sigma) ** 2)


# sea state: significant height [m], most probable peak period [s], wind [m/s] (open ocean, North Atlantic, annual)
SEA_STATES = {
    2: (0.3, 7.5, 4.4),
    3: (0.88, 7.5, 6.9),
    4: (1.88, 8.8, 9.8),
    5: (3.25, 9.7, 12.6),
    6: (5.0, 12.4, 19.3),
    7: (7.5, 15.0, 26.5),
    8: (11.5, 16.4, 30.6),
}


def sea_state(number: jax.Array | float) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Significant height [m], peak period [s] and wind [m/s] of a sea state from 2 to 8, integer or fractional.

    Midpoints of [Bales 1983, table 2], with linear interpolation: 5.5 is half way between 5 and 6.
    """
    table = np.array(list(SEA_STATES.values()))
    height, period, wind = (jnp.interp(number, np.arange(2.0, 9.0), column) for column in table.T)
    return height, period, wind
