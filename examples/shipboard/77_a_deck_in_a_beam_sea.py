"""
A deck in a beam sea
====================

Sea state 6 from abeam: three minutes of roll, heave and lateral acceleration of the deck at the landing spot,
and their spectra over three hours (pale) against theory: sea spectrum times ship response. Right: wave heights
between upward crossings against Rayleigh's law for a narrow band. The highest waves of a real sea are below it.
"""

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from dovetail.core.random import assign_keys
from dovetail.report.style import RC
from dovetail.sea import BoxShip, Jonswap, Seaway, estimate_spectrum, find_waves, sea_state

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

height, period, _ = sea_state(6)
spectrum = Jonswap(height=height, period=period)
ship = assign_keys(Seaway(spectrum, BoxShip(), heading=np.pi / 2, wave_count=400), jax.random.key(1))
spot = jnp.array([-45.0, 0.0, 6.0])

t = np.arange(0.0, 3 * 3600.0, 0.5)
motion = np.asarray(jax.jit(jax.vmap(ship.pose))(t))
sea = np.asarray(jax.jit(jax.vmap(ship.elevation))(t))
short = np.arange(0.0, 180.0, 0.2)
felt = np.asarray(jax.jit(jax.vmap(lambda s: ship.specific_force(s, spot)))(short))
deck = np.asarray(jax.jit(jax.vmap(ship.pose))(short))

figure, panels = plt.subplot_mosaic("aa;bc", figsize=(9, 6.2), layout="constrained")
axes = [panels[name] for name in "abc"]
axes[0].plot(short, np.degrees(deck[:, 3]), label="roll [deg]")
axes[0].plot(short, deck[:, 2], label="heave [m]")
axes[0].plot(short, felt[:, 1], label="felt across [m/s²]", lw=1)
axes[0].set(xlabel="time [s]")
axes[0].legend(ncols=3, loc="upper left")
axes[0].set_ylim(-14, 18)

omega = np.linspace(0.25, 1.6, 300)
beam_sea, speed = jnp.full(300, np.pi / 2), jnp.asarray(0.0)
H = np.asarray(ship.response.operators(jnp.asarray(omega), beam_sea, speed))
for values, response, label in (
    (sea, 1.0, "sea"),
    (motion[:, 2], abs(H[2]), "heave"),
    (20 * motion[:, 3], 20 * abs(H[3]), "roll, 20 m off"),
):
    w, density = estimate_spectrum(t, values, 60)
    (line,) = axes[1].plot(w, density, lw=1, alpha=0.6)
    axes[1].plot(
        omega,
        response**2 * np.asarray(spectrum.density(jnp.asarray(omega))),
        color=line.get_color(),
        label=label,
    )
axes[1].set(xlim=(0.2, 1.6), xlabel="frequency [rad/s]", ylabel="density [m² s]")
axes[1].legend(loc="upper right")

single = find_waves(t, sea)
h = np.sort(single.heights) / single.deviation
axes[2].semilogy(h, 1 - np.arange(len(h)) / len(h), ".", ms=3, label=f"{len(h)} waves")
x = np.linspace(0, 8, 100)
axes[2].semilogy(x, np.exp(-(x**2) / 8), label="Rayleigh")
axes[2].yaxis.set_major_formatter("{x:g}")
axes[2].set(xlabel="height over standard deviation", ylabel="share that is higher", ylim=(3e-4, 1.3))
axes[2].legend()
print(
    f"significant height {4 * sea.std():.2f} m of {float(height):.2f} m, mean period {single.mean_period:.2f} s"
)
plt.show()
