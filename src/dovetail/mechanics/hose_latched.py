r"""A hose whose drogue has coupled: its end goes where the nozzle goes, and waves run up the hose and back.

The receiver still comes on when it has coupled. A hose of rigid links, straight as it is, can only take that up by
whipping sideways: at 1.5 m/s the impulse of coupling alone asks for hundreds of kilonewtons, and links push that should
go slack. So here the links stretch, and cannot push: mass k at :math:`r_k` hangs between springs, taut or slack,

.. math:: T_k = \Big\langle EA\,(\varepsilon_k + \tau\dot\varepsilon_k)\Big\rangle, \qquad
          \varepsilon_k = \frac{|r_k - r_{k-1}|}{l_k} - 1 ,

with weight, drag and bending as in `Hose`, and a drum that takes in the first links one after another. It starts from
the steady flight of `Hose`, whose links are the stretched ones. The drogue is the probe's burden from then on. The
end's motion is given, as in [Bolien 2018, sec. 3.5, eqs 3.51 to 3.54]; axial stiffness and loss are unpublished, and
tensions hang on them: the default is the modulus of bending times the hose's section, a woven hose is stiffer.
"""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, kind, parameter
from dovetail.mechanics.chain.base import after, dot
from dovetail.mechanics.hose import Hose, HoseMotion
from dovetail.mechanics.hose_air import HoseAir, UniformAir
from dovetail.mechanics.hose_reel import ContactReel, ReelLaw
from dovetail.mechanics.hose_tow import TowMotion
from dovetail.mechanics.hose_trim import still_forces, trim_report
from dovetail.mechanics.hose_waves import hose_waves


@kind("braking-point")
class BrakingPoint(TowMotion):
    """A point that comes on at a speed and stops in a distance, at a constant deceleration: the receiver's nozzle."""

    speed: jax.Array = parameter("m/s", "at the start", default=1.5, at_least=0.0)
    distance: jax.Array = parameter("m", "in which it stops", default=0.5, above=0.0)
    direction: jax.Array = parameter("1", "in which it moves", default=(1.0, 0.0, 0.0))

    def offset(self, t):
        rate = self.speed**2 / (2 * self.distance)
        late = jnp.minimum(
            t, self.speed / jnp.maximum(rate, 1e-300)
        )  # no kink at the start, whose rate counts
        return self.direction * (self.speed * late - 0.5 * rate * late**2)


@kind("shifted-point")
class ShiftedPoint(TowMotion):
    """A point that is moved aside and stays there, smoothly: what sends one clean wave along a hose."""

    shift: jax.Array = parameter("m", "by which it is moved", default=(0.0, 0.1, 0.0))
    duration: jax.Array = parameter("s", "how long it takes", default=0.1, above=0.0)

    def offset(self, t):
        s = jnp.clip(t / self.duration, 0.0, 1.0)
        return self.shift * s**3 * (10 + s * (6 * s - 15))


@kind("latched-hose")
class LatchedHose(Flow):
    """Tanker, drum and hose in their air, its end held by the receiver's nozzle from the latch on; no input."""

    large: ClassVar[bool] = True

    hose: Hose = Hose()
    air: HoseAir = UniformAir()
    nozzle: TowMotion = BrakingPoint()
    reel: ReelLaw = ContactReel()
    axial_stiffness: jax.Array = parameter(
        "N", "EA; the default is modulus times section", default=3.86e4, above=0.0
    )
    loss_time: jax.Array = parameter("s", "tau of the links", default=5e-3, at_least=0.0)
    since_contact: jax.Array = parameter(
        "s", "from first contact to the latch, for the reel", default=0.08, at_least=0.0
    )

    def init(self) -> dict[str, jax.Array]:
        return _start(self, trim_report(self.hose, self.air))  # type: ignore[no-any-return]

    def lengths(self, t, x) -> jax.Array:
        """Natural lengths (n - 1,) [m] of the hose's links: those of steady flight, less what the drum has taken in."""
        told = self.reel.told(t, t + self.since_contact)
        now, before = self.hose.lengths(told[0])[0][:-1], self.hose.length / self.hose.links
        return x["natural"] * now / before

    def motion(self, t, x) -> HoseMotion:
        """Where hose and drogue are, in the form that the loads of `Hose` take."""
        tow = self.hose.tow_point[:, None]
        end = self.nozzle.motion(t, x["end"])
        # the drogue lies behind its ball joint in line with the probe
        behind = end[0] - jnp.array([1.0, 0.0, 0.0]) * self.hose.drogue_link
        r = jnp.concatenate([tow, x["r"], end[0][:, None], behind[:, None]], axis=1)
        v = jnp.concatenate([jnp.zeros((3, 1)), x["v"], end[1][:, None], end[1][:, None]], axis=1)
        step, rate = r[:, :-1] - r[:, 1:], v[:, :-1] - v[:, 1:]
        l = jnp.sqrt(dot(step, step))
        n = step / l
        l_rate = dot(n, rate)
        turn = (rate - n * l_rate) / l
        natural = self.lengths(t, x)
        mass = jnp.append(self.hose.specific_mass * natural, self.hose.drogue_mass)
        none = jnp.zeros_like(l)
        return HoseMotion(
            jnp.stack([none, none]),
            jnp.stack([none, none]),
            n,
            turn,
            l,
            l_rate,
            none,
            none,
            jnp.zeros(()),
            r,
            v,
            mass,
        )

    def tension(self, t, x, m: HoseMotion) -> jax.Array:
        """(n - 1,) [N] of the hose's links; none where they are slack."""
        natural = self.lengths(t, x)
        strain, rate = m.l[:-1] / natural - 1, m.l_rate[:-1] / natural
        pull = self.axial_stiffness * (strain + self.loss_time * rate)
        return jnp.where(strain > 0, jnp.maximum(pull, 0.0), 0.0)

    def derivative(self, t, x, u):
        m = self.motion(t, x)
        pull = self.tension(t, x, m) * m.n[:, :-1]
        force = still_forces(self.hose, self.air, m, t)[:, :-1] + pull - after(pull)
        still = {"natural": jnp.zeros_like(x["natural"]), "end": jnp.zeros(3)}
        return {"r": x["v"], "v": (force / m.mass[:-1])[:, :-1], **still}

    def output(self, t, x, u) -> dict[str, Any]:
        m = self.motion(t, x)
        pull = self.tension(t, x, m)
        end = self.nozzle.motion(t, x["end"])
        return {
            "displacement": end[0],
            "velocity": end[1],
            "acceleration": end[2],
            "tension": pull,
            "hose_position": m.r,
            "end_tension": pull[-1],
            "tow_tension": pull[0],
            "reeled_length": self.reel.told(t, t + self.since_contact)[0],
        }

    def measures(self, data: Any) -> dict[str, str]:
        """Waves, whip and tensions of a recorded simulation, named."""
        t, tow, end = (data[name].values for name in ("time", "tow_tension", "end_tension"))
        found = hose_waves(t, data["hose_position"].values)
        slack = (data["tension"].values <= 0).any(axis=1)
        step = t[1] - t[0]
        return {
            "tow end fastest sideways": f"{found.at_tow:.2f} s after the latch",
            "drogue end again": f"{found.back:.2f} s after the latch",
            "whip": f"{found.whip:.3g} m/s sideways at most, from then on",
            "tension at the tow point": f"{tow.min():.0f} to {tow.max():.0f} N",
            "tension at the end": f"{end.min():.0f} to {end.max():.0f} N",
            "a link is slack": f"for {step * slack.sum():.2f} s in all",
        }


@eqx.filter_jit  # some hundred small operations, each of which would compile by itself
def _start(flow: LatchedHose, trim: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """Steady flight; natural lengths are those that its tensions stretch to the links of `Hose`."""
    hose = flow.hose
    m = hose.motion(trim["angles"], jnp.zeros_like(trim["angles"]))
    natural = m.l[:-1] / (1 + trim["tension"][:-1] / flow.axial_stiffness)
    return {"r": m.r[:, 1:-2], "v": jnp.zeros_like(m.r[:, 1:-2]), "natural": natural, "end": m.r[:, -2]}
