r"""Rigid rods with global angles and one visco-elastic element at the top, in closed form.

.. math:: M(q)\,\ddot q = f(q, \dot q) + Q, \qquad q = (s, \varphi_1..\varphi_n, \psi_1..\psi_n)

s is the stretch of an axial element between the support and the first rod; it moves all rods. With tangents
:math:`e = \partial u/\partial q`, suffix sums of mass :math:`B_i = m(n-i+\tfrac12)+m_p`,
:math:`C_i = m(n-i+\tfrac13)+m_p`, :math:`N = nm+m_p` and :math:`W_{ij} = l\,B_{\max(i,j)}\,h_{\min(i,j)}`,
:math:`h_1 = l+s`, the mass matrix is :math:`W_{ij}\,e_i\cdot e_j`, bordered by :math:`B_j l\,u_1\cdot e_j`. f has the
same weights on the second rates of the directions. Source: [Mastrogiuseppe 2023, ch. 3 and app. A], corrected: the
published weights are valid for i <= j only, the published diagonal of the psi block has b for c, and the tip mass is
missing.
"""

from __future__ import annotations

import cmath
import dataclasses
import functools
from typing import Any, Self

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from dovetail.core import Input, Output, Parameter, State, Time, choice, count, kind, parameter
from dovetail.mechanics.chain.angles import (
    angles,
    bias,
    direction,
    joint_energy,
    joint_moment,
    tangents,
)
from dovetail.mechanics.chain.base import Chain, ChainLoads, ChainNodes, ChainSolution, dot, running_sum
from dovetail.mechanics.chain.recursion import rod_accelerations


@functools.partial(jax.jit, static_argnums=0)
def _at_rest(
    n: int, stretch: jax.Array, phi: jax.Array, psi: jax.Array
) -> dict[str, jax.Array]:  # one compiled program
    parts = [jnp.reshape(stretch, 1), jnp.broadcast_to(phi, n), jnp.broadcast_to(psi, n)]
    q = jnp.concatenate([jnp.asarray(part, dtype=float) for part in parts])
    return {"q": q, "rate": jnp.zeros_like(q)}


@kind("rod-chain")
class RodChain(Chain):
    r"""Chain of rigid rods: dense mass matrix with Cholesky factors, as published, or recursion.

    `inertia` is that of a thin rod (`rod`), or the published one (`konig`), which omits :math:`\cos^2\psi` in the
    rotational energy: M remains regular at :math:`\psi=\pm\pi/2`, but the model is anisotropic. `curvature` bends
    joints in two planes independently (`planes`, as published), or by the angle between rods (`space`). The `root`
    joint has its rest position hanging (`hanging`, as published), has no stiffness and friction (`pinned`), or has its
    rest position at `root_angles` (`clamped`). From a clamp to the middle of the first rod the length is half a rod,
    so the chain converges to the clamped beam with the square of the rod length.

    Singular at psi = 90 degrees with `rod`. The tension estimate of the
    source is that of the top element, in the output `stretch_tension`; `tension` is computed for each rod.
    """

    n: int = count("number of rods", at_least=1)
    length: Parameter = parameter("m", "total length", above=0.0)
    mass: Parameter = parameter("kg", "mass of the chain without its tip mass", above=0.0)
    stiffness: Parameter = parameter("N", "axial stiffness EA; the top element has EA / length", above=0.0)
    axial_damping: Parameter = parameter("N s", "axial force per strain rate", default=0.0, at_least=0.0)
    bending: Parameter = parameter("N m^2", "bending stiffness EI", default=0.0, at_least=0.0)
    joint_damping: Parameter = parameter("N m s", "friction of a joint", default=0.0, at_least=0.0)
    rate_damping: Parameter = parameter("N m s", "friction on absolute rates", default=0.0, at_least=0.0)
    tip_mass: Parameter = parameter("kg", "mass lumped at the tip", default=0.0, at_least=0.0)
    root_angles: Parameter = parameter("rad", "phi and psi of a clamped root", default=(0.0, 0.0))
    inertia: str = choice("konig", "rod", about="rotational energy of a rod", default="konig")
    curvature: str = choice("planes", "space", about="bending law", default="planes")
    root: str = choice("hanging", "pinned", "clamped", about="rest position of the root", default="hanging")
    solver: str = choice("recursive", "dense", about="solver for the mass matrix", default="recursive")
    compression: str = choice(
        "elastic", "none", about="force of the compressed top element", default="elastic"
    )

    @property
    def links(self) -> int:
        return self.n

    @property
    def rod_length(self) -> jax.Array:
        """Length of a rod [m]."""
        return self.length / self.n

    def straight(self, direction: jax.Array) -> Any:
        phi, psi = angles(jnp.asarray(direction))
        return self.rest_state(jnp.zeros(()), jnp.full(self.n, phi), jnp.full(self.n, psi))

    def rest_state(self, stretch: Any, phi: Any, psi: Any) -> dict[str, jax.Array]:
        """Return the state at rest with a stretch [m] and angles [rad], each one number or n."""
        x: dict[str, jax.Array] = _at_rest(self.n, stretch, phi, psi)
        return x

    def rest_state_along(self, directions: jax.Array, field: jax.Array, tip_force: jax.Array) -> Any:
        phi, psi = angles(directions)
        pull = self._total() * jnp.asarray(field) + jnp.asarray(tip_force)
        return self.rest_state(pull @ directions[:, 0] * self.length / self.stiffness, phi, psi)

    def with_tip(self, mass: Any) -> Self:
        return dataclasses.replace(self, tip_mass=mass)

    def split(self, q: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return stretch, phi and psi of coordinates, rates or generalised forces."""
        return q[0], q[1 : self.n + 1], q[self.n + 1 :]

    def nodes(self, x: Any, length: Any = None) -> ChainNodes:
        s, phi, psi = self.split(x["q"])
        s_rate, phi_rate, psi_rate = self.split(x["rate"])
        u = direction(phi, psi)
        e_phi, e_psi = tangents(phi, psi)
        h = jnp.full(self.n, self.rod_length).at[0].add(s)
        u_rate = e_phi * phi_rate + e_psi * psi_rate
        v = (h * u_rate).at[:, 0].add(s_rate * u[:, 0])
        zero = jnp.zeros((3, 1))
        return ChainNodes(
            jnp.concatenate([zero, running_sum(h * u)], axis=1),
            jnp.concatenate([zero, running_sum(v)], axis=1),
        )

    # equations of motion

    def mass_matrix(self, q: Float[Array, " q"]) -> Float[Array, "q q"]:
        """Return M, (2n + 1, 2n + 1), symmetric positive definite."""
        s, phi, psi = self.split(q)
        u1 = direction(phi[:1], psi[:1])
        e = jnp.concatenate(tangents(phi, psi), axis=1)  # (3, 2n)
        weights = self._weights(s, self._c())
        full = jnp.tile(weights, (2, 2)) * (e.T @ e)
        extra = jnp.zeros(self.n)
        if self.inertia == "konig":  # the rod's m l^2 / 12 without its cos^2 psi
            extra = self.mass / self.n * self.rod_length**2 / 12 * jnp.sin(psi) ** 2
        full = full + jnp.diag(jnp.concatenate([extra, jnp.zeros(self.n)]))
        edge = jnp.tile(self._b() * self.rod_length, 2) * (u1.T @ e)[0]
        top = jnp.concatenate([jnp.reshape(self._total(), 1), edge])
        return jnp.concatenate([top[None], jnp.concatenate([edge[:, None], full], axis=1)])

    def quadratic(self, q: Float[Array, " q"], rate: Float[Array, " q"]) -> Float[Array, " q"]:
        """Return f, (2n + 1,), the terms quadratic in the rates."""
        s, phi, psi = self.split(q)
        s_rate, phi_rate, psi_rate = self.split(rate)
        u1 = direction(phi[0], psi[0])
        e_phi, e_psi = tangents(phi, psi)
        gamma = bias(phi, psi, phi_rate, psi_rate)
        u1_rate = e_phi[:, 0] * phi_rate[0] + e_psi[:, 0] * psi_rate[0]
        own = self._c() if self.inertia == "rod" else self._c() - self.mass / self.n / 12
        pull = gamma @ self._weights(s, own) + 2 * s_rate * jnp.outer(u1_rate, self._lever(s))
        f_s = -u1 @ (gamma @ self._lever(s))
        return jnp.concatenate([jnp.reshape(f_s, 1), -dot(e_phi, pull), -dot(e_psi, pull)])

    def _weights(self, s: jax.Array, diagonal: jax.Array) -> jax.Array:
        """Return W (n, n), with other suffix sums on its diagonal."""
        l = self.rod_length
        index = jnp.arange(self.n)
        h = jnp.full(self.n, l).at[0].add(s)
        w = l * self._b()[jnp.maximum(index[:, None], index)] * h[jnp.minimum(index[:, None], index)]
        own = (diagonal * l**2).at[0].add(2 * self._b()[0] * s * l + self._total() * s**2)
        return jnp.where(jnp.eye(self.n, dtype=bool), own, w)

    def _lever(self, s: jax.Array) -> jax.Array:
        """Return mass times lever of a uniform field on each rod."""
        return (self._b() * self.rod_length).at[0].add(self._total() * s)

    def _total(self) -> jax.Array:
        return self.mass + self.tip_mass

    def _b(self) -> jax.Array:
        return self.mass / self.n * (self.n - jnp.arange(self.n) - 0.5) + self.tip_mass

    def _c(self) -> jax.Array:
        return self._b() - self.mass / self.n / 6

    # generalised forces

    def field_force(self, q: Float[Array, " q"], field: Float[Array, "3"]) -> Float[Array, " q"]:
        """Return the generalised force of a uniform acceleration field (3,)."""
        s, phi, psi = self.split(q)
        e_phi, e_psi = tangents(phi, psi)
        u1 = direction(phi[0], psi[0])
        field = jnp.asarray(field)
        lever = self._lever(s)
        q_s = self._total() * (field @ u1)
        return jnp.concatenate([jnp.reshape(q_s, 1), lever * (field @ e_phi), lever * (field @ e_psi)])

    def outer_force(self, q: Float[Array, " q"], u: ChainLoads) -> Float[Array, " q"]:
        """Return the generalised force of loads on nodes and at the middle of rods."""
        s, phi, psi = self.split(q)
        e_phi, e_psi = tangents(phi, psi)
        u1 = direction(phi[0], psi[0])
        node = jnp.broadcast_to(u.node, (3, self.n + 1))[:, 1:]
        link = jnp.broadcast_to(u.link, (3, self.n))
        h = jnp.full(self.n, self.rod_length).at[0].add(s)
        below = running_sum(node + link, reverse=True) - link  # beyond a rod's centre
        centre = jnp.full(self.n, self.rod_length / 2).at[0].add(s)
        load = h * below + centre * link
        q_s = u1 @ jnp.sum(node + link, axis=1)
        return jnp.concatenate([jnp.reshape(q_s, 1), dot(e_phi, load), dot(e_psi, load)])

    def damping_force(self, rate: Float[Array, " q"]) -> Float[Array, " q"]:
        """Return the generalised force of the axial damper, of the joints, and of friction on absolute rates."""
        s_rate, phi_rate, psi_rate = self.split(rate)
        return jnp.concatenate(
            [
                jnp.reshape(-self.axial_damping / self.length * s_rate, 1),
                self._joint_friction(phi_rate) - self.rate_damping * phi_rate,
                self._joint_friction(psi_rate) - self.rate_damping * psi_rate,
            ]
        )

    def elastic_force(self, q: Float[Array, " q"]) -> Float[Array, " q"]:
        """Return the generalised force of the axial element and of bending."""
        s, phi, psi = self.split(q)
        if self.curvature == "space":
            force: jax.Array = -jax.grad(lambda q: sum(self._elastic_energies(q)))(q)
            return force
        phi0, psi0 = self._rest()
        l = self._joint_lengths()

        def plane(angle: jax.Array, rest: jax.Array) -> jax.Array:
            theta = jnp.diff(angle, prepend=rest)
            moment = joint_moment(theta, self.bending, l)
            if self.root == "pinned":
                moment = moment.at[0].set(0.0)
            return moment - jnp.concatenate([moment[1:], jnp.zeros(1)])

        pull = -self._stiffness(s) * s
        return jnp.concatenate([jnp.reshape(pull, 1), plane(phi, phi0), plane(psi, psi0)])

    def _joint_friction(self, rate: jax.Array) -> jax.Array:
        theta = jnp.diff(rate, prepend=0.0)
        if self.root == "pinned":
            theta = theta.at[0].set(0.0)
        return self.joint_damping * (jnp.concatenate([theta[1:], jnp.zeros(1)]) - theta)

    def _joint_lengths(self) -> jax.Array:
        """Return the length [m] of chain that bends in each joint, between the middles of neighbouring rods."""
        l = jnp.full(self.n, self.rod_length)
        return l.at[0].divide(2) if self.root == "clamped" else l

    def _rest(self) -> jax.Array:
        return self.root_angles if self.root == "clamped" else jnp.zeros(2)

    def _stiffness(self, s: jax.Array) -> jax.Array:
        """Return the stiffness of the top element [N/m]; zero in compression with `compression = "none"`."""
        axial = self.stiffness / self.length
        return jnp.where(s < 0, 0.0, axial) if self.compression == "none" else axial

    def solve(self, t: Any, x: Any, u: ChainLoads) -> ChainSolution:
        q, rate = x["q"], x["rate"]
        force = self.field_force(q, u.field) + self.outer_force(q, u)
        force = force + self.damping_force(rate) + self.elastic_force(q)
        if self.solver == "dense":
            factor = jax.scipy.linalg.cho_factor(self.mass_matrix(q), lower=True)
            second = jax.scipy.linalg.cho_solve(factor, self.quadratic(q, rate) + force)
        else:
            second = self._recursive(q, rate, force)
        return self._solved(x, second, u)

    def _recursive(self, q: jax.Array, rate: jax.Array, force: jax.Array) -> jax.Array:
        """Return the second rates by recursion along the chain."""
        s, phi, psi = self.split(q)
        s_rate, phi_rate, psi_rate = self.split(rate)
        m, l = self.mass / self.n, self.rod_length
        e_phi, e_psi = tangents(phi, psi)
        extra = jnp.zeros(self.n)
        q_s, q_phi, q_psi = self.split(force)
        if self.inertia == "konig":
            sine, cosine = jnp.sin(psi), jnp.cos(psi)
            extra = m * l**2 / 12 * sine**2
            swing = m * l**2 / 12 * sine * cosine
            q_phi, q_psi = q_phi - 2 * swing * phi_rate * psi_rate, q_psi + swing * phi_rate**2
        accelerations = rod_accelerations(
            m=m,
            l=l,
            tip_mass=self.tip_mass,
            u=direction(phi, psi),
            e_phi=e_phi,
            e_psi=e_psi,
            gamma=bias(phi, psi, phi_rate, psi_rate),
            extra=extra,
            force=(q_s, q_phi, q_psi),
            stretch=(s, s_rate),
            u1_rate=e_phi[:, 0] * phi_rate[0] + e_psi[:, 0] * psi_rate[0],
        )
        return jnp.concatenate([jnp.reshape(accelerations[0], 1), accelerations[1], accelerations[2]])

    def _solved(self, x: State, second: jax.Array, u: ChainLoads) -> ChainSolution:
        s, phi, psi = self.split(x["q"])
        s_rate, phi_rate, psi_rate = self.split(x["rate"])
        s_2, phi_2, psi_2 = self.split(second)
        n_ = direction(phi, psi)
        e_phi, e_psi = tangents(phi, psi)
        turn = e_phi * phi_2 + e_psi * psi_2 + bias(phi, psi, phi_rate, psi_rate)
        h = jnp.full(self.n, self.rod_length).at[0].add(s)
        u1_rate = e_phi[:, 0] * phi_rate[0] + e_psi[:, 0] * psi_rate[0]
        a = (h * turn).at[:, 0].add(s_2 * n_[:, 0] + 2 * s_rate * u1_rate)
        acceleration = jnp.concatenate([jnp.zeros((3, 1)), running_sum(a)], axis=1)
        # accelerations of the rod centres, and from them the load of each rod: Newton's law for all parts below it
        centre = acceleration[:, 1:] - 0.5 * self.rod_length * turn
        m = self.mass / self.n
        field = jnp.asarray(u.field)[:, None]
        load = m * (field - centre) + jnp.broadcast_to(u.link, (3, self.n))
        node = jnp.broadcast_to(u.node, (3, self.n + 1))
        carried = load + node[:, 1:]
        carried = carried.at[:, -1].add(self.tip_mass * (field[:, 0] - acceleration[:, -1]))
        below = running_sum(carried, reverse=True)
        tension = dot(n_, below - 0.5 * load)  # at the rod's middle
        return ChainSolution(
            rate={"q": x["rate"], "rate": second},
            acceleration=acceleration,
            tension=tension,
            reaction=below[:, 0] + node[:, 0],
        )

    def fastest_rates(self) -> list[complex]:
        """Return rates of joint friction, :math:`-48 C n^3/(m L^2)`, tight for many rods, and of the axial element."""
        m, n, total = float(self.mass), self.n, float(self.mass + self.tip_mass)
        joint = -48 * float(self.joint_damping) * n**3 / (m * float(self.length) ** 2)
        b, c = (float(v) / float(self.length) / total for v in (self.axial_damping, self.stiffness))
        root = cmath.sqrt(b * b / 4 - c)
        return [joint, -b / 2 + root, -b / 2 - root]

    def _elastic_energies(self, q: jax.Array) -> tuple[jax.Array, jax.Array]:
        s, phi, psi = self.split(q)
        l = self._joint_lengths()
        phi0, psi0 = self._rest()
        axial = 0.5 * self._stiffness(s) * s**2
        if self.curvature == "space":
            u = direction(phi, psi)
            root = direction(phi0, psi0)[:, None]
            c = dot(u, jnp.concatenate([root, u[:, :-1]], axis=1))
            each = 4 * self.bending / l * (jnp.sqrt(2 / (1 + c)) - 1)
        else:
            each = joint_energy(jnp.diff(phi, prepend=phi0), self.bending, l)
            each = each + joint_energy(jnp.diff(psi, prepend=psi0), self.bending, l)
        if self.root == "pinned":
            each = each.at[0].set(0.0)
        return axial, jnp.sum(each)

    def energies(self, x: Any, u: ChainLoads | None = None) -> dict[str, jax.Array]:
        axial, bent = self._elastic_energies(x["q"])
        return {"kinetic": self._kinetic(x), "axial": axial, "bending": bent}

    def _kinetic(self, x: State) -> jax.Array:
        """Return the kinetic energy of the rods, from the velocities of their ends, and of the tip mass."""
        __, phi, psi = self.split(x["q"])
        _, phi_rate, psi_rate = self.split(x["rate"])
        e_phi, e_psi = tangents(phi, psi)
        m, l = self.mass / self.n, self.rod_length
        far = self.nodes(x).velocity[:, 1:]
        near = far - l * (e_phi * phi_rate + e_psi * psi_rate)
        kinetic = m / 6 * jnp.sum(near**2 + near * far + far**2) + 0.5 * self.tip_mass * jnp.sum(
            far[:, -1] ** 2
        )
        if self.inertia == "konig":
            kinetic = kinetic + 0.5 * m * l**2 / 12 * jnp.sum((jnp.sin(psi) * phi_rate) ** 2)
        return kinetic

    def mass_moments(self, x: Any, u: ChainLoads | None = None) -> tuple[jax.Array, jax.Array]:
        s, phi, psi = self.split(x["q"])
        s_rate, phi_rate, psi_rate = self.split(x["rate"])
        u_ = direction(phi, psi)
        e_phi, e_psi = tangents(phi, psi)
        lever = self._lever(s)
        momentum = (e_phi * phi_rate + e_psi * psi_rate) @ lever + self._total() * s_rate * u_[:, 0]
        return u_ @ lever, momentum

    def power(self, x: Any, u: ChainLoads) -> dict[str, jax.Array]:
        rate = x["rate"]
        return {
            "external": rate @ self.outer_force(x["q"], u),
            "damping": rate @ self.damping_force(rate),
        }

    def output(self, t: Time, x: State, u: Input) -> Output:
        signals = super().output(t, x, u)
        s = x["q"][0]
        return {**signals, "stretch": s, "stretch_tension": self._stiffness(s) * s}
