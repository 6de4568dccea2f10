r"""Devices at the tip: a point with drag and commanded lift, with or without lag, a body with four fins, a stage.

Each device takes the wind relative to the tip and returns a force on the tip. The rope carries the device's mass. Lift
acts across the wind and up, side force across both, to starboard:

.. math:: F = \tfrac12\rho|w|\,S C_D\,w
    + \tfrac12\rho|w|^2 (S C_{L\alpha}\,\alpha\,\hat l + S C_{Y\beta}\,\beta\,\hat s)
    + L_0 (|w|/V)^2\,\hat l

Sources: point model after [Mastrogiuseppe 2023, sec. 4.2]. The superposition of fins is this project's own model,
because the source's fin data are not public.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, State, choice, kind, parameter
from dovetail.mechanics.bodies.rigid_body import rotation_rates
from dovetail.mechanics.spatial import quaternion, rotation

UP = np.array([0.0, 0.0, 1.0])
TINY = 1e-12  # keeps square roots differentiable in still air; far below any squared wind speed


def bluff_drag(wind: jax.Array, density: jax.Array | float, drag_area: jax.Array) -> jax.Array:
    """Drag (3,) [N] of a body with drag area S C_D [m^2] in a relative wind (3,) [m/s]."""
    return 0.5 * density * drag_area * jnp.sqrt(wind @ wind + TINY) * wind


class TipDevice(Part):
    """Body at the rope's tip: its mass is the rope's tip mass; its attitude is a state of the device."""

    mass: Parameter = parameter("kg", "mass, carried by the rope", default=0.0, at_least=0.0)

    def init(self) -> Any:
        """Return the initial attitude state."""
        return {}

    @abstractmethod
    def force(
        self, x: Any, wind: jax.Array, density: jax.Array, speed: jax.Array, command: jax.Array
    ) -> jax.Array:
        """Force (3,) [N] on the tip in a relative wind (3,) [m/s]; `speed` is the undisturbed airspeed."""

    def rate(self, x: Any, wind: jax.Array, density: jax.Array, speed: jax.Array, command: jax.Array) -> Any:
        """Rate of the attitude state."""
        return {}

    def attitude(self, x: Any, command: jax.Array) -> jax.Array:
        """Effective pitch and yaw, (2,) [rad]."""
        return command

    def roll(self, x: Any) -> tuple[jax.Array, jax.Array] | None:
        """Roll angle [rad] and rate [rad/s]; None if the device does not roll."""
        return None

    def with_roll_torque(self, rate: Any, torque: jax.Array) -> Any:
        """Rate of the attitude state with an additional torque [N m] about the roll axis."""
        return rate


@kind("no-device")
class NoDevice(TipDevice):
    """No device: a bare tip, or a point mass of `mass`."""

    def force(self, x, wind, density, speed, command):
        return jnp.zeros(3)


@kind("tip-force")
class TipForce(TipDevice):
    """A constant force on the tip."""

    pull: Parameter = parameter("N", "force, (3,)", default=(0.0, 0.0, 0.0))

    def force(self, x, wind, density, speed, command):
        return self.pull


@kind("winged-stage")
class WingedStage(TipDevice):
    """Towed stage with constant drag, and lift that carries its weight; a strong simplification.

    Source: [Mastrogiuseppe 2023, sec. 4.2.2].
    """

    drag: Parameter = parameter("N", "drag, along the undisturbed stream", default=50e3, at_least=0.0)
    lift_over_weight: Parameter = parameter("1", "fraction of the weight carried by lift", default=1.0)
    gravity: Parameter = parameter("m/s^2", "gravity used for the weight", default=9.81)

    def force(self, x, wind, density, speed, command):
        return jnp.array([-1.0, 0.0, 0.0]) * self.drag + self.lift_over_weight * self.mass * self.gravity * UP


class Aerodynamic(TipDevice):
    """Base of the flying devices: drag, trim lift, and lift and side force from angles."""

    drag_area: Parameter = parameter("m^2", "S C_D", default=0.7909, at_least=0.0)
    trim_lift: Parameter = parameter("N", "lift at trim in the undisturbed stream", default=171.5)
    lift_area: Parameter = parameter("m^2/rad", "S C_L,alpha", default=2.0, at_least=0.0)
    side_area: Parameter = parameter("m^2/rad", "S C_Y,beta", default=2.0, at_least=0.0)
    trim: str = choice(
        "constant",
        "dynamic",
        about="constant or wind-dependent trim lift",
        default="constant",
    )

    def loads(self, wind, density, speed, angles):
        """Force (3,) [N] for angles of attack and side-slip (2,) [rad]."""
        square = wind @ wind
        size = jnp.sqrt(square)
        along = wind / size
        up = UP - (UP @ along) * along
        up = up / jnp.sqrt(up @ up)
        side = jnp.cross(up, along)
        side = jnp.where(side[1] > 0, -side, side)  # to starboard
        q = 0.5 * density * square
        trim = self.trim_lift * (UP if self.trim == "constant" else up * square / speed**2)
        lift = q * (self.lift_area * angles[0] * up + self.side_area * angles[1] * side)
        return bluff_drag(wind, density, self.drag_area) + trim + lift


@kind("point-device")
class PointDevice(Aerodynamic):
    """Point device whose angles of attack and side-slip equal the command without lag."""

    def force(self, x, wind, density, speed, command):
        return self.loads(wind, density, speed, command)


@kind("lagged-device")
class LaggedDevice(Aerodynamic):
    """Point device whose angles follow the command as a second-order system."""

    omega: Parameter = parameter("rad/s", "natural angular frequency of the tracking", default=2.0, above=0.0)
    damping: Parameter = parameter("1", "damping ratio of the tracking", default=0.7, at_least=0.0)

    def init(self) -> State:
        return {"angle": jnp.zeros(2), "angle_rate": jnp.zeros(2)}

    def force(self, x, wind, density, speed, command):
        return self.loads(wind, density, speed, x["angle"])

    def rate(self, x, wind, density, speed, command):
        w = self.omega
        return {
            "angle": x["angle_rate"],
            "angle_rate": w**2 * (command - x["angle"]) - 2 * self.damping * w * x["angle_rate"],
        }

    def attitude(self, x, command):
        return x["angle"]


@kind("rigid-device")
class RigidDevice(Aerodynamic):
    r"""A body free in pitch, yaw and roll, with four fins behind its centre of mass.

    Fin i at the roll angle :math:`\eta_i` has the incidence :math:`\alpha_i = \alpha\cos\eta_i +
    \beta\sin\eta_i - p r/V + \tau\delta_i` plus the contribution of pitching and yawing at its arm. Its force across
    its plane is :math:`q S_f a\,\alpha_i`; forces and moments of the four fins are summed. The flaps are set by the
    least-squares inverse of that sum: pitch and yaw flaps trim the body at the commanded angles of attack and
    side-slip, roll flaps level it. Angles of attack are those of the local flow, so gusts and wakes lift it.
    It rotates like a `RigidBody`, about axes forward, to port and up: roll, pitch and yaw. Fins and
    flaps are linear, valid for small incidences. The rope's pull acts at the centre of mass and has no moment.
    """

    inertia: Parameter = parameter(
        "kg m^2",
        "moments of inertia: axes forward, to port, up",
        default=(15.0, 60.0, 60.0),
        above=0.0,
    )
    fin_area: Parameter = parameter("m^2", "area of one fin", default=0.25, above=0.0)
    fin_slope: Parameter = parameter("1/rad", "lift slope of a fin", default=3.5, above=0.0)
    fin_arm: Parameter = parameter(
        "m", "distance from the centre of mass aft to the fins", default=0.8, above=0.0
    )
    fin_radius: Parameter = parameter(
        "m", "distance from the axis to a fin's centre of pressure", default=0.5, above=0.0
    )
    flap_effect: Parameter = parameter("1", "incidence per flap deflection", default=0.5, above=0.0)
    flap_limit: Parameter = parameter("rad", "largest deflection", default=0.6, above=0.0)
    roll_gain: Parameter = parameter("1", "gain from roll angle to roll flap", default=0.5, at_least=0.0)
    first_fin: Parameter = parameter("rad", "roll angle of the first fin", default=0.7853981633974483)

    def init(self) -> State:
        return {"attitude": quaternion.identity(), "spin": jnp.zeros(3)}

    def angles(self, x):
        """Roll, pitch and yaw (3,) [rad] from the undisturbed stream: port side up, nose up, nose to starboard."""
        return quaternion.to_vector(x["attitude"]) * jnp.array([1.0, -1.0, -1.0])

    def _level(self, x):
        """Rotation (3, 3) from body axes to axes that do not roll; the sum over the four fins is equal in both."""
        return rotation.about_x(self.angles(x)[0])

    def fins(self):
        """Roll angles (4,) [rad] of the fins."""
        return self.first_fin + jnp.arange(4) * jnp.pi / 2

    def flow_angles(self, x, wind):
        """Angles of attack and side-slip (2,) [rad] of the local flow, positive for lift and force to starboard."""
        forward, port, up = self._level(x) @ quaternion.rotate(quaternion.conjugate(x["attitude"]), wind)
        return jnp.arctan2(jnp.stack([up, -port]), -forward)

    def allocation(self):
        """Flap deflections (4, 3) for unit incidence in pitch, yaw and roll: least squares of the fins' sum."""
        eta = self.fins()
        effect = jnp.stack([jnp.cos(eta), jnp.sin(eta), jnp.ones(4)]) * self.flap_effect  # (3, 4)
        return effect.T @ jnp.linalg.inv(effect @ effect.T)

    def flaps(self, x, command):
        """Deflections (4,) [rad]: trim at the commanded angles, roll levelled."""
        # a body at incidence a is trimmed when its flaps cancel the summed incidence of the fins, 2 a
        incidence = jnp.stack(
            [-2.0 * command[0], -2.0 * command[1], -4.0 * self.roll_gain * self.angles(x)[0]]
        )
        return jnp.clip(self.allocation() @ incidence, -self.flap_limit, self.flap_limit)

    def incidences(self, x, wind, speed, command):
        """Incidence (4,) [rad] of each fin."""
        alpha, beta = self.flow_angles(x, wind)
        p, q, r = self._level(x) @ x["spin"]
        eta = self.fins()
        swept = (q * jnp.cos(eta) + r * jnp.sin(eta)) * self.fin_arm / speed
        static = alpha * jnp.cos(eta) + beta * jnp.sin(eta)
        return static - swept - p * self.fin_radius / speed + self.flap_effect * self.flaps(x, command)

    def force(self, x, wind, density, speed, command):
        eta = self.fins()
        q = 0.5 * density * (wind @ wind)
        each = q * self.fin_area * self.fin_slope * self.incidences(x, wind, speed, command)
        fins = jnp.stack([0.0 * q, -jnp.sum(each * jnp.sin(eta)), jnp.sum(each * jnp.cos(eta))])
        return self.loads(wind, density, speed, self.flow_angles(x, wind)) + fins

    def rate(self, x, wind, density, speed, command):
        eta = self.fins()
        q = 0.5 * density * (wind @ wind)
        each = q * self.fin_area * self.fin_slope * self.incidences(x, wind, speed, command)
        moment = jnp.stack(
            [
                self.fin_radius * jnp.sum(each),
                self.fin_arm * jnp.sum(each * jnp.cos(eta)),
                self.fin_arm * jnp.sum(each * jnp.sin(eta)),
            ]
        )
        attitude_rate, spin_rate = rotation_rates(
            x["attitude"], x["spin"], self._level(x).T @ moment, jnp.diag(self.inertia)
        )
        return {"attitude": attitude_rate, "spin": spin_rate}

    def attitude(self, x, command):
        return self.angles(x)[1:]

    def roll(self, x):
        return self.angles(x)[0], x["spin"][0]

    def with_roll_torque(self, rate, torque):
        return {**rate, "spin": rate["spin"].at[0].add(torque / self.inertia[0])}
