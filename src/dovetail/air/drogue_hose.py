r"""A drogue on its hose behind a tanker, and a receiver's nozzle on its way: the numerical part of a refuelling test.

The hose is any chain whose length may change, the drogue the body at its end. What crosses the interface is the pose of
the nozzle N in the drogue's frame D (origin in the ball joint, x forward along the drogue's axis, y to starboard, z
down), counted from where it is at the start, so that a rig starts from rest:

.. math:: z = \left(p_{DN} - p_{DN}(0),\; \log\!\left(R_{DN}(0)^{\mathsf T} R_{DN}\right)\right)

three lengths in the axes of D and a rotation vector. What comes back is the contact's wrench on the drogue about
the ball joint, in the axes of D; its moment about the drogue's axis is lost, as twist is locked. A spring at
the contact thus answers a forward motion of the nozzle with a forward force. The pose itself is recorded as
`nozzle_pose`.

The receiver's line is laid out from the drogue's place in steady flight, which the state keeps as `datum`; the
time since first contact, which starts the reel, is a state as well. So are the impulse and the work of all forces, seen
from the tow point: what momentum and energy of the hose differ from them by is recorded as an audit of every run.
Source: [Bolien 2018, secs 3.5 and 5-IV].
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.tree_util import Partial

from dovetail.air.drogue import DOWN, couple, unit
from dovetail.air.receiver import Receiver
from dovetail.air.trailing_rope import FAR, Trailed, TrailingHose
from dovetail.core import RK4, kind, parameter
from dovetail.core.linear import Modes
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.chain.attitude import flown, pointing, rotation, tail, tilt, towed
from dovetail.mechanics.chain.base import Loads, Solved
from dovetail.mechanics.chain.drum import Drum, ExactDrum, driven
from dovetail.mechanics.chain.length import remaining
from dovetail.mechanics.chain.trim import modes_about
from dovetail.mechanics.chain.waves import wave_speeds
from dovetail.mechanics.motion import FrameMotion, Still
from dovetail.mechanics.spatial.relative import seen_from
from dovetail.mechanics.spatial.rotation import logarithm


@kind("drogue-hose")
class DrogueHose(TrailingHose, Substructure):
    """Tanker, drum, hose and drogue in their air, and the receiver's nozzle; six interface axes."""

    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    # contact lasts hundreds of ticks: fourth order is enough, and compiles in a tenth of the time
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 1}

    receiver: Receiver = Receiver()
    drum: Drum = ExactDrum()
    tow: FrameMotion = Still()
    touch: jax.Array = parameter("N", "force that counts as contact", default=1.0, above=0.0)

    def __check_init__(self):
        self.drogue.behind(self.chain)  # refuses chains that cannot carry a body

    @property
    def loaded_chain(self) -> Any:
        """The hose with the drogue at its end."""
        return self.drogue.behind(self.chain)

    def init(self) -> dict[str, Any]:
        return _start(self, self.steady().state)

    def still_loads(self, x: Any) -> Loads:
        tow = self._tow(0.0).at[1:].set(0.0)
        return self._loads(0.0, Trailed(self.loaded_chain, x, tow), tow, FAR, jnp.zeros(6))

    def _tow(self, t) -> jax.Array:
        """Place, velocity and acceleration of the tow point, (3, 3)."""
        return jnp.stack(self.tow.point(t, self.tow_point))

    def _loads(self, t, hose: Trailed, tow, nozzle, wrench) -> Loads:
        n = hose.l.size
        link, wind = hose.drag(self.drag, self.air, t, nozzle, n - 1)
        density = self.air.stream()[1]
        up, l = -hose.u[:, -1], hose.l[-1]
        zero = -unit(self.pull if self.drogue.aero_zero == "trim" else wind)
        R = pointing(up)
        pair = self.drogue.restoring(up, l, zero) + R @ couple(wrench[3:], l)
        ends = jnp.stack([R @ wrench[:3] - pair, self.drogue.force(wind, density) + pair], axis=1)
        node = jnp.concatenate([jnp.zeros((3, n - 1)), ends], axis=1)
        return Loads(towed(self.gravity * DOWN - tow[2]), node, link)

    def _place(self, t, x) -> tuple[Any, jax.Array, Trailed]:
        chain, tow = self.loaded_chain, self._tow(t)
        return chain, tow, Trailed(chain, x["hose"], tow, self._length(x, 0.0))

    def _length(self, x, reel):
        return remaining(self.chain.length, (x["reeled"], x["reel_speed"], reel))

    def _solved(self, t, x, force) -> tuple[Trailed, jax.Array, Loads, Solved, jax.Array]:
        chain, tow, hose = self._place(t, x)
        loads = self._loads(t, hose, tow, self.nozzle(t, x["datum"])[0], _six(force))
        demanded = self.reel.taken_in(t, x["since_contact"], self.chain.length)

        def at(reel):
            return dataclasses.replace(loads, length=self._length(x, reel))

        drive = self.drum.drive(demanded, x["reeled"], x["reel_speed"])
        solved, reel = driven(lambda reel: chain.solve(t, x["hose"], at(reel)), drive)
        return hose, tow, at(reel), solved, reel

    def derivative(self, t, x, u):
        _, _, loads, solved, reel = self._solved(t, x, u["force"])
        impulse, power = self.loaded_chain.balance(x["hose"], loads, solved)
        touched = (x["since_contact"] > 0) | jnp.any(jnp.abs(_six(u["force"])[:3]) > self.touch)
        return {
            "hose": solved.rate,
            "reeled": x["reel_speed"],
            "reel_speed": reel,
            "since_contact": jnp.where(touched, 1.0, 0.0),
            "datum": jnp.zeros_like(x["datum"]),
            "impulse": impulse,
            "work": power,
        }

    def output(self, t, x, u):
        hose, tow, loads, solved, _ = self._solved(t, x, u["force"])
        r, v = flown(hose.r), flown(hose.v)
        drogue, tipped = tail(r, v, tow[2][:, None] + flown(solved.acceleration))
        home = self.receiver.home
        nozzle = self.nozzle(t, x["datum"])
        pose, motion = seen_from(drogue, nozzle, rotation(x["datum"][3:]) @ home.R, home)
        momentum, energy = self.loaded_chain.account(x["hose"], loads)
        return {
            **motion,
            "nozzle_pose": jnp.concatenate([pose.p, logarithm(pose.R)]),
            "drogue_position": r[:, -1],
            "ball_joint_position": r[:, -2],
            "nozzle_position": nozzle[0],
            "tipping": tipped - x["datum"][3:],
            "end_tension": solved.tension[-2],
            "tow_tension": solved.tension[0],
            "reeled_length": x["reeled"],
            "hose_position": r,
            "momentum_residual": flown(momentum - x["impulse"]),
            "kinetic_energy": energy,
            "energy_residual": energy - x["work"],
        }

    def nozzle(self, t, datum) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Place, velocity and acceleration of the nozzle in the tanker's frame, (3,) each."""
        place, velocity, acceleration = self.receiver.path(t)
        R = rotation(datum[3:])
        return datum[:3] + R @ place, R @ velocity, R @ acceleration


@eqx.filter_jit  # some hundred small operations, each of which would compile by itself
def _start(flow: DrogueHose, hose: Any) -> dict[str, Any]:
    """Steady flight, and the drogue's place in it."""
    chain, zero = flow.loaded_chain, jnp.zeros(())
    x = {"hose": hose, "reeled": zero, "reel_speed": zero, "since_contact": zero}
    _, _, placed = flow._place(0.0, x)
    momentum, energy = chain.account(hose)  # of the start, to which impulse and work add up
    datum = jnp.concatenate([flown(placed.r[:, -2]), tilt(flown(placed.u[:, -1]))])
    return x | {"datum": datum, "impulse": momentum, "work": energy}


@eqx.filter_jit
def steady_flight(flow: DrogueHose) -> dict[str, jax.Array]:
    """Angles (2, n) about y and z, tensions and places in steady flight, the largest acceleration left, and waves."""
    chain, rest = flow.loaded_chain, flow.steady()
    hose = Trailed(chain, rest.state, flow._tow(0.0))
    solved = chain.solve(0.0, rest.state, flow.still_loads(rest.state))
    speed = wave_speeds(rest.tension[:-1], flow.chain.mass / flow.chain.length)
    return {
        "angles": tilt(flown(hose.u)),
        "tension": rest.tension,
        "ball_joint": flown(hose.r[:, -2]),
        "centre": flown(hose.r[:, -1]),
        "residual": jnp.max(jnp.abs(solved.acceleration)),
        "wave_speed": speed,
        "wave_time": jnp.sum(hose.l[:-1] / speed),
    }


def flight_modes(flow: DrogueHose, *, planar: bool = True) -> Modes:
    """Modes about steady flight, slowest first: of a hose by angles those of the vertical plane, or all."""
    rows = (0,) if planar else None
    return modes_about(flow.loaded_chain, Partial(DrogueHose.still_loads, flow), flow.steady().state, rows)


def _six(force) -> jax.Array:
    return jnp.broadcast_to(jnp.asarray(force, float), (6,))
