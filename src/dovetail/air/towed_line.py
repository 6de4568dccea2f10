r"""Line towed through the air: the common part of ropes and hoses behind an aircraft, or hung from any moving support.

The wind at a point of the line is the stream minus the point's velocity, plus steady wind, wake and gusts:

.. math:: w = -V\hat x + v_{wind} + v_{wake}(r) + v_{gust}(t, x) - \dot r

Axes: x forward, y to port, z up. They are those of the towing aircraft in steady flight, and do not rotate with it. In
a glide the x axis points down along the path, and gravity is tilted.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.atmosphere import StandardAtmosphere, gravity
from dovetail.air.cylinder import CableDrag
from dovetail.air.wind import FreeStream, StillAir, WindField, data_end_faults
from dovetail.core import Flow, OptionalParameter, Parameter, choice, parameter
from dovetail.core.errors import Fault
from dovetail.mechanics.chain.base import Chain, ChainNodes, dot, link_differences
from dovetail.mechanics.chain.length import ReelLaw
from dovetail.mechanics.motion import FixedFrame, PointMotion, SupportMotion

FORWARD = np.array([1.0, 0.0, 0.0])


class TowedLine(Flow):
    """Base of lines behind an aircraft: chain, reel, motion of the tow point, air and gravity.

    The default `density` is that of the standard atmosphere at `altitude`. `descent_angle` tilts gravity against the
    stream (glide). With `gravity_model = "altitude"`, gravity is the sea-level value reduced with the square of the
    distance from the earth's centre. Wing-tip vortices lie at the wing's span and height, so the origin of the wake may
    differ from the tow point.
    """

    chain: Chain
    drag: CableDrag | None = None
    reel: ReelLaw | None = None
    motion: SupportMotion = FixedFrame()
    wake: WindField = StillAir()
    gusts: WindField = StillAir()
    tow_point: Parameter = parameter(
        "m", "position of the tow point in the aircraft's frame, (3,)", default=(0.0, 0.0, 0.0)
    )
    wake_origin: Parameter = parameter(
        "m", "origin of wake and gusts from the tow point, (3,)", default=(0.0, 0.0, 0.0)
    )
    airspeed: Parameter = parameter("m/s", "true airspeed", default=170.0, at_least=0.0)
    altitude: Parameter = parameter("m", "altitude", default=5000.0)
    density: OptionalParameter = parameter("kg/m^3", "density of the air", default=None, at_least=0.0)
    wind: Parameter = parameter(
        "m/s", "steady wind velocity added to the free stream, (3,)", default=(0.0, 0.0, 0.0)
    )
    gravity: Parameter = parameter("m/s^2", "acceleration of gravity", default=9.81, at_least=0.0)
    descent_angle: Parameter = parameter("rad", "angle of descent", default=0.0)
    gravity_model: str = choice(
        "constant", "altitude", about="whether gravity decreases with altitude", default="constant"
    )
    airflow: str = choice("off", "on", about="whether the air stream is included", default="on")

    @property
    @abstractmethod
    def loaded_chain(self) -> Any:
        """Chain with the body at its end."""

    @property
    def stream(self) -> FreeStream:
        """Free stream; without airflow its density is zero."""
        density = StandardAtmosphere().density(self.altitude) if self.density is None else self.density
        return FreeStream(self.airspeed, density if self.airflow == "on" else jnp.zeros(()))

    def steady_wind(self) -> jax.Array:
        """Wind (3,) [m/s] past a point at rest in the aircraft's frame, undisturbed."""
        return self.wind - self.airspeed * FORWARD

    def weight_field(self) -> jax.Array:
        """Gravity (3,) [m/s^2]."""
        zero, g = jnp.zeros(()), self.gravity
        if self.gravity_model == "altitude":
            g = gravity(self.altitude, g)
        return g * jnp.stack([jnp.sin(self.descent_angle), zero, -jnp.cos(self.descent_angle)])

    def local_wind(self, t: Any, r: jax.Array, v: jax.Array) -> jax.Array:
        """Wind (3, n) [m/s] relative to points r (3, n) [m] with velocities v (3, n) [m/s]."""
        place, stream = r - (self.tow_point + self.wake_origin)[:, None], self.stream
        disturbed = sum(field.velocity(t, place, stream) for field in self._winds.values())
        return self.steady_wind()[:, None] + disturbed - v

    def tow(self, t: Any) -> PointMotion:
        """Motion of the tow point."""
        return self.motion.point(t, self.tow_point)

    def nodes(self, x: Any, tow: PointMotion, length: Any = None) -> ChainNodes:
        """Positions and velocities (3, n + 1) of the nodes of the loaded chain in a state x."""
        relative = self.loaded_chain.nodes(x, length)
        return ChainNodes(
            relative.position + tow.position[:, None], relative.velocity + tow.velocity[:, None]
        )

    def air_loads(
        self, nodes: ChainNodes, links: int, wind: Callable[[jax.Array, jax.Array], jax.Array]
    ) -> tuple[Any, jax.Array]:
        """Drag (3, n) [N] on the first `links` links, zero on others, and the wind (3,) [m/s] relative to the tip.

        `wind` returns the wind relative to points r (3, k) with velocities v (3, k).
        """
        if self.drag is None or self.airflow == "off":
            return 0.0, wind(*(a[:, None] for a in nodes.tip))[:, 0]
        along = link_differences(nodes.position)
        relative = wind(
            *(
                jnp.concatenate([middle[:, :links], tip[:, None]], axis=1)
                for middle, tip in zip(nodes.centres, nodes.tip, strict=True)
            )
        )
        l = jnp.sqrt(dot(along, along))[:links]
        force = self.drag.forces(along[:, :links] / l, l, relative[:, :-1], self.stream.density)
        return jnp.pad(force, ((0, 0), (0, along.shape[1] - links))), relative[:, -1]

    def time_faults(self, duration: float) -> list[Fault]:
        """Faults: wind data that end before the run."""
        return data_end_faults(self._winds, duration)

    @property
    def _winds(self) -> dict[str, WindField]:
        return {"numerical.wake": self.wake, "numerical.gusts": self.gusts}
