r"""Rope towed through the air with a device at its tip, with an energy balance.

The wind at a point of the rope is the stream minus the point's velocity, plus steady wind, wake and gusts:

.. math:: w = V\hat x + v_{wind} + v_{wake}(r) + v_{gust}(t, x) - \dot r

The energy balance integrates the power of all external forces and of the dampers together with the motion, so the
residual :math:`U - U_0 - W` is the integration error. A reel adds the work of the support on the rope that passes it
and the kinetic energy of that rope. Links with variable length distribute it between their nodes only approximately, so
with a reel the residual also contains the discretisation error.
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
from dovetail.air.settling_measures import settling_measures
from dovetail.air.wind import FreeStream, StillAir, WindField, data_end_faults
from dovetail.core import (
    Flow,
    Input,
    Method,
    OptionalParameter,
    Output,
    Parameter,
    State,
    Time,
    check_step,
    choice,
    kind,
    parameter,
)
from dovetail.core.errors import DovetailError, Fault, StepSizeError
from dovetail.core.kind_names import name_of
from dovetail.mechanics.chain import Chain, ChainLoads, ReelLaw
from dovetail.mechanics.chain.angles import direction
from dovetail.mechanics.chain.base import dot, link_differences
from dovetail.mechanics.chain.equilibrium import hanging_directions, straight_to
from dovetail.mechanics.chain.links import LinkChain
from dovetail.mechanics.chain.remesh import AdaptiveElements, remesh
from dovetail.mechanics.chain.torsion import TwistLine
from dovetail.mechanics.motion import FixedFrame, SupportMotion

FOREVER = 1e9  # [s] time after which any reel has finished


@kind("towed-rope")
class TowedRope(Flow):
    """Rope behind an aircraft, or hung from any moving support.

    It starts at rest: straight along `initial_angles` (phi 0 hanging, 90 degrees trailing; psi to starboard), straight
    to `initial_tip`, or in its static equilibrium. The mass of the tip device is added to the chain's tip. The default
    `density` is that of the standard atmosphere at `altitude`. `descent_angle` tilts gravity against the stream
    (glide). With `gravity_model = "altitude"`, gravity is the sea-level value reduced with the square of the distance
    from the earth's centre. A `twist` line couples the roll of the tip device to the support. With `elements`, the
    simulation adapts the number of links of a `link-chain` to the bending of the rope; records are sized for the
    largest number.
    """

    FIRST = ("displacement", "tension", "stretch_tension", "velocity", "tip_command", "tip_attitude")
    CAPTIONS = {
        "displacement": "position of the tip relative to the support: x downstream, y down, z to starboard",
        "velocity": "velocity of the tip relative to the support",
        "acceleration": "acceleration of the tip relative to the support",
        "tension": "tension in each link, from the support (light) to the tip (dark)",
    }

    chain: Chain
    device: TipDevice = NoDevice()
    motion: SupportMotion = FixedFrame()
    command: Command = NoCommand()
    wake: WindField = StillAir()
    gusts: WindField = StillAir()
    drag: CableDrag | None = None
    reel: ReelLaw | None = None
    twist: TwistLine | None = None
    elements: AdaptiveElements | None = None
    airspeed: Parameter = parameter("m/s", "true airspeed", default=170.0, at_least=0.0)
    altitude: Parameter = parameter("m", "altitude", default=5000.0)
    density: OptionalParameter = parameter("kg/m^3", "density of the air", default=None, at_least=0.0)
    wind: Parameter = parameter(
        "m/s", "steady wind velocity added to the free stream, (3,)", default=(0.0, 0.0, 0.0)
    )
    gravity: Parameter = parameter("m/s^2", "acceleration of gravity", default=9.81, at_least=0.0)
    descent_angle: Parameter = parameter("rad", "angle of descent", default=0.0)
    initial_angles: Parameter = parameter(
        "rad", "phi and psi of a straight initial rope", default=(jnp.pi / 2, 0.0)
    )
    initial_tip: OptionalParameter = parameter(
        "m", "tip position of a straight initial rope, (3,)", default=None
    )
    breaking_strength: OptionalParameter = parameter(
        "N", "breaking strength of the rope", default=None, above=0.0
    )
    safety_factor: Parameter = parameter(
        "1", "required safety factor on the strength", default=1.0, above=0.0
    )
    initial_state: str = choice("straight", "static", about="initial state", default="straight")
    gravity_model: str = choice(
        "constant", "altitude", about="whether gravity decreases with altitude", default="constant"
    )
    airflow: str = choice("off", "on", about="whether the air stream is included", default="on")

    @property
    def loaded_chain(self) -> Chain:
        """The chain with the device's mass at its tip."""
        return self.chain.with_tip(self.device.mass)

    def air_density(self) -> jax.Array:
        """Air density [kg/m^3]."""
        return StandardAtmosphere().density(self.altitude) if self.density is None else self.density

    def _paid_out(self, t) -> Any:
        """Paid-out length and its rates; None without a reel."""
        return None if self.reel is None else self.reel.paid_out_length(t, self.chain.length)

    def weight_field(self) -> jax.Array:
        """Gravity in the rope's axes, (3,) [m/s^2]."""
        zero, g = jnp.zeros(()), self.gravity
        if self.gravity_model == "altitude":
            g = gravity(self.altitude, g)
        return g * jnp.stack([-jnp.sin(self.descent_angle), jnp.cos(self.descent_angle), zero])

    def init(self) -> dict[str, Any]:
        chain: Any = self.loaded_chain
        along = direction(*self.initial_angles)
        if self.initial_tip is not None:
            along = self.initial_tip / jnp.sqrt(self.initial_tip @ self.initial_tip)
        if self.initial_state == "static":
            rope = chain.rest_state_along(
                self.static_directions(), self.weight_field(), self._still_tip_force()
            )
        elif self.reel is not None:
            rope = chain.straight(along, self._paid_out(0.0))
        else:
            rope = chain.straight(along)
        x = {"rope": rope, "device": self.device.init()}
        if self.twist is not None:
            x["twist"] = self.twist.init()
        work = {"external": jnp.zeros(()), "damping": jnp.zeros(())}
        loads = None if self.reel is None else ChainLoads(self.weight_field(), length=self._paid_out(0.0))
        return x | {"work": work, "energy": self.mechanical_energy(x, loads)}

    def static_directions(self) -> jax.Array:
        """Directions (3, n) of the links at rest, with the aerodynamic forces on the rope."""
        chain = self.loaded_chain
        l = jnp.full(chain.links, chain.length / chain.links)
        link_force = None
        if self.drag is not None and self.airflow == "on":
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
        return self.air_density() if self.airflow == "on" else jnp.zeros(())

    def local_wind(self, t: Any, r: jax.Array, v: jax.Array) -> jax.Array:
        """Wind (3, n) [m/s] relative to points r (3, n) [m] with velocities v (3, n) [m/s]."""
        steady = jnp.zeros((3, 1)).at[0].set(self.airspeed) + self.wind[:, None]
        stream = FreeStream(self.airspeed, self._rho())
        return steady + sum(field.velocity(t, r, stream) for field in self._winds.values()) - v

    def _acting(self, t, x):
        """Loads on the chain, wind at the tip, and command."""
        chain = self.loaded_chain
        length = self._paid_out(t)
        nodes = chain.nodes(x["rope"], length)
        tip, tip_velocity = nodes.tip
        command = self.command(t, tip, tip_velocity)
        rho = self._rho()
        wind = self.local_wind(t, tip[:, None], tip_velocity[:, None])[:, 0]
        force = self.device.force(x["device"], wind, rho, self.airspeed, command)
        link: Any = 0.0
        if self.drag is not None and self.airflow == "on":
            r, v = nodes.centres
            d = link_differences(nodes.position)
            l = jnp.sqrt(dot(d, d))
            link = self.drag.forces(d / l, l, self.local_wind(t, r, v), rho)
        node = jnp.zeros((3, chain.links + 1)).at[:, -1].set(force)
        field = self.weight_field() - self.motion.acceleration(t)
        return chain, ChainLoads(field=field, node=node, link=link, length=length), wind, command

    def derivative(self, t: Time, x: State, u: Input) -> State:
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
            rates["device"] = self.device.with_roll_torque(
                device, -self.twist.torques(x["twist"], length, end)[-1]
            )
        return rates

    def _reel_power(self, chain, rope, loads, reaction):
        """Power [W] of the support on the rope that passes it, and the kinetic energy of that rope."""
        speed = loads.length[1]
        first = link_differences(chain.nodes(rope, loads.length).position)[:, 0]
        along = first * jax.lax.rsqrt(first @ first)
        density = chain.mass / chain.length
        return speed * (0.5 * density * speed**2 - reaction @ along)

    def mechanical_energy(self, x: dict[str, Any], loads: ChainLoads | None = None) -> jax.Array:
        """Kinetic, elastic and gravitational energy [J]; the support is at zero height."""
        chain = self.loaded_chain
        moment, _ = chain.mass_moments(x["rope"], loads)
        return sum(chain.energies(x["rope"], loads).values()) - self.weight_field() @ moment

    def output(self, t: Time, x: State, u: Input) -> Output:
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
            signals = self.elements.resample_record(signals, chain.links)
        if self.twist is not None:
            length = chain.length if loads.length is None else loads.length[0]
            signals["twist_torque"] = self.twist.torques(x["twist"], length, self.device.roll(x["device"]))
        return signals

    def adapt(self, x: dict[str, Any]) -> tuple[TowedRope, dict[str, Any]]:
        """Return rope and state with the required number of links; the energy change enters the residual."""
        if self.elements is None:
            return self, x
        chain: Any = self.loaded_chain
        n = self.elements.link_count(chain, x["rope"])
        if n == chain.links:
            return self, x
        own: Any = self.chain
        _, rope = remesh(chain, x["rope"], n)
        return dataclasses.replace(self, chain=dataclasses.replace(own, n=n)), {**x, "rope": rope}

    def faults(self, method: Method, step: float) -> list[Fault]:
        """Faults of the system: step too long, rope too weak, wake data too short."""
        faults = []
        plain = isinstance(self.chain, LinkChain) and np.ndim(self.chain.node_mass) == 0
        if self.elements is not None and (not plain or self.reel is not None):
            text = "only a link-chain of constant length without node masses can change its number of links"
            faults.append(Fault("numerical.elements", text + "; use such a chain, or remove elements"))
        if self.reel is not None and not self.chain.variable:
            text = f"a {name_of(type(self.chain))} has constant length; use a link-chain, an angle-chain"
            faults.append(Fault("numerical.chain.kind", text + " or an elastic-chain, or remove the reel"))
        if self.reel is not None and self.reel.waits_for_contact:
            text = "waits for a contact, but a towed rope has no contact; use a timed-reel or a smooth-reel"
            faults.append(Fault("numerical.reel.kind", text))
        try:
            check_step(method, self._shortest_chain().fastest_rates(), step)
        except StepSizeError as error:
            faults.append(Fault("rate", str(error)))
        if self.breaking_strength is not None:
            pull = float(np.linalg.norm(self.static_force()))
            allowed = float(self.breaking_strength / self.safety_factor)
            if pull > allowed:
                faults.append(
                    Fault(
                        "numerical.device.mass",
                        f"the rope carries {pull:.4g} N at rest, allowed are {allowed:.4g} N (strength "
                        f"{float(self.breaking_strength):.4g} N divided by {float(self.safety_factor):g}); use a "
                        "stronger rope or a lighter device",
                    )
                )
        if self.initial_state == "straight" and self.initial_tip is not None:
            try:
                straight_to(np.asarray(self.initial_tip), float(self.chain.length))
            except DovetailError as error:
                faults.append(Fault("numerical.initial_tip", str(error)))
        force = self.static_force()
        along = np.asarray(direction(*self.initial_angles))
        if (
            self.initial_state == "straight"
            and self.initial_tip is None
            and force @ along < -1e-6 * np.linalg.norm(force)
        ):
            faults.append(
                Fault(
                    "numerical.initial_angles",
                    "the rope is slack in its initial position: weight and tip force push its tip towards the support; "
                    "turn the rope towards the pull (phi 0 hangs, 90 degrees trails)",
                )
            )
        for where, field in self._winds.items():
            try:
                field.check_cover(float(self.chain.length))
            except DovetailError as error:
                faults.append(Fault(where, str(error)))
        return faults

    def time_faults(self, duration: float) -> list[Fault]:
        """Faults: wind data that end before the run."""
        return data_end_faults(self._winds, duration)

    @property
    def _winds(self) -> dict[str, WindField]:
        return {"numerical.wake": self.wake, "numerical.gusts": self.gusts}

    def _shortest_chain(self) -> Any:
        """Chain at its shortest paid-out length, where its links are shortest and its wave rates highest."""
        chain: Any = self.loaded_chain
        if self.reel is None or not self.chain.variable:
            return chain
        length = min(float(self._paid_out(t)[0]) for t in (0.0, FOREVER))
        return dataclasses.replace(chain, length=length, mass=chain.mass * length / chain.length)

    def static_force(self) -> np.ndarray:
        """Force on the support at rest, (3,) [N], without aerodynamic forces on the rope."""
        weight = (self.chain.mass + self.device.mass) * self.weight_field()
        return np.asarray(weight + self._still_tip_force())

    def measures(self, data: Any) -> dict[str, str]:
        """Result lines of a run, for the command line and the report."""
        settled = settling_measures(data.time.values, data["displacement"].values[:, 1])
        largest = float(data["tension"].max())
        answers = {
            "tip at the end": ", ".join(
                f"{v:.5g}" for v in np.round(data["displacement"].values[-1], 9) + 0.0
            )
            + " m",
            "depth": f"{settled.peak:.4g} m largest depth at {settled.peak_time:.3g} s",
        }
        end = float(data.time[-1])
        if settled.settling_time < 0.75 * end:  # the last quarter of the run confirms that it stays settled
            period = f", period {settled.period:.3g} s" if np.isfinite(settled.period) else ""
            answers["settled"] = (
                f"at {settled.final:.4g} m, within 5 % after {settled.settling_time:.4g} s{period}"
            )
        else:
            answers["settled"] = f"not within the {end:g} s"
        if self.breaking_strength is not None:
            answers["safety factor"] = f"{float(self.breaking_strength) / largest:.3g}"
        return answers
