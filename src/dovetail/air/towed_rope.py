r"""Rope towed through the air with a device at its tip, with an energy balance.

The energy balance integrates the power of all external forces and of the dampers together with the motion, so the
residual :math:`U - U_0 - W` is the integration error. A reel adds the work of the support on the rope that passes it
and the kinetic energy of that rope. Links with variable length distribute it between their nodes only approximately, so
with a reel the residual also contains the discretisation error.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.commands import Command, NoCommand
from dovetail.air.latching_device import NoDevice, TipDevice
from dovetail.air.settling_measures import settling_measures
from dovetail.air.towed_line import TowedLine
from dovetail.core import (
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
from dovetail.mechanics.chain import Chain, ChainLoads
from dovetail.mechanics.chain.angles import direction
from dovetail.mechanics.chain.base import link_differences
from dovetail.mechanics.chain.equilibrium import hanging_directions, straight_to
from dovetail.mechanics.chain.links import LinkChain
from dovetail.mechanics.chain.remesh import AdaptiveElements, remesh
from dovetail.mechanics.chain.torsion import TwistLine

FOREVER = 1e9  # [s] time after which any reel has finished


@kind("towed-rope")
class TowedRope(TowedLine):
    """Rope behind an aircraft, or hung from any moving support.

    It starts at rest: straight along `initial_angles` (phi 0 hanging, 90 degrees trailing; psi to starboard), straight
    to `initial_tip`, or in its static equilibrium. The mass of the tip device is added to the chain's tip. A `twist`
    line couples the roll of the tip device to the support. With `elements`, the simulation adapts the number of links
    of a `link-chain` to the bending of the rope; records are sized for the largest number.
    """

    FIRST = ("displacement", "tension", "stretch_tension", "velocity", "tip_command", "tip_attitude")
    CAPTIONS = {
        "displacement": "position of the tip relative to the support: x forward, y to port, z up",
        "velocity": "velocity of the tip relative to the support",
        "acceleration": "acceleration of the tip relative to the support",
        "tension": "tension in each link, from the support (light) to the tip (dark)",
    }

    device: TipDevice = NoDevice()
    command: Command = NoCommand()
    twist: TwistLine | None = None
    elements: AdaptiveElements | None = None
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

    @property
    def loaded_chain(self) -> Chain:
        """The chain with the device's mass at its tip."""
        return self.chain.with_tip(self.device.mass)

    def _paid_out(self, t) -> Any:
        """Paid-out length and its rates; None without a reel."""
        return None if self.reel is None else self.reel.paid_out_length(t, self.chain.length)

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
            wind = jnp.broadcast_to(self.steady_wind()[:, None], (3, chain.links))

            def link_force(u):
                return self.drag.forces(u, l, wind, self.stream.density)

        return hanging_directions(
            chain.links,
            chain.mass,
            self.device.mass,
            self.weight_field(),
            self._still_tip_force(),
            link_force,
        )

    def _still_tip_force(self):
        command = self.command(0.0, jnp.zeros(3), jnp.zeros(3))
        return self.device.force(
            self.device.init(), self.steady_wind(), self.stream.density, self.airspeed, command
        )

    def _acting(self, t, x):
        """Loads on the chain, acceleration of the tow point, wind at the tip, and command."""
        length, tow = self._paid_out(t), self.tow(t)
        nodes = self.nodes(x["rope"], tow, length)
        link, wind = self.air_loads(nodes, self.chain.links, lambda r, v: self.local_wind(t, r, v))
        tip, tip_velocity = nodes.tip
        command = self.command(t, tip - tow.position, tip_velocity - tow.velocity)
        force = self.device.force(x["device"], wind, self.stream.density, self.airspeed, command)
        node = jnp.zeros((3, self.chain.links + 1)).at[:, -1].set(force)
        field = self.weight_field() - tow.acceleration
        loads = ChainLoads(field=field, node=node, link=link, length=length)
        return loads, tow.acceleration, wind, command

    def derivative(self, t: Time, x: State, u: Input) -> State:
        chain: Any = self.loaded_chain
        loads, support, wind, command = self._acting(t, x)
        power = chain.power(x["rope"], loads)
        _, momentum = chain.mass_moments(x["rope"], loads)
        external = power["external"] - support @ momentum
        solved = chain.solve(t, x["rope"], loads)
        if self.reel is not None:
            external = external + self._reel_power(chain, x["rope"], loads, solved.reaction)
        device = self.device.rate(x["device"], wind, self.stream.density, self.airspeed, command)
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
        chain: Any = self.loaded_chain
        loads, _, wind, command = self._acting(t, x)
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
        settled = settling_measures(data.time.values, -data["displacement"].values[:, 2])
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
