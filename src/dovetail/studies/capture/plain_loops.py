r"""Rod chain in plain Python: the double sums of the source's appendix A as loops over pairs of rods.

The prototype of the source, to which it compares its compiled program, is such a program. Entries depend on the
difference of two angles phi only, for example :math:`e_{\varphi i}\cdot e_{\varphi j} = \cos\psi_i\cos\psi_j
\cos(\varphi_i-\varphi_j)`. Published or thin-rod inertia, bending in two planes, joint friction, the axial element,
gravity, a force on the tip. An independent implementation of `RodChain`.
"""

from __future__ import annotations

from math import cos, sin, tan
from typing import Any

import numpy as np

from dovetail.core import RK4
from dovetail.mechanics.chain.rods import RodChain


def loop_rates(
    chain: RodChain, q: np.ndarray, rate: np.ndarray, field: np.ndarray, tip_force: np.ndarray
) -> np.ndarray:
    """Return second rates (2n + 1,) of the coordinates for a uniform field (3,) and a tip force (3,)."""
    n, l, m = chain.n, float(chain.length) / chain.n, float(chain.mass) / chain.n
    tip, published = float(chain.tip_mass), chain.inertia == "konig"
    total = n * m + tip
    s, s_rate = float(q[0]), float(rate[0])
    phi, psi = q[1 : n + 1].tolist(), q[n + 1 :].tolist()
    phi_rate, psi_rate = rate[1 : n + 1].tolist(), rate[n + 1 :].tolist()
    b = [m * (n - i - 0.5) + tip for i in range(n)]
    h = [l + s if i == 0 else l for i in range(n)]
    lever = [b[i] * l + (total * s if i == 0 else 0.0) for i in range(n)]

    mass, push = np.zeros((2 * n + 1, 2 * n + 1)), np.zeros(2 * n + 1)
    mass[0, 0] = total
    first = -np.array([cos(psi[0]) * sin(phi[0]), sin(psi[0]), cos(psi[0]) * cos(phi[0])])
    axial = float(chain.stiffness) * s + float(chain.axial_damping) * s_rate
    push[0] = (total * field + tip_force) @ first - axial / float(chain.length)
    loads = (np.outer(lever, field) + np.outer(h, tip_force)).tolist()

    for i in range(n):
        ci, si = cos(psi[i]), sin(psi[i])
        for j in range(n):
            cj, sj, d = cos(psi[j]), sin(psi[j]), phi[i] - phi[j]
            # both tangents of rod i with both tangents and the bias of rod j
            ff, fp = ci * cj * cos(d), ci * sj * sin(d)
            pf, pp = -si * cj * sin(d), si * sj * cos(d) + ci * cj
            both, mixed = phi_rate[j] ** 2 + psi_rate[j] ** 2, 2 * phi_rate[j] * psi_rate[j]
            bias_f = ci * (cj * both * sin(d) - sj * mixed * cos(d))
            bias_p = si * (cj * both * cos(d) + sj * mixed * sin(d)) - ci * sj * psi_rate[j] ** 2
            weight = l * b[max(i, j)] * h[min(i, j)]
            own = weight
            if i == j:
                weight = (b[i] - m / 6) * l**2 + (2 * b[0] * s * l + total * s**2 if i == 0 else 0.0)
                own = weight - (m * l**2 / 12 if published else 0.0)
            mass[1 + i, 1 + j] = weight * ff
            mass[1 + i, 1 + n + j] = weight * fp
            mass[1 + n + i, 1 + j] = weight * pf
            mass[1 + n + i, 1 + n + j] = weight * pp
            push[1 + i] -= own * bias_f
            push[1 + n + i] -= own * bias_p
            if i == 0:  # the first rod's direction with the tangents and the bias of rod j: the stretch
                mass[0, 1 + j] = mass[1 + j, 0] = b[j] * l * ci * cj * sin(d)
                mass[0, 1 + n + j] = mass[1 + n + j, 0] = b[j] * l * (si * cj - ci * sj * cos(d))
                push[0] += lever[j] * (
                    ci * (cj * both * cos(d) + sj * mixed * sin(d)) + si * sj * psi_rate[j] ** 2
                )
            if j == 0:  # the rate of the first rod's direction
                push[1 + i] -= 2 * s_rate * lever[i] * (ff * phi_rate[0] + fp * psi_rate[0])
                push[1 + n + i] -= 2 * s_rate * lever[i] * (pf * phi_rate[0] + pp * psi_rate[0])
        if published:
            mass[1 + i, 1 + i] += m * l**2 / 12 * si**2
        x, y, z = loads[i]
        push[1 + i] += ci * (z * sin(phi[i]) - x * cos(phi[i]))
        push[1 + n + i] += si * (x * sin(phi[i]) + z * cos(phi[i])) - y * ci
    for k, (angle, turn) in enumerate(((phi, phi_rate), (psi, psi_rate))):
        moments = joint_moments(chain, angle, turn)
        for i in range(n):
            push[1 + k * n + i] += moments[i] - moments[i + 1]
    return np.linalg.solve(mass, push)


def joint_moments(chain: RodChain, angle: list[float], turn: list[float]) -> list[float]:
    """Return the moments [N m] of bending and friction in the joints of one plane; zero beyond the last rod."""
    stiffness, damping, l = float(chain.bending), float(chain.joint_damping), float(chain.length) / chain.n
    moments, before, before_rate = [], 0.0, 0.0
    for a, rate in zip(angle, turn, strict=True):
        theta = a - before
        bent = 2 * stiffness / l * tan(theta / 2) / cos(theta / 2)
        moments.append(-bent - damping * (rate - before_rate))
        before, before_rate = a, rate
    return [*moments, 0.0]


def loop_run(
    chain: RodChain, x: dict[str, Any], field: np.ndarray, tip_force: np.ndarray, step: float, number: int
) -> np.ndarray:
    """Return the coordinates (2n + 1,) after a number of RK4 steps."""
    size = 2 * chain.n + 1
    y = np.concatenate([np.asarray(x["q"]), np.asarray(x["rate"])])

    def slope(y):
        return np.concatenate([y[size:], loop_rates(chain, y[:size], y[size:], field, tip_force)])

    for _ in range(number):
        y = RK4.tableau.step(lambda _, y: slope(y), y, step)
    return y[:size]
