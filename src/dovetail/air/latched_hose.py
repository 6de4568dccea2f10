r"""Hose after coupling: its end follows the receiver's nozzle, and waves travel along the hose.

The receiver still moves forward when it couples. A straight hose of rigid links can only take up this motion by
whipping sideways: at 1.5 m/s the impulse of coupling alone would require hundreds of kilonewtons, and links would carry
compression where a hose goes slack. The chain must therefore be elastic, unable to carry compression, and prescribed at
its end. Weight, drag, bending and reel are those of the hose before coupling. The initial state is the hose's own
steady flight. After coupling the probe carries the drogue. The motion of the end is prescribed, as in [Bolien 2018,
sec. 3.5, eqs 3.51 to 3.54]. Axial stiffness and loss are unpublished, and the tensions depend on them: the bending
modulus times the hose's cross-section is a starting value; a woven hose is stiffer.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp

from dovetail.air.drogue_hose import TrailingHose
from dovetail.core import Input, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.kind_names import name_of
from dovetail.mechanics.chain.base import ChainLoads, ChainNodes, ChainSolution
from dovetail.mechanics.chain.elastic import ElasticChain
from dovetail.mechanics.chain.waves import follow_waves
from dovetail.mechanics.motion import BrakingPoint, FrameMotion, PointMotion


@kind("latched-hose")
class LatchedHose(TrailingHose):
    """Tanker, drum and hose in air after latching: the receiver's nozzle prescribes the end's motion. No input."""

    nozzle: FrameMotion = BrakingPoint()
    latch_delay: Parameter = parameter(
        "s", "time from first contact to the latch, for the reel", default=0.08, at_least=0.0
    )

    def __check_init__(self) -> None:
        if not isinstance(self.chain, ElasticChain):
            raise ParameterError(
                f"LatchedHose.chain: '{name_of(type(self.chain))}' cannot stretch and go slack, but the prescribed "
                "motion of the hose's end requires it. Use kind 'elastic-chain'"
            )

    def init(self) -> dict[str, Any]:
        rope = self.steady().state
        return {"hose": rope, "end": self.nodes(rope, self.steady_tow()).tip[0]}

    @property
    def loaded_chain(self) -> Any:
        """Hose before the latch with a free end; the drogue's pull is a load."""
        return self.chain

    def steady_loads(self, x: Any) -> ChainLoads:
        tow = self.steady_tow()
        loads = self._loads(0.0, self.nodes(x, tow), tow)
        node = jnp.zeros((3, self.chain.links + 1)).at[:, -1].set(self.pull)
        return dataclasses.replace(loads, node=node)

    def _loads(self, t, nodes: ChainNodes, tow: PointMotion) -> ChainLoads:
        link, _ = self.air_loads(nodes, self.chain.links, lambda r, v: self.local_wind(t, r, v))
        return ChainLoads(self.weight_field() - tow.acceleration, link=link)

    def _solution(self, t, x) -> tuple[ChainNodes, PointMotion, ChainLoads, ChainSolution]:
        """Solve the hose with its end prescribed by the nozzle's motion."""
        tow, nozzle = self.tow(t), self.nozzle.point(t, jnp.zeros(3))
        end = PointMotion(nozzle.position + x["end"], nozzle.velocity, nozzle.acceleration)
        state = {
            "position": x["hose"]["position"].at[:, -1].set(end.position - tow.position),
            "velocity": x["hose"]["velocity"].at[:, -1].set(end.velocity - tow.velocity),
        }
        length = self.reel.paid_out_length(t, self.chain.length, t + self.latch_delay)
        nodes = self.nodes(state, tow, length)
        loads = dataclasses.replace(
            self._loads(t, nodes, tow), tip_acceleration=end.acceleration - tow.acceleration, length=length
        )
        chain: Any = self.chain
        solved = dataclasses.replace(chain, tip="prescribed").solve(t, state, loads)
        return nodes, end, loads, solved

    def derivative(self, t: Time, x: State, u: Input) -> State:
        *_, solved = self._solution(t, x)
        return {"hose": solved.rate, "end": jnp.zeros(3)}

    def output(self, t: Time, x: State, u: Input) -> dict[str, Any]:
        nodes, end, loads, solved = self._solution(t, x)
        r = nodes.position
        # the drogue is behind its ball joint, aligned with the probe
        behind = r[:, -1:] - self.drogue.arm * jnp.array([[1.0], [0.0], [0.0]])
        return {
            "displacement": end.position,
            "velocity": end.velocity,
            "acceleration": end.acceleration,
            "tension": solved.tension,
            "hose_position": jnp.concatenate([r, behind], axis=1),
            "end_tension": solved.tension[-1],
            "tow_tension": solved.tension[0],
            "reeled_length": self.chain.length - loads.length[0],
        }

    def measures(self, data: Any) -> dict[str, str]:
        """Results of a recorded simulation: waves, whip and tensions."""
        t, tow, end = (data[name].values for name in ("time", "tow_tension", "end_tension"))
        wave = follow_waves(t, data["hose_position"].values)
        slack = (data["tension"].values <= 0).any(axis=1)
        step = t[1] - t[0]
        return {
            "tow end fastest sideways": f"{wave.at_support:.2f} s after the latch",
            "drogue end again": f"{wave.back:.2f} s after the latch",
            "whip": f"{wave.whip:.3g} m/s largest sideways speed after the return",
            "tension at the tow point": f"{tow.min():.0f} to {tow.max():.0f} N",
            "tension at the end": f"{end.min():.0f} to {end.max():.0f} N",
            "a link is slack": f"for {step * slack.sum():.2f} s in total",
        }
