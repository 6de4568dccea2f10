r"""A hose whose drogue has coupled: its end goes where the nozzle goes, and waves run up the hose and back.

The receiver still comes on when it has coupled. A hose of rigid links, straight as it is, can only take that up by
whipping sideways: at 1.5 m/s the impulse of coupling alone asks for hundreds of kilonewtons, and links push that should
go slack. So the chain must be one that stretches and cannot push, its end held; weight, drag, bending and reel are
those of the hose before. It starts in its own steady flight; the drogue is the probe's burden from then on. The end's
motion is given, as in [Bolien 2018, sec. 3.5, eqs 3.51 to 3.54]; axial stiffness and loss are unpublished, and tensions
hang on them: the modulus of bending times the hose's section is a beginning, a woven hose is stiffer.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.air.drogue import DOWN
from dovetail.air.trailing_rope import FAR, Trailed, TrailingHose
from dovetail.air.wind import ended
from dovetail.core import kind, parameter
from dovetail.core.errors import Fault, ParameterError
from dovetail.core.kinds import name_of
from dovetail.mechanics.chain.attitude import flown, towed
from dovetail.mechanics.chain.base import Loads, Solved
from dovetail.mechanics.chain.elastic import ElasticChain
from dovetail.mechanics.chain.waves import follow_waves
from dovetail.mechanics.motion import BrakingPoint, FrameMotion


@kind("latched-hose")
class LatchedHose(TrailingHose):
    """Tanker, drum and hose in their air, its end held by the receiver's nozzle from the latch on; no input."""

    nozzle: FrameMotion = BrakingPoint()
    since_contact: jax.Array = parameter(
        "s", "from first contact to the latch, for the reel", default=0.08, at_least=0.0
    )

    def __check_init__(self):
        if not isinstance(self.chain, ElasticChain):
            raise ParameterError(
                f"LatchedHose.chain: {name_of(type(self.chain))} does not stretch link by link and go slack, but an "
                "end that comes on while it is held asks for it. Do: take an elastic-chain"
            )

    def time_faults(self, duration: float) -> list[Fault]:
        """Winds that end before the run does."""
        return ended({"system.air.wake": self.air.wake, "system.air.gusts": self.air.gusts}, duration)

    def _chain(self, end: str) -> Any:
        chain: Any = self.chain
        return dataclasses.replace(chain, end=end)

    @property
    def _tow(self) -> jax.Array:
        return jnp.zeros((3, 3)).at[0].set(self.tow_point)

    def init(self) -> dict[str, Any]:
        rope = self.steady().state
        return {"hose": rope, "end": self.tow_point + towed(rope["position"][:, -1])}

    @property
    def loaded_chain(self) -> Any:
        """The hose before the latch, its end free; the drogue's pull is a load."""
        return self._chain("free")

    def still_loads(self, x: Any) -> Loads:
        loads = self._loads(0.0, Trailed(self.loaded_chain, x, self._tow))
        node = jnp.zeros((3, self.chain.links + 1)).at[:, -1].set(self.pull)
        return dataclasses.replace(loads, node=node)

    def _loads(self, t, hose: Trailed) -> Loads:
        link, _ = hose.drag(self.drag, self.air, t, FAR, hose.l.size)
        return Loads(towed(self.gravity * DOWN), link=link)

    def _solved(self, t, x) -> tuple[Any, Trailed, jax.Array, Loads, Solved]:
        """The rope with its end where the nozzle is, and what it does."""
        end = jnp.stack(self.nozzle.point(t, jnp.zeros(3))).at[0].add(x["end"])
        held = {
            "position": x["hose"]["position"].at[:, -1].set(towed(end[0] - self.tow_point)),
            "velocity": x["hose"]["velocity"].at[:, -1].set(towed(end[1])),
        }
        length = self.reel.paid_out(t, self.chain.length, t + self.since_contact)
        chain = self._chain("held")
        hose = Trailed(chain, held, self._tow)
        loads = dataclasses.replace(self._loads(t, hose), end=towed(end[2]), length=length)
        return held, hose, end, loads, chain.solve(t, held, loads)

    def derivative(self, t, x, u):
        *_, solved = self._solved(t, x)
        return {"hose": solved.rate, "end": jnp.zeros(3)}

    def output(self, t, x, u) -> dict[str, Any]:
        _, hose, end, loads, solved = self._solved(t, x)
        # the drogue lies behind its ball joint in line with the probe
        r = flown(hose.r)
        behind = r[:, -1:] - self.drogue.arm * jnp.array([[1.0], [0.0], [0.0]])
        return {
            "displacement": end[0],
            "velocity": end[1],
            "acceleration": end[2],
            "tension": solved.tension,
            "hose_position": jnp.concatenate([r, behind], axis=1),
            "end_tension": solved.tension[-1],
            "tow_tension": solved.tension[0],
            "reeled_length": self.chain.length - loads.length[0],
        }

    def measures(self, data: Any) -> dict[str, str]:
        """Waves, whip and tensions of a recorded simulation, named."""
        t, tow, end = (data[name].values for name in ("time", "tow_tension", "end_tension"))
        wave = follow_waves(t, data["hose_position"].values)
        slack = (data["tension"].values <= 0).any(axis=1)
        step = t[1] - t[0]
        return {
            "tow end fastest sideways": f"{wave.at_support:.2f} s after the latch",
            "drogue end again": f"{wave.back:.2f} s after the latch",
            "whip": f"{wave.whip:.3g} m/s sideways at most, from then on",
            "tension at the tow point": f"{tow.min():.0f} to {tow.max():.0f} N",
            "tension at the end": f"{end.min():.0f} to {end.max():.0f} N",
            "a link is slack": f"for {step * slack.sum():.2f} s in all",
        }
