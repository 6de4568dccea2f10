"""Several candidate ropes behind one aircraft, simulated together, and the selection among them.

Each candidate is a separate rope with the same device in the same air. All candidates are integrated as one flow. The
selection follows [Mastrogiuseppe 2023, sec. 4.2]: sufficient strength first, then clearance from the wake and settling
time, then lowest mass.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.settling_measures import settling_measures
from dovetail.air.towed_rope import TowedRope
from dovetail.core import Flow, Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import Fault, ParameterError


@kind("rope-fleet")
class RopeFleet(Flow):
    """Candidate ropes: `rope` with the diameter, mass, length and strength of each candidate.

    Stiffness and damping follow from the diameter, the `modulus` and the rope's mass, as in the source: EA / L, EI, and
    damping proportional to the total mass. The rope's chain is a `rod-chain`.
    """

    FIRST = ("displacement", "tension", "velocity")
    CAPTIONS = {
        "displacement": "position of each tip relative to the support: x forward, y to port, z up",
        "velocity": "velocity of each tip relative to the support",
        "tension": "largest tension along each rope",
        "energy_residual": "energy balance residual of each rope (integration error)",
        "kinetic_energy": "kinetic energy of each rope",
        "external_work": "work of the air and the support on each rope",
    }

    rope: TowedRope
    diameter: Parameter = parameter("m", "diameter of each candidate, (k,)", above=0.0)
    mass_per_length: Parameter = parameter("kg/m", "mass per length of each candidate, (k,)", above=0.0)
    length: Parameter = parameter("m", "length of each candidate, (k,)", above=0.0)
    breaking_strength: Parameter = parameter("N", "breaking strength of each candidate, (k,)", above=0.0)
    names: tuple[str, ...] = eqx.field(static=True, default=())
    modulus: Parameter = parameter("Pa", "Young's modulus", default=13.8e9, above=0.0)
    joint_damping: Parameter = parameter("N m s/kg", "joint friction per total mass", default=10.0)
    axial_damping: Parameter = parameter("N s/(m kg)", "axial damping per total mass", default=50.0)
    design_load: Parameter = parameter("N", "design load of the rope", default=125e3, above=0.0)
    safety_factor: Parameter = parameter("1", "safety factor on the load", default=4.0, above=0.0)
    min_depth: Parameter = parameter("m", "smallest allowed final depth", default=50.0)
    max_settling_time: Parameter = parameter("s", "longest allowed settling time", default=60.0, above=0.0)

    def __check_init__(self) -> None:
        columns = {
            n: np.size(getattr(self, n))
            for n in ("diameter", "mass_per_length", "length", "breaking_strength")
        }
        if self.names:
            columns["names"] = len(self.names)
        if len(set(columns.values())) > 1:
            sizes = ", ".join(f"{name} has {size}" for name, size in columns.items())
            raise ParameterError(f"{sizes}; expected one entry for each candidate")

    def candidate(self, d: Any, density: Any, length: Any) -> TowedRope:
        """Return the towed rope of one candidate."""
        mass = density * length
        base: Any = self.rope.chain
        chain = dataclasses.replace(
            base,
            length=length,
            mass=mass,
            stiffness=self.modulus * jnp.pi * d**2 / 4,
            bending=self.modulus * jnp.pi * d**4 / 64,
            joint_damping=self.joint_damping * mass,
            axial_damping=self.axial_damping * mass * length,
        )
        return dataclasses.replace(self.rope, chain=chain)

    def _each(self, function, *arguments):
        def one(d, density, length, *arguments):
            return function(self.candidate(d, density, length), *arguments)

        return jax.vmap(one)(self.diameter, self.mass_per_length, self.length, *arguments)

    def init(self) -> State:
        return self._each(lambda rope: rope.init())

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self._each(lambda rope, x: rope.derivative(t, x, None), x)

    def output(self, t: Time, x: State, u: Input) -> Output:
        signals = self._each(lambda rope, x: rope.output(t, x, None), x)
        by_axis = {name: jnp.swapaxes(signals[name], 0, 1) for name in ("displacement", "velocity")}
        return {
            **by_axis,
            "tension": jnp.max(signals["tension"], axis=1),
            **{name: signals[name] for name in ("energy_residual", "kinetic_energy", "external_work")},
        }

    def faults(self, method, step) -> list[Fault]:
        """Faults of all candidates; strength is checked by `verdicts`, not here."""
        faults = []
        for i in range(len(self.length)):
            rope = self.candidate(self.diameter[i], self.mass_per_length[i], self.length[i])
            for fault in dataclasses.replace(rope, breaking_strength=None).faults(method, step):
                faults.append(Fault(f"candidate {self._name(i)}: {fault.path}", fault.text))
        return faults

    @property
    def lines(self) -> list[str]:
        """Names of the candidates, for legends."""
        return [self._name(i) for i in range(len(self.length))]

    def _name(self, i):
        kind_ = self.names[i] if self.names else str(i + 1)
        return f"{kind_} of {float(self.length[i]):g} m"

    def verdicts(self, data: Any) -> list[tuple[int, str]]:
        """Candidates, each with its result; passing candidates first, lightest first."""
        passed, failed = [], []
        for i in range(len(self.length)):
            settled = settling_measures(data.time.values, -data["displacement"].values[:, 2, i])
            reasons = []
            strength, required = (
                float(self.breaking_strength[i]),
                float(self.safety_factor * self.design_load),
            )
            if strength < required:
                reasons.append(f"breaks at {strength / 1e3:.0f} kN, required {required / 1e3:.0f} kN")
            min_depth = float(self.min_depth)
            if settled.final < min_depth:
                reasons.append(
                    f"settles at {settled.final:.1f} m, {min_depth - settled.final:.2g} m above the required "
                    f"{min_depth:g} m"
                )
            if settled.settling_time > float(self.max_settling_time):
                reasons.append(
                    f"settles in {settled.settling_time:.0f} s, longer than {float(self.max_settling_time):g} s"
                )
            mass = float(self.mass_per_length[i] * self.length[i])
            if reasons:
                failed.append((i, "; ".join(reasons)))
            else:
                text = f"passes: {mass:.0f} kg, {settled.final:.1f} m deep, settles in {settled.settling_time:.0f} s"
                passed.append((mass, i, text))
        return [(i, text) for _, i, text in sorted(passed)] + failed

    def measures(self, data: Any) -> dict[str, str]:
        """Result of each candidate, and the selected one."""
        verdicts = self.verdicts(data)
        results = {self._name(i): text for i, text in verdicts}
        selected = self._name(verdicts[0][0]) if verdicts[0][1].startswith("passes") else "none"
        return results | {"choice": selected}
