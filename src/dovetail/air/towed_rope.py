r"""A rope towed through the air with a body at its tip: everything together, with an energy ledger.

The wind at a place of the rope is the stream, less the place's own velocity, plus steady wind, wake and gusts:

.. math:: w = V\hat x + v_{wind} + v_{wake}(r) + v_{gust}(t, x) - \dot r

The ledger integrates the power of all outer forces and of the dampers beside the motion, so that what is left of
:math:`U - U_0 - W` is the error of the integration. A reel adds the work of the support on the rope that passes it
and the kinetic energy that this rope brings; links that change their length between nodes share it only
approximately, so with a reel the residual also has the error of the discretisation.
Axes: x downstream, y down, z to starboard.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.atmosphere import StandardAtmosphere, gravity
from dovetail.air.commands import Command, NoCommand
from dovetail.air.cylinder import CableDrag
from dovetail.air.latching_device import NoDevice, TipDevice
from dovetail.air.settling_measures import settling
from dovetail.air.wind import FreeStream, StillAir, WindField, ended
from dovetail.core import Flow, Method, check_step, choice, kind, parameter
from dovetail.core.errors import DovetailError, Fault, StepSizeError
from dovetail.core.kinds import name_of
from dovetail.mechanics.chain import Chain, Loads, ReelLaw
from dovetail.mechanics.chain.angles import direction
from dovetail.mechanics.chain.base import apart, dot
from dovetail.mechanics.chain.equilibrium import hanging_directions, straight_to
from dovetail.mechanics.chain.links import LinkChain
from dovetail.mechanics.chain.remesh import AdaptiveElements, remesh
from dovetail.mechanics.chain.torsion import TwistLine
from dovetail.mechanics.motion import Still, SupportMotion

FOREVER = 1e9  # [s] when a reel has done what it does


@kind("towed-rope")
class TowedRope(Flow):
    """A rope behind an aircraft, or hung from any moving support.

    It starts straight along `start_angles` (phi 0 hanging, 90 degrees trailing; psi to starboard) at rest, or
    straight to `start_tip`, or in its static equilibrium. The tip body's mass is put on the chain's tip. Without a
    `density` the standard atmosphere gives it at the `altitude`. `descent` tilts gravity against the stream: a glide.
    With `weight = "altitude"` gravity is that of the sea level and falls with the square of the distance from the
    earth's centre. A `twist` line joins the roll of the tip body to the support. With `elements` a simulation changes
    the number of links of a `link-chain` as the rope bends and straightens; its records have the most of them.
    """

    FIRST = ("displacement", "tension", "stretch_tension", "velocity", "tip_command", "tip_attitude")
    CAPTIONS = {
        "displacement": "position of the tip relative to the support: x downstream, y down, z to starboard",
        "velocity": "velocity of the tip relative to the support",
        "acceleration": "acceleration of the tip relative to the support",
        "tension": "tension in each link, faint at the support and strong at the tip",
    }

    chain: Chain
    device: TipDevice = NoDevice()
    motion: SupportMotion = Still()
    command: Command = NoCommand()
    wake: WindField = StillAir()
    gusts: WindField = StillAir()
    drag: CableDrag | None = None
    reel: ReelLaw | None = None
    twist: TwistLine | None = None
    elements: AdaptiveElements | None = None
    airspeed: jax.Array = parameter("m/s", "true airspeed", default=170.0, at_least=0.0)
    altitude: jax.Array = parameter("m", "altitude", default=5000.0)
    density: jax.Array | None = parameter("kg/m^3", "density of the air", default=None, at_least=0.0)
    wind: jax.Array = parameter("m/s", "steady wind beside the stream, (3,)", default=(0.0, 0.0, 0.0))
    gravity: jax.Array = parameter("m/s^2", "acceleration of gravity", default=9.81, at_least=0.0)
    descent: jax.Array = parameter("rad", "angle of descent", default=0.0)
    start_angles: jax.Array = parameter("rad", "phi and psi of a straight start", default=(jnp.pi / 2, 0.0))
    start_tip: jax.Array | None = parameter("m", "where a straight start has its tip, (3,)", default=None)
    strength: jax.Array | None = parameter("N", "breaking strength of the rope", default=None, above=0.0)
    safety: jax.Array = parameter("1", "factor that the strength must leave", default=1.0, above=0.0)
    start: str = choice("straight", "static", about="initial state", default="straight")
    weight: str = choice(
        "constant", "altitude", about="whether gravity falls with altitude", default="constant"
    )
    air: str = choice("off", "on", about="whether there is a stream at all", default="on")

    @property
    def loaded_chain(self) -> Chain:
        """The chain with the device's mass at its tip."""
        return self.chain.with_tip(self.device.mass)

    def air_density(self) -> jax.Array:
        """[kg/m^3]"""
        return StandardAtmosphere().density(self.altitude) if self.density is None else self.density

    def _paid_out(self, t) -> Any:
        """Length and its rates, where a reel changes it."""
        return None if self.reel is None else self.reel.paid_out(t, self.chain.length)

    def weight_field(self) -> jax.Array:
        """Gravity in the rope's axes, (3,) [m/s^2]."""
        zero, g = jnp.zeros(()), self.gravity
        if self.weight == "altitude":
            g = gravity(self.altitude, g)
        return g * jnp.stack([-jnp.sin(self.descent), jnp.cos(self.descent), zero])

    def init(self) -> dict[str, Any]:
        chain: Any = self.loaded_chain
        along = direction(*self.start_angles)
        if self.start_tip is not None:
            along = self.start_tip / jnp.sqrt(self.start_tip @ self.start_tip)
        if self.start == "static":
            rope = chain.along(self.static_directions(), self.weight_field(), self._still_tip_force())
        elif self.reel is not None:
            rope = chain.straight(along, self._paid_out(0.0))
        else:
            rope = chain.straight(along)
        x = {"rope": rope, "device": self.device.init()}
        if self.twist is not None:
            x["twist"] = self.twist.init()
        work = {"external": jnp.zeros(()), "damping": jnp.zeros(())}
        loads = None if self.reel is None else Loads(self.weight_field(), length=self._paid_out(0.0))
        return x | {"work": work, "energy": self.mechanical_energy(x, loads)}

    def static_directions(self) -> jax.Array:
        """Directions (3, n) of the links at rest, the air on the rope included."""
        chain = self.loaded_chain
        l = jnp.full(chain.links, chain.length / chain.links)
        link_force = None
        if self.drag is not None and self.air == "on":
            stream = jnp.zeros((3, chain.links)).at[0].set(self.airspeed) + self.wind[:, None]
            rho = self.air_density()

            def link_force(u):
                return self.drag.forces(u, l, stream, rho)

        return hanging_directions(
            chain.links,
            chain.mass,
            self.device.mass,
            self.weight_field(),
            self._still_tip_force(),
            link_force,
        )

    def _still_tip_force(self):
        wind = jnp.zeros(3).at[0].set(self.airspeed) + self.wind
        return self.device.force(
            self.device.init(),
            wind,
            self._rho(),
            self.airspeed,
            self.command(0.0, jnp.zeros(3), jnp.zeros(3)),
        )

    def _rho(self):
        return self.air_density() if self.air == "on" else jnp.zeros(())

    def local_wind(self, t: Any, r: jax.Array, v: jax.Array) -> jax.Array:
        """Wind (3, n) [m/s] relative to places r (3, n) [m] that move at v (3, n) [m/s]."""
        steady = jnp.zeros((3, 1)).at[0].set(self.airspeed) + self.wind[:, None]
        stream = FreeStream(self.airspeed, self._rho())
        return steady + sum(field.velocity(t, r, stream) for field in self._winds.values()) - v

    def _acting(self, t, x):
        """Loads on the chain, the tip's wind and the command."""
        chain = self.loaded_chain
        length = self._paid_out(t)
        nodes = chain.nodes(x["rope"], length)
        tip, tip_velocity = nodes.tip
        command = self.command(t, tip, tip_velocity)
        rho = self._rho()
        wind = self.local_wind(t, tip[:, None], tip_velocity[:, None])[:, 0]
        force = self.device.force(x["device"], wind, rho, self.airspeed, command)
        link: Any = 0.0
        if self.drag is not None and self.air == "on":
            r, v = nodes.centres
            d = apart(nodes.position)
            l = jnp.sqrt(dot(d, d))
            link = self.drag.forces(d / l, l, self.local_wind(t, r, v), rho)
        node = jnp.zeros((3, chain.links + 1)).at[:, -1].set(force)
        field = self.weight_field() - self.motion.acceleration(t)
        return chain, Loads(field=field, node=node, link=link, length=length), wind, command

    def derivative(self, t, x, u):
        chain, loads, wind, command = self._acting(t, x)
        power = chain.power(x["rope"], loads)
        _, momentum = chain.mass_moments(x["rope"], loads)
        external = power["external"] - self.motion.acceleration(t) @ momentum
        solved = chain.solve(t, x["rope"], loads)
        if self.reel is not None:
            external = external + self._reel_power(chain, x["rope"], loads, solved.reaction)
        device = self.device.rate(x["device"], wind, self._rho(), self.airspeed, command)
        rates = {
            "rope": solved.rate,
            "device": device,
            "work": {"external": external, "damping": power["damping"]},
            "energy": jnp.zeros(()),
        }
        if self.twist is not None:
            length = chain.length if loads.length is None else loads.length[0]
            end = self.device.roll(x["device"])
            rates["twist"] = self.twist.rate(x["twist"], length, end)
            rates["device"] = self.device.turned(device, -self.twist.torques(x["twist"], length, end)[-1])
        return rates

    def _reel_power(self, chain, rope, loads, reaction):
        """Power [W] of the support on the rope that passes it, and the kinetic energy of that rope."""
        speed = loads.length[1]
        first = apart(chain.nodes(rope, loads.length).position)[:, 0]
        along = first * jax.lax.rsqrt(first @ first)
        density = chain.mass / chain.length
        return speed * (0.5 * density * speed**2 - reaction @ along)

    def mechanical_energy(self, x: dict[str, Any], loads: Loads | None = None) -> jax.Array:
        """Kinetic, elastic and gravity energy [J]; the support is at zero height."""
        chain = self.loaded_chain
        moment, _ = chain.mass_moments(x["rope"], loads)
        return sum(chain.energies(x["rope"], loads).values()) - self.weight_field() @ moment

    def output(self, t, x, u):
        chain, loads, wind, command = self._acting(t, x)
        signals = chain.output(t, x["rope"], loads)
        energy = chain.energies(x["rope"], loads)
        moment, _ = chain.mass_moments(x["rope"], loads)
        gravity = -self.weight_field() @ moment
        total = gravity + sum(energy.values())
        signals |= {
            "kinetic_energy": energy["kinetic"],
            "elastic_energy": energy["axial"] + energy["bending"],
            "gravity_energy": gravity,
            "external_work": x["work"]["external"],
            "damping_work": x["work"]["damping"],
            "tip_wind": wind,
            "tip_command": command,
            "tip_attitude": self.device.attitude(x["device"], command),
        }
        signals["energy_residual"] = total - x["energy"] - x["work"]["external"] - x["work"]["damping"]
        if self.elements is not None:
            signals = self.elements.shown(signals, chain.links)
        if self.twist is not None:
            length = chain.length if loads.length is None else loads.length[0]
            signals["twist_torque"] = self.twist.torques(x["twist"], length, self.device.roll(x["device"]))
        return signals

    def adapted(self, x: dict[str, Any]) -> tuple[TowedRope, dict[str, Any]]:
        """This rope and its state with as many links as it needs; what that changes of the energy is in the ledger."""
        if self.elements is None:
            return self, x
        chain: Any = self.loaded_chain
        n = self.elements.wanted(chain, x["rope"])
        if n == chain.links:
            return self, x
        own: Any = self.chain
        _, rope = remesh(chain, x["rope"], n)
        return dataclasses.replace(self, chain=dataclasses.replace(own, n=n)), {**x, "rope": rope}

    def faults(self, method: Method, step: float) -> list[Fault]:
        """What is wrong with the whole: a step too long, a rope too weak, a wake that ends too soon."""
        faults = []
        plain = isinstance(self.chain, LinkChain) and np.ndim(self.chain.node_mass) == 0
        if self.elements is not None and (not plain or self.reel is not None):
            text = "the number of links can change for a link-chain of constant length without masses on its nodes"
            faults.append(Fault("system.elements", text + "; take such a chain, or leave elements out"))
        if self.reel is not None and not self.chain.variable:
            text = f"the length of a {name_of(type(self.chain))} cannot change; take a link-chain, an angle-chain "
            faults.append(Fault("system.chain.kind", text + "or an elastic-chain, or leave the reel out"))
        if self.reel is not None and self.reel.waits:
            text = "waits for a contact, which a towed rope has not; take a timed-reel or a smooth-reel"
            faults.append(Fault("system.reel.kind", text))
        try:
            check_step(method, self._shortest_chain().fastest_rates(), step)
        except StepSizeError as error:
            faults.append(Fault("rate", str(error)))
        if self.strength is not None:
            pull = float(np.linalg.norm(self.static_force()))
            allowed = float(self.strength / self.safety)
            if pull > allowed:
                faults.append(
                    Fault(
                        "system.device.mass",
                        f"the rope must carry {pull:.4g} N at rest, but may {allowed:.4g} N (strength "
                        f"{float(self.strength):.4g} N over a factor {float(self.safety):g}); take a stronger rope "
                        "or a lighter body",
                    )
                )
        if self.start == "straight" and self.start_tip is not None:
            try:
                straight_to(np.asarray(self.start_tip), float(self.chain.length))
            except DovetailError as error:
                faults.append(Fault("system.start_tip", str(error)))
        force = self.static_force()
        along = np.asarray(direction(*self.start_angles))
        if (
            self.start == "straight"
            and self.start_tip is None
            and force @ along < -1e-6 * np.linalg.norm(force)
        ):
            faults.append(
                Fault(
                    "system.start_angles",
                    "the rope would be slack at the start: weight and tip force push its tip towards the support; "
                    "turn it to where it is pulled (phi 0 hangs, 90 degrees trails)",
                )
            )
        for where, field in self._winds.items():
            try:
                field.check_cover(float(self.chain.length))
            except DovetailError as error:
                faults.append(Fault(where, str(error)))
        return faults

    def time_faults(self, duration: float) -> list[Fault]:
        """Winds that end before the run does."""
        return ended(self._winds, duration)

    @property
    def _winds(self) -> dict[str, WindField]:
        return {"system.wake": self.wake, "system.gusts": self.gusts}

    def _shortest_chain(self) -> Any:
        """The chain as it is when least of it is paid out: its links are shortest then, and its waves quickest."""
        chain: Any = self.loaded_chain
        if self.reel is None or not self.chain.variable:
            return chain
        length = min(float(self._paid_out(t)[0]) for t in (0.0, FOREVER))
        return dataclasses.replace(chain, length=length, mass=chain.mass * length / chain.length)

    def static_force(self) -> np.ndarray:
        """Force on the support at rest (3,) [N], the air on the rope left out."""
        weight = (self.chain.mass + self.device.mass) * self.weight_field()
        return np.asarray(weight + self._still_tip_force())

    def measures(self, data: Any) -> dict[str, str]:
        """What a run of it showed, in words: for the command line and the report."""
        settled = settling(data.time.values, data["displacement"].values[:, 1])
        largest = float(data["tension"].max())
        answers = {
            "tip at the end": ", ".join(
                f"{v:.5g}" for v in np.round(data["displacement"].values[-1], 9) + 0.0
            )
            + " m",
            "depth": f"{settled.peak:.4g} m deepest at {settled.peak_time:.3g} s",
        }
        end = float(data.time[-1])
        if settled.settling_time < 0.75 * end:  # a quarter of the run to show that it stays
            period = f", period {settled.period:.3g} s" if np.isfinite(settled.period) else ""
            answers["settled"] = (
                f"at {settled.final:.4g} m, to 5 % after {settled.settling_time:.4g} s{period}"
            )
        else:
            answers["settled"] = f"not within the {end:g} s"
        answers["largest tension"] = f"{largest:.4g} N"
        if "energy_residual" in data:
            residual = float(abs(data["energy_residual"]).max())
            exchanged = ("kinetic_energy", "gravity_energy", "external_work")
            share = 100 * residual / max(*(float(abs(data[name]).max()) for name in exchanged), 1e-300)
            answers["energy residual"] = f"{residual:.3g} J, {share:.2g} % of the largest energy or work"
        if self.strength is not None:
            answers["safety factor"] = f"{float(self.strength) / largest:.3g}"
        return answers
