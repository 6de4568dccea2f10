"""The dynamics of gear and airframe, judged by a derivation of its own: Lagrange's equations of two energies."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.airframe.dynamics import interface_loads
from dovetail.mechanics.bodies import MassProperties
from dovetail.mechanics.dimension import dimension
from dovetail.mechanics.securing.platform import rotation_of
from dovetail.mechanics.spatial import euler


def state(aircraft, seed, size=1.0):
    """A random state in the air: turned, deformed by centimetres, moving."""
    rng = np.random.default_rng(seed)
    x = aircraft.init()
    d = aircraft.dim.d
    angles = rng.normal(size=aircraft.dim.turns) * 0.4
    attitude = jnp.asarray(angles) if d == 2 else euler.to_quaternion(jnp.asarray(angles))
    draw = lambda name, s: jnp.asarray(rng.normal(size=x[name].shape) * s * size)  # noqa: E731
    x |= {
        "position": jnp.full(d, 3.0),
        "attitude": attitude,
        "shape": draw("shape", 0.02),
        "speed": draw("speed", 1.0),
    }
    return x, angles


def velocities(aircraft, q, qd):
    """Twist of the airframe and absolute velocities of all nodes in body axes, by differentiating places alone."""
    model, d, t = aircraft.model, aircraft.dim.d, aircraft.dim.turns
    R, dR = jax.jvp(rotation_of, (q[d : d + t],), (qd[d : d + t],))
    W = R.T @ dR
    w = W[1, 0, None] if d == 2 else jnp.array([W[2, 1], W[0, 2], W[1, 0]])
    deformation, rate = model.displacement(q[d + t :]), model.displacement(qd[d + t :])
    at = model.nodes + deformation[:, :d]
    v = R.T @ qd[:d]
    V = jnp.concatenate([v + dimension(d).cross(w, at) + rate[:, :d], w + rate[:, d:]], 1)
    return v, w, V.ravel()


def lagrange(aircraft, q, qd):
    """Second rates of (position, angles, shape) from kinetic and potential energy by differentiation alone."""
    model, d = aircraft.model, aircraft.dim.d
    t = aircraft.dim.turns

    def kinetic(q, qd):
        v, w, V = velocities(aircraft, q, qd)
        return (aircraft.airframe.mass * v @ v + w @ aircraft.inertia @ w + V @ model.M @ V) / 2

    def potential(q):
        deformation = model.displacement(q[d + t :])
        at = model.nodes + deformation[:, :d]
        R = rotation_of(q[d : d + t])
        up = jnp.eye(d)[-1]
        # the weight of the interpolated beam: sums over elements of its consistent mass
        weight = aircraft.airframe.mass * q[d - 1] + model.mass * q[d - 1]
        weight += up @ (R @ (model.first_moment + model.weight.T @ deformation.ravel()))
        held = 0.0
        for s in aircraft.struts:
            stretch = jnp.linalg.norm(at[s.node - 1] - s.mount) - s.law.free_length
            held += s.law.stiffness * stretch**2 / 2
        r = deformation.ravel()
        return aircraft.gravity * weight + held + r @ model.K @ r / 2

    def dissipation(q, qd):
        rate = model.displacement(qd[d + t :])
        at = model.nodes + model.displacement(q[d + t :])[:, :d]
        total = rate.ravel() @ model.C @ rate.ravel() / 2
        for s in aircraft.struts:
            arm = at[s.node - 1] - s.mount
            total += s.law.damping * (rate[s.node - 1, :d] @ arm) ** 2 / (arm @ arm) / 2
        return total

    def momentum(q, qd):
        return jax.grad(kinetic, 1)(q, qd)

    mass = jax.jacfwd(momentum, 1)(q, qd)
    _, carried = jax.jvp(lambda a: momentum(a, qd), (q,), (qd,))
    force = jax.grad(kinetic, 0)(q, qd) - jax.grad(potential)(q) - jax.grad(dissipation, 1)(q, qd) - carried
    return jnp.linalg.solve(mass, force)


@pytest.mark.parametrize(
    ("d", "joint"),
    [
        (2, "hinged"),
        pytest.param(2, "fixed", marks=pytest.mark.slow),
        pytest.param(3, "hinged", marks=pytest.mark.slow),
    ],
)
def test_the_consistent_form_is_lagranges(make, d, joint):
    aircraft = make(d, joint=joint, softer=1e-4)
    x, angles = state(aircraft, 1)
    q = jnp.concatenate([x["position"], jnp.asarray(angles), x["shape"]])
    qd = jnp.asarray(np.random.default_rng(6).normal(size=q.shape))

    def speeds(q, qd):
        v, w, V = velocities(aircraft, q, qd)
        return jnp.concatenate([v, w, V[np.array(aircraft.model.free)]])

    @jax.jit
    def both(x):
        own = aircraft.derivative(0.0, {**x, "speed": speeds(q, qd)}, None)["speed"]
        return own, jax.jvp(speeds, (q, qd), (qd, lagrange(aircraft, q, qd)))[1]

    ours, theirs = both(x)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8 * np.abs(theirs).max())


@eqx.filter_jit
def computed(aircraft, x):
    """Of the model: kinematics of the nodes, forces of struts, rates of speeds, interface loads."""
    twist, _ = aircraft._split(x)
    rho, V, deformation = aircraft._nodes(x)
    deforming = V - aircraft.model.rigid(twist, rho)
    rate = aircraft.derivative(0.0, x, None)["speed"]
    struts = aircraft._struts(rho, deforming[:, :2])
    return rho, V, deformation, deforming, jnp.stack(struts), rate, interface_loads(aircraft, 0.0, x, rate)


def test_the_published_form_has_its_own_assembly(make):
    """Eq. 5.17 as printed: all node rows, unknown accelerations and interface forces, solved together."""
    for joint in ("hinged", "fixed"):
        aircraft = make(2, joint=joint, softer=1e-4, formulation="published")
        x, _ = state(aircraft, 2)
        model, nd, n = aircraft.model, 3, aircraft.model.count
        twist, _ = aircraft._split(x)
        rho, V, deformation, rate, struts, got, joints = (np.asarray(a) for a in computed(aircraft, x))
        w, R = float(twist[2]), np.asarray(aircraft.dim.rotation(x["attitude"]))
        B = np.asarray(model.partials(rho)).reshape(n * nd, 3)
        # remainder accelerations of the nodes (2.2.2), and of the airframe for velocities in body axes
        Z = np.zeros((n, 3))
        turned = np.stack([-rate[:, 1], rate[:, 0]], 1)
        Z[:, :2] = -(w**2) * np.asarray(rho) + 2 * w * turned
        g = R.T @ [0.0, -9.81]
        known = np.array(model.gravity(g)).ravel()
        body = np.array([*(50 * g), 0.0])
        for s, f in zip(aircraft.struts, struts, strict=True):
            known[3 * (s.node - 1) : 3 * (s.node - 1) + 2] += f
            body[:2] -= f
            body[2] -= s.mount[0] * f[1] - s.mount[1] * f[0]
        M, K, C = (np.asarray(a) for a in (model.M, model.K, model.C))
        Q = known - C @ np.asarray(V).ravel() - K @ np.asarray(deformation).ravel() - M @ Z.ravel()
        held = model.held
        count = len(held)
        tau = np.zeros((3, count))  # eq. 5.3
        for i, f in enumerate(held):
            j, k = divmod(f, 3)
            if k < 2:
                tau[k, i] = 1.0
                if joint == "fixed":
                    tau[2, i] = [-float(rho[j, 1]), float(rho[j, 0])][k]
            else:
                tau[2, i] = 1.0
        # unknowns: acceleration of the airframe in body axes, relative accelerations of free freedoms, F_u
        free = np.array(model.free)
        own_mass = np.diag([50.0, 50.0, 6.25])
        D_nodes = np.zeros((n * nd, count))
        D_nodes[held, np.arange(count)] = 1.0
        A = np.block(
            [
                [own_mass + B.T @ M @ B, (B.T @ M)[:, free], -(B.T @ D_nodes - tau)],
                [M @ B, M[:, free], -D_nodes],
            ]
        )
        right = np.concatenate([body + B.T @ Q, Q])
        found = np.linalg.solve(A, right)
        cross = np.array([-w * float(twist[1]), w * float(twist[0])])
        acceleration = got[:3] + np.array([*cross, 0.0])
        np.testing.assert_allclose(acceleration, found[:3], rtol=1e-9, atol=1e-9 * np.abs(found[:3]).max())
        # the interface forces that eq. 5.17 has among its unknowns
        F_u = np.zeros((n, nd)).ravel()
        F_u[held] = found[3 + len(free) :]
        judge = F_u.reshape(n, nd)[list(model.interface)]
        np.testing.assert_allclose(joints, judge, rtol=1e-7, atol=1e-7 * np.abs(judge).max())


@pytest.mark.parametrize("d", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_energy_and_momentum_are_kept_exactly_in_free_flight(make, d):
    """Rates along the motion: without damping and gravity nothing changes, whatever the deformation."""
    aircraft = make(d, softer=1e-4, ratio=0.0, gravity=0.0)
    laws = tuple(
        type(s)(
            law=type(s.law)(stiffness=2.5e4, damping=0.0, free_length=0.17705), mount=s.mount, node=s.node
        )
        for s in aircraft.struts
    )
    aircraft = make(d, softer=1e-4, ratio=0.0, gravity=0.0, struts=laws)
    x, _ = state(aircraft, 3)

    def totals(x):
        model, dim = aircraft.model, aircraft.dim
        R = dim.rotation(x["attitude"])
        twist, _ = aircraft._split(x)
        rho, V, _ = aircraft._nodes(x)
        p = (model.M @ V.ravel()).reshape(V.shape)
        P = aircraft.airframe.mass * twist[:d] + jnp.sum(p[:, :d], 0)
        L = aircraft.inertia @ twist[d:] + jnp.sum(dim.moment(rho, p[:, :d]) + p[:, d:], 0)
        turn = R if d == 3 else jnp.eye(1)
        about_origin = turn @ L + dim.moment(x["position"], R @ P)
        return aircraft.energy(0.0, x)["total"], R @ P, about_origin

    value, rate = jax.jit(lambda x: jax.jvp(totals, (x,), (aircraft.derivative(0.0, x, None),)))(x)
    power = float(jnp.abs(x["speed"]).max() * 1e4)  # what elastic forces of this size exchange
    assert abs(rate[0]) < 1e-9 * power
    for change, size in zip(rate[1:], value[1:], strict=True):
        np.testing.assert_allclose(change, 0.0, atol=1e-7 * float(jnp.linalg.norm(size)) * 100)


def test_the_published_hinge_does_not_conserve_angular_momentum(make, rate):
    """Said by the specification of its errors, and so checked: the moment of the interface is lost."""
    aircraft = make(2, gravity=0.0, formulation="published", softer=1e-4)
    honest = make(2, gravity=0.0, softer=1e-4)
    x, _ = state(aircraft, 4)
    ours, theirs = rate(aircraft, x)[2], rate(honest, x)[2]
    assert abs(ours - theirs) > 1e-3 * abs(theirs)


@pytest.mark.parametrize("joint", ["hinged", pytest.param("fixed", marks=pytest.mark.slow)])
def test_space_restricted_to_its_plane_is_the_plane(make, rate, joint):
    flat, deep = make(2, joint=joint), make(3, joint=joint)
    x2, _ = state(flat, 5)
    x3 = deep.init()
    angles = jnp.array([x2["attitude"][0], 0.0, 0.0])
    places = [i for i, f in enumerate(deep.model.free) if f % 6 in (1, 2, 3)]
    assert len(places) == flat.model.shape_size
    speed = jnp.zeros_like(x3["speed"]).at[jnp.array([1, 2, 3])].set(x2["speed"][:3])
    x3 |= {
        "position": jnp.concatenate([jnp.zeros(1), x2["position"]]),
        "attitude": euler.to_quaternion(angles),
        "shape": jnp.zeros_like(x3["shape"]).at[jnp.array(places)].set(x2["shape"]),
        "speed": speed.at[jnp.array([6 + p for p in places])].set(x2["speed"][3:]),
    }
    rate2, rate3 = rate(flat, x2), rate(deep, x3)
    found = jnp.concatenate([rate3[1:4], rate3[jnp.array([6 + p for p in places])]])
    np.testing.assert_allclose(found, rate2, rtol=1e-9, atol=1e-9 * float(jnp.abs(rate2).max()))
    off = jnp.delete(rate3, jnp.array([1, 2, 3, *[6 + p for p in places]]))
    np.testing.assert_allclose(off, 0.0, atol=1e-9 * float(jnp.abs(rate2).max()))


def test_aircraft_with_other_parameter_values_share_one_program(make):
    traced = []

    @eqx.filter_jit
    def rate(aircraft, x):
        traced.append(aircraft)
        return aircraft.derivative(0.0, x, None)["speed"]

    light, heavy, aside = (
        make(airframe=MassProperties(mass=m, inertia=6.25, centre=[0.0, o, 0.0]))
        for m, o in ((50, 0), (80, 0), (50, 0.2))
    )
    found = [np.asarray(rate(one, state(one, 3)[0])) for one in (light, heavy, aside)]
    assert len(traced) == 1
    pushed = eqx.filter_jit(lambda one, x: one.mass_inverse @ one._forces(0.0, x)[0])
    assert not np.allclose(found[0], found[1], rtol=1e-3)
    assert not np.allclose(found[0], found[2], rtol=1e-3)
    for one, speed in zip((light, heavy, aside), found, strict=True):
        np.testing.assert_allclose(speed, pushed(one, state(one, 3)[0]), rtol=1e-9, atol=1e-7)
