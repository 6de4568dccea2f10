"""Rod chain in plain NumPy: fallback without a compiler, and independent implementation for comparison.

Same closed form as `RodChain` with the dense solver: published or thin-rod inertia, bending in two planes, joint
friction, the axial element, gravity, a force on the tip. `bench/bench_chain.py` measures the gain of compilation.
"""

from __future__ import annotations

import numpy as np

from dovetail.core import RK4
from dovetail.mechanics.chain.rods import RodChain


def plain_rates(
    chain: RodChain, q: np.ndarray, rate: np.ndarray, field: np.ndarray, tip_force: np.ndarray
) -> np.ndarray:
    """Return second rates (2n + 1,) of the coordinates for a uniform field (3,) and a tip force (3,)."""
    n, l, m = chain.n, float(chain.length) / chain.n, float(chain.mass) / chain.n
    tip, total = float(chain.tip_mass), float(chain.mass) + float(chain.tip_mass)
    s, phi, psi = q[0], q[1 : n + 1], q[n + 1 :]
    s_rate, phi_rate, psi_rate = rate[0], rate[1 : n + 1], rate[n + 1 :]
    cf, sf, cp, sp = np.cos(phi), np.sin(phi), np.cos(psi), np.sin(psi)
    u1 = np.array([cp[0] * sf[0], cp[0] * cf[0], sp[0]])
    e = np.array([np.r_[cp * cf, -sp * sf], np.r_[-cp * sf, -sp * cf], np.r_[np.zeros(n), cp]])  # (3, 2n)
    both, mixed = phi_rate**2 + psi_rate**2, 2 * phi_rate * psi_rate
    gamma = np.array(
        [-cp * sf * both - sp * cf * mixed, -cp * cf * both + sp * sf * mixed, -sp * psi_rate**2]
    )
    u1_rate = e[:, 0] * phi_rate[0] + e[:, n] * psi_rate[0]

    i = np.arange(n)
    b = m * (n - i - 0.5) + tip
    h = np.full(n, l)
    h[0] += s
    lever = b * l
    lever[0] += total * s
    weights = l * b[np.maximum.outer(i, i)] * h[np.minimum.outer(i, i)]
    published = chain.inertia == "konig"

    def with_own(own):
        diagonal = own * l**2
        diagonal[0] += 2 * b[0] * s * l + total * s**2
        full = weights.copy()
        full[i, i] = diagonal
        return full

    mass = np.empty((2 * n + 1, 2 * n + 1))
    mass[0, 0] = total
    mass[0, 1:] = mass[1:, 0] = np.tile(b * l, 2) * (u1 @ e)
    mass[1:, 1:] = np.tile(with_own(b - m / 6), (2, 2)) * (e.T @ e)
    if published:
        mass[1 + i, 1 + i] += m * l**2 / 12 * sp**2

    # terms quadratic in the rates, and generalised forces
    pull = gamma @ with_own(b - m / 6 - (m / 12 if published else 0.0))
    pull = -pull - 2 * s_rate * np.outer(u1_rate, lever)
    pull += np.outer(field, lever) + np.outer(tip_force, h)
    push = np.empty(2 * n + 1)
    push[0] = -u1 @ (gamma @ lever) + (total * field + tip_force) @ u1
    push[0] -= (float(chain.stiffness) * s + float(chain.axial_damping) * s_rate) / float(chain.length)
    push[1:] = np.sum(e * np.tile(pull, 2), axis=0)
    for k, (angle, turn) in enumerate(((phi, phi_rate), (psi, psi_rate))):
        theta = np.diff(angle, prepend=0.0)
        moment = -2 * float(chain.bending) / l * np.tan(theta / 2) / np.cos(theta / 2)
        moment -= float(chain.joint_damping) * np.diff(turn, prepend=0.0)
        push[1 + k * n : 1 + (k + 1) * n] += moment - np.append(moment[1:], 0.0)
    return np.linalg.solve(mass, push)


def plain_run(
    chain: RodChain,
    x: dict[str, np.ndarray],
    field: np.ndarray,
    tip_force: np.ndarray,
    step: float,
    number: int,
) -> dict[str, np.ndarray]:
    """Return the state after a number of RK4 steps."""
    size = 2 * chain.n + 1
    y = np.concatenate([np.asarray(x["q"]), np.asarray(x["rate"])])

    def slope(y):
        return np.concatenate([y[size:], plain_rates(chain, y[:size], y[size:], field, tip_force)])

    for _ in range(number):
        y = RK4.tableau.step(lambda _, y: slope(y), y, step)
    return {"q": y[:size], "rate": y[size:]}
