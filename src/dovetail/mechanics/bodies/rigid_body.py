r"""Free rigid body with six degrees of freedom.

With the frame B in the centre of mass and a fixed frame W:

.. math:: \dot p_{WB} = v_{WB},\qquad m\,\dot v_{WB} = f,\qquad
          \dot q_{WB} = \tfrac12 q_{WB}\circ\omega_B,\qquad
          I\,\dot\omega_B = \tau_B - \omega_B\times I\omega_B

The velocity is expressed in W, where it is exactly constant without force. The source expresses it in B, with the
additional term :math:`v_B\times\omega_B`. Both are in the output. The orientation is a quaternion without singular
attitudes; a term without effect on the rotation keeps its norm at one (`quaternion.rate`). All rigid bodies of the
library use these equations: spacecraft, the airframe above a deck, a towed device.

W can be a moving frame, for example a deck. Position, velocity and attitude are then relative to W, body rates
remain absolute, and `MovingFrame.inertial` is subtracted from the acceleration.
Not modelled: orbit, flexibility. Source: [Bondoky 2020, sec. 6.3.1.2].
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, Time
from dovetail.mechanics.bodies.mass_properties import MassProperties, inverse
from dovetail.mechanics.spatial import MovingFrame, Pose, Twist, Wrench, euler, quaternion


class BodyState(eqx.Module):
    """State of a body: position and velocity of its centre in W, quaternion, body rates."""

    p: jax.Array  # [m] p_WB
    q: jax.Array  # [1] q_WB, wxyz
    v: jax.Array  # [m/s] v_WB, in W
    w: jax.Array  # [rad/s] w_WB_B

    @classmethod
    def from_pose(cls, pose: Pose, twist: Twist | None = None) -> BodyState:
        """Return the state at a pose X_WB, at rest or with a twist given in W."""
        still = Twist(jnp.zeros(3), jnp.zeros(3))
        twist = still if twist is None else twist
        return cls(pose.p, pose.quaternion, twist.v, pose.R.T @ twist.w)

    @property
    def pose(self) -> Pose:
        """Pose X_WB."""
        return Pose.from_quaternion(self.q, self.p)

    @property
    def twist(self) -> Twist:
        """Velocity of the centre and angular velocity, both in W."""
        return Twist(self.v, quaternion.rotate(self.q, self.w))


def rotation_rates(
    q: jax.Array,
    w: jax.Array,
    moment: jax.Array,
    inertia: jax.Array,
    carrier: MovingFrame | None = None,
    restore: float = 1.0,
) -> tuple[jax.Array, jax.Array]:
    """Return the rates of the attitude q_WB and of the body rates w for a moment (3,) in B; inertia (3, 3)."""
    spin = w if carrier is None else w - quaternion.rotate(quaternion.conjugate(q), carrier.angular_velocity)
    return quaternion.rate(q, spin, restore), inverse(inertia) @ (moment - jnp.cross(w, inertia @ w))


class RigidBody(Flow):
    """Rigid body under a wrench.

    The input is a `Wrench` in W about the centre of mass, or None without load. `start` is the initial state.
    """

    body: MassProperties
    start: BodyState = eqx.field(default_factory=lambda: BodyState.from_pose(Pose()))
    restore: float = eqx.field(default=1.0, static=True)  # [1/s] rate of the quaternion norm correction
    gravity: jax.Array | None = None  # (3,) [m/s^2] in W

    def init(self) -> BodyState:
        return self.start

    def derivative(self, t: Time, x: BodyState, u: Wrench | None) -> BodyState:
        return self.rate(x, u)

    def rate(self, x: BodyState, u: Wrench | None, carrier: MovingFrame | None = None) -> BodyState:
        """Return the rate of the state for a wrench in W about the centre of mass; W can move with `carrier`."""
        moment, push = jnp.zeros(3), jnp.zeros(3) if self.gravity is None else self.gravity
        if u is not None:
            moment = quaternion.rotate(quaternion.conjugate(x.q), u.tau)
            push = push + u.f / self.body.mass
        if carrier is not None:
            push = push - carrier.inertial(x.p, x.v)
        q, w = rotation_rates(x.q, x.w, moment, self.body.inertia, carrier, self.restore)
        return BodyState(p=x.v, q=q, v=push, w=w)

    def output(self, t: Time, x: BodyState, u: Wrench | None) -> dict[str, jax.Array]:
        """Return position, orientation, velocity and acceleration of the body."""
        rate = self.derivative(t, x, u)
        R = x.pose.R
        angles = euler.from_matrix(R)
        return {
            "position": x.p,
            "quaternion": quaternion.normalise(x.q),
            "euler_angles": angles,
            "velocity": x.v,
            "euler_rates": euler.rates(angles, x.w),
            "body_velocity": R.T @ x.v,
            "angular_velocity": x.w,
            "acceleration": rate.v,
            "angular_acceleration": rate.w,
        }

    def kinetic_energy(self, x: BodyState) -> jax.Array:
        """Return the kinetic energy of translation and rotation [J]."""
        return (self.body.mass * jnp.sum(x.v * x.v) + x.w @ self.body.inertia @ x.w) / 2

    def momentum(self, x: BodyState) -> jax.Array:
        """Return the linear momentum in W [N s]."""
        return self.body.mass * x.v

    def angular_momentum(self, x: BodyState) -> jax.Array:
        """Return the angular momentum about the origin of W, in W [N m s]."""
        own = quaternion.rotate(x.q, self.body.inertia @ x.w)
        return own + jnp.cross(x.p, self.momentum(x))
