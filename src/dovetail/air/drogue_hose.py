r"""Numerical substructure of a refuelling test: tanker, hose, drogue, and the approach of the receiver's nozzle.

The hose is any chain of variable length; the drogue is the body at its end. The interface displacement is the pose of
the nozzle N in the drogue's frame D (origin in the ball joint, x forward along the drogue's axis, y to port, z up),
relative to the initial pose, so that the rig starts from rest:

.. math:: z = \left(p_{DN} - p_{DN}(0),\; \log\!\left(R_{DN}(0)^{\mathsf T} R_{DN}\right)\right)

These are three lengths in the axes of D and a rotation vector. The interface force is the contact wrench on the drogue
about the ball joint, in the axes of D. Its moment about the drogue's axis is dropped, because twist is locked. A spring
at the contact thus responds to a forward motion of the nozzle with a forward force. The pose itself is recorded as
`nozzle_pose`.

The receiver's line is placed relative to the drogue's position in steady flight, which the state contains as `datum`.
The time since first contact, which starts the reel, is also a state. So are the impulse and the work of all forces
about the tow point: the momentum and energy residuals of the hose are recorded as an audit of every run.
Source: [Bolien 2018, secs 3.5 and 5-IV].
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.tree_util import Partial

from dovetail.air.bow_wave import HalfBody
from dovetail.air.drogue import TowedDrogue, couple, unit
from dovetail.air.receiver import Receiver
from dovetail.air.towed_line import TowedLine
from dovetail.core import RK4, Input, OptionalParameter, Output, Parameter, State, Time, kind, parameter
from dovetail.core.linear import Modes
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.chain.attitude import last_link_frame, link_rotation, tilt_angles
from dovetail.mechanics.chain.base import ChainLoads, ChainNodes, ChainSolution, link_differences
from dovetail.mechanics.chain.drum import Drum, IdealDrum, chain_and_drum_rates
from dovetail.mechanics.chain.length import ContactReel, ReelLaw, remaining_length
from dovetail.mechanics.chain.trim import AtRest, at_rest, modes_about
from dovetail.mechanics.chain.waves import wave_speeds
from dovetail.mechanics.motion import FixedFrame, FrameMotion, PointMotion
from dovetail.mechanics.spatial.relative import relative_motion
from dovetail.mechanics.spatial.rotation import logarithm


class TrailingHose(TowedLine):
    """Base of hoses behind a tanker, with a drogue; by default the published flight at 8000 m."""

    large: ClassVar[bool] = True

    drogue: TowedDrogue = TowedDrogue()
    reel: ReelLaw = ContactReel()
    tow_point: Parameter = parameter(
        "m", "position of the tow point in the tanker's frame, (3,)", default=(-21.14, 0.0, -0.5)
    )
    airspeed: Parameter = parameter("m/s", "true airspeed", default=200.0, at_least=0.0)
    altitude: Parameter = parameter("m", "altitude", default=8000.0)
    density: OptionalParameter = parameter(
        "kg/m^3", "density of the air [Bolien 2018, sec. 3.5]", default=0.525, at_least=0.0
    )

    @abstractmethod
    def steady_loads(self, x: Any) -> ChainLoads:
        """Loads on the hose in a state, for steady flight."""

    @property
    def pull(self) -> jax.Array:
        """Drag and weight (3,) [N] of the drogue in steady flight."""
        return self.drogue.pull(self.steady_wind(), self.stream.density, self.weight_field())

    def steady(self) -> AtRest:
        """Hose in steady flight at full length."""
        return at_rest(
            self.loaded_chain, Partial(type(self).steady_loads, self), unit(self.pull), what="hose"
        )

    def steady_tow(self) -> PointMotion:
        """Motion of the tow point in steady flight: its initial position, at rest."""
        return PointMotion(self.tow(0.0).position, jnp.zeros(3), jnp.zeros(3))


@kind("drogue-hose")
class DrogueHose(TrailingHose, Substructure):
    """Tanker, drum, hose and drogue in air, with the receiver's nozzle; six interface axes."""

    rotary_axes: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    # a contact lasts hundreds of ticks: fourth order is accurate enough and compiles ten times faster
    reference_settings: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 1}

    receiver: Receiver = Receiver()
    drum: Drum = IdealDrum()
    motion: FrameMotion = FixedFrame()
    bow_wave: HalfBody | None = None
    contact_threshold: Parameter = parameter(
        "N", "force above which contact is detected", default=1.0, above=0.0
    )

    def __check_init__(self) -> None:
        self.drogue.attach_to(self.chain)  # raises an error if the chain cannot carry a body

    @property
    def loaded_chain(self) -> Any:
        """Hose with the drogue at its end."""
        return self.drogue.attach_to(self.chain)

    def init(self) -> dict[str, Any]:
        return _initial_state(self, self.steady().state)

    def steady_loads(self, x: Any) -> ChainLoads:
        tow = self.steady_tow()
        return self._loads(0.0, self.nodes(x, tow), tow, None, jnp.zeros(6))

    def _loads(self, t, nodes: ChainNodes, tow: PointMotion, nozzle, wrench) -> ChainLoads:
        n = self.chain.links

        def wind(r, v):
            air = self.local_wind(t, r, v)
            if self.bow_wave is None or nozzle is None:
                return air
            return air + self.bow_wave.velocity(t, r - nozzle[:, None], self.stream)

        link, tip_wind = self.air_loads(nodes, n, wind)
        arm = nodes.position[:, -2] - nodes.position[:, -1]
        l = jnp.sqrt(arm @ arm)
        up = arm / l
        zero = -unit(self.pull if self.drogue.aero_zero == "trim" else tip_wind)
        R = link_rotation(up)
        pair = self.drogue.restoring(up, l, zero) + R @ couple(wrench[3:], l)
        drag = self.drogue.force(tip_wind, self.stream.density)
        ends = jnp.stack([R @ wrench[:3] - pair, drag + pair], axis=1)
        node = jnp.concatenate([jnp.zeros((3, n)), ends], axis=1)
        return ChainLoads(self.weight_field() - tow.acceleration, node, link)

    def _length(self, x, reel):
        return remaining_length(self.chain.length, (x["reeled"], x["reel_speed"], reel))

    def _solution(self, t, x, force) -> tuple[ChainNodes, jax.Array, ChainLoads, ChainSolution, jax.Array]:
        """Nodes, acceleration of the tow point, loads, solution of the chain, and acceleration of the reel."""
        tow = self.tow(t)
        nodes = self.nodes(x["hose"], tow, self._length(x, 0.0))
        loads = self._loads(t, nodes, tow, self.nozzle(t, x["datum"])[0], _wrench(force))
        reel_demand = self.reel.reeled_length(t, x["since_contact"], self.chain.length)

        def loads_at(reel):
            return dataclasses.replace(loads, length=self._length(x, reel))

        drive = self.drum.drive(reel_demand, x["reeled"], x["reel_speed"])
        solved, reel = chain_and_drum_rates(
            lambda reel: self.loaded_chain.solve(t, x["hose"], loads_at(reel)), drive
        )
        return nodes, tow.acceleration, loads_at(reel), solved, reel

    def derivative(self, t: Time, x: State, u: Input) -> State:
        _, _, loads, solved, reel = self._solution(t, x, u["force"])
        impulse, power = self.loaded_chain.energy_balance(x["hose"], loads, solved)
        in_contact = (x["since_contact"] > 0) | jnp.any(
            jnp.abs(_wrench(u["force"])[:3]) > self.contact_threshold
        )
        return {
            "hose": solved.rate,
            "reeled": x["reel_speed"],
            "reel_speed": reel,
            "since_contact": jnp.where(in_contact, 1.0, 0.0),
            "datum": jnp.zeros_like(x["datum"]),
            "impulse": impulse,
            "work": power,
        }

    def output(self, t: Time, x: State, u: Input) -> Output:
        nodes, tow_acceleration, loads, solved, _ = self._solution(t, x, u["force"])
        r = nodes.position
        drogue, attitude = last_link_frame(r, nodes.velocity, tow_acceleration[:, None] + solved.acceleration)
        initial = self.receiver.initial_pose
        nozzle = self.nozzle(t, x["datum"])
        ahead = x["datum"][3:]
        pose, motion = relative_motion(drogue, nozzle, link_rotation(ahead) @ initial.R, initial)
        momentum, energy = self.loaded_chain.momentum_and_energy(x["hose"], loads)
        return {
            **motion,
            "nozzle_pose": jnp.concatenate([pose.p, logarithm(pose.R)]),
            "drogue_position": r[:, -1],
            "ball_joint_position": r[:, -2],
            "nozzle_position": nozzle[0],
            "drogue_attitude_change": attitude - tilt_angles(ahead),
            "end_tension": solved.tension[-2],
            "tow_tension": solved.tension[0],
            "reeled_length": x["reeled"],
            "hose_position": r,
            "momentum_residual": momentum - x["impulse"],
            "kinetic_energy": energy,
            "energy_residual": energy - x["work"],
        }

    def nozzle(self, t, datum) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Position, velocity and acceleration of the nozzle in the tanker's frame, (3,) each."""
        position, velocity, acceleration = self.receiver.path(t)
        R = link_rotation(datum[3:])
        return datum[:3] + R @ position, R @ velocity, R @ acceleration


@eqx.filter_jit  # hundreds of small operations would otherwise be compiled one by one
def _initial_state(flow: DrogueHose, hose: Any) -> dict[str, Any]:
    """Return the initial state: steady flight and, as datum, the drogue's position and direction in it."""
    zero = jnp.zeros(())
    r = flow.nodes(hose, flow.tow(0.0)).position
    momentum, energy = flow.loaded_chain.momentum_and_energy(hose)  # to which impulse and work are added
    datum = jnp.concatenate([r[:, -2], unit(r[:, -2] - r[:, -1])])
    x = {"hose": hose, "reeled": zero, "reel_speed": zero, "since_contact": zero}
    return x | {"datum": datum, "impulse": momentum, "work": energy}


@eqx.filter_jit
def steady_flight(flow: DrogueHose) -> dict[str, jax.Array]:
    """Steady flight: angles (2, n) about y and z, tensions, positions, largest residual acceleration, wave speeds."""
    chain, rest = flow.loaded_chain, flow.steady()
    r = flow.nodes(rest.state, flow.tow(0.0)).position
    along = link_differences(r)
    l = jnp.linalg.norm(along, axis=0)
    solved = chain.solve(0.0, rest.state, flow.steady_loads(rest.state))
    speed = wave_speeds(rest.tension[:-1], flow.chain.mass / flow.chain.length)
    return {
        "angles": tilt_angles(-along / l),
        "tension": rest.tension,
        "ball_joint": r[:, -2],
        "centre": r[:, -1],
        "residual": jnp.max(jnp.abs(solved.acceleration)),
        "wave_speed": speed,
        "wave_time": jnp.sum(l[:-1] / speed),
    }


def flight_modes(flow: DrogueHose, *, planar: bool = True) -> Modes:
    """Modes about steady flight, slowest first; `planar` selects those in the vertical plane (chains with angles)."""
    rows = (0,) if planar else None
    return modes_about(flow.loaded_chain, Partial(DrogueHose.steady_loads, flow), flow.steady().state, rows)


def _wrench(force) -> jax.Array:
    return jnp.broadcast_to(jnp.asarray(force, float), (6,))
