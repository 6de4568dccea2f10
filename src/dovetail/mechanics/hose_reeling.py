r"""Reeling in a hose that lies in an S, with nothing else acting: how models of reel-in compare.

`ReelIn` shortens links at the tow point (see `Hose.shrink` and `Hose.transfer`). `DuctReelIn` keeps all links and draws
the whole chain into a duct: its upper end is a carriage on the drum's actuator, and once a link is inside, a torsional
spring and damper at its joint turn it in line with the one before. Of it the published Model B has 19 hose links,
Model C 38; spring and damper are unpublished. With a `guide`, a wall that the publication leaves out, it tends to the
same limit as the sliding hose as links grow short. Source: [Bolien 2018, sec. 3.5.3].
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Flow, kind, parameter
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics.chain.base import after, before, dot
from dovetail.mechanics.hose import Hose, HoseMotion, HoseSolved
from dovetail.mechanics.hose_reel import Drum, HoseDrum, ReelLaw, TimedReel

BARE = Hose(shrink="uniform", transfer="printed", tow_point=(0.0, 0.0, 0.0))
TOLD = TimedReel(distance=5 * 27 / 19, duration=5.0, start=0.5)


@kind("reel-in")
class ReelIn(Flow):
    r"""A hose in an S of angle :math:`A\cos(2\pi\sigma/L)`, at rest, reeled in by its drum; no other force acts."""

    hose: Hose = BARE
    reel: ReelLaw = TOLD
    drum: Drum = HoseDrum()
    amplitude: jax.Array = parameter("rad", "largest angle of the S", default=jnp.pi / 4)

    def init(self) -> tuple[dict[str, jax.Array], dict[str, jax.Array]]:
        links = self.hose.links
        along = (jnp.arange(links) + 0.5) / links
        y = self.amplitude * jnp.cos(2 * jnp.pi * jnp.append(along, 1.0))
        angles, zero = jnp.stack([y, 0 * y]), jnp.zeros(())
        return {"angles": angles, "reeled": zero}, {"angles": 0 * angles, "reeled": zero}

    def solve(self, t, x) -> tuple[HoseMotion, HoseSolved]:
        """Motion, accelerations and tensions."""
        q, v = x
        m = self.hose.motion(q["angles"], v["angles"], q["reeled"], v["reeled"])
        drive = self.drum.drive(self.reel.told(t, t), q["reeled"], v["reeled"])
        return m, self.hose.solve(m, jnp.zeros_like(m.n), drive)

    def derivative(self, t, x, u):
        _, solved = self.solve(t, x)
        return x[1], {"angles": solved.angles, "reeled": solved.reel}

    def output(self, t, x, u) -> dict[str, Any]:
        m, solved = self.solve(t, x)
        return {
            "displacement": m.r[:, -1],
            "velocity": m.v[:, -1],
            "acceleration": solved.acceleration[:, -1],
            "tension": solved.tension,
            "hose_position": m.r,
            "tipping": m.angles[:, -1],
            "reeled_length": x[0]["reeled"],
            "reel_speed": x[1]["reeled"],
            "reel_error": x[0]["reeled"] - self.reel.told(t, t)[0],
        }


@kind("duct-reel-in")
class DuctReelIn(ReelIn):
    """The same hose with links of fixed length, drawn as a whole into a duct that turns them in line."""

    hose: Hose = Hose(shrink="none", tow_point=(0.0, 0.0, 0.0))
    spring: jax.Array = parameter("N m/rad", "of a joint in the duct", default=500.0, at_least=0.0)
    damper: jax.Array = parameter("N m s", "of a joint in the duct", default=50.0, at_least=0.0)
    guide: jax.Array = parameter("N/m", "of the duct's wall on a joint inside", default=0.0, at_least=0.0)
    guide_damping: jax.Array = parameter(
        "N s/m", "of the duct's wall on a joint inside", default=0.0, at_least=0.0
    )
    entry: jax.Array = parameter(
        "m", "way beyond the tow point over which they come on", default=0.02, above=0.0
    )

    def solve(self, t, x):
        q, v = x
        duct = self.hose.duct
        top = self.hose.tow_point[None] + jnp.stack([q["reeled"], v["reeled"]])[:, None] * duct
        top = top.at[1].add(-self.hose.tow_point)
        m = self.hose.motion(q["angles"], v["angles"], 0.0, 0.0, top)
        # a link is inside when its lower end is; the moment turns it in line with the one above
        inside = jnp.clip((m.r[:, 1:] - self.hose.tow_point[:, None]).T @ duct / self.entry, 0.0, 1.0)
        inside = inside.at[-1].set(0.0)  # the drogue stays outside
        y, rate = m.angles[0], m.rates[0]
        moment = -inside * (
            self.spring * (y - before(y, self.hose.duct_angle)) + self.damper * (rate - before(rate))
        )
        on_link = moment - after(moment)
        e_y, _ = geometry.tangents(m.angles, m.l)
        pair = on_link / dot(e_y, e_y) * e_y
        pull, inertia = self.drum.drive(self.reel.told(t, t), q["reeled"], v["reeled"])
        drive = (pull - pair[:, 0] @ duct, inertia)
        place, speed = m.r[:, 1:] - self.hose.tow_point[:, None], m.v[:, 1:]
        wall = self.guide * place + self.guide_damping * speed
        wall = -inside * (wall - duct[:, None] * (duct @ wall))
        return m, self.hose.solve(m, pair - after(pair) + wall, drive, carriage=duct)
