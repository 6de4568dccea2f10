"""Several ropes behind one aircraft at once, and the choice among them.

Each candidate is a rope of its own with the same device in the same air; they are integrated side by side as one
flow. The choice follows [Mastrogiuseppe 2023, sec. 4.2]: strong enough, then clear of the wake and settled in time,
then light.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.settling_measures import settling
from dovetail.air.towed_rope import TowedRope
from dovetail.core import Flow, kind, parameter
from dovetail.core.errors import Fault, ParameterError


@kind("rope-fleet")
class RopeFleet(Flow):
    """Candidates for one rope: `rope` as it is, with the diameters, masses, lengths and strengths of each.

    Stiffnesses and dampings follow from the diameter, the `modulus` and the rope's mass, as in the source: EA / L,
    EI, and dampings in proportion to the whole mass. The rope's chain is a `rod-chain`.
    """

    FIRST = ("displacement", "tension", "velocity")
    CAPTIONS = {
        "displacement": "position of each tip relative to the support: x downstream, y down, z to starboard",
        "velocity": "velocity of each tip relative to the support",
        "tension": "largest tension along each rope",
        "energy_residual": "energy less what was there and all work done, of each rope: error of the integration",
    }

    rope: TowedRope
    diameter: jax.Array = parameter("m", "of each candidate, (k,)", above=0.0)
    mass_per_length: jax.Array = parameter("kg/m", "of each candidate, (k,)", above=0.0)
    length: jax.Array = parameter("m", "of each candidate, (k,)", above=0.0)
    strength: jax.Array = parameter("N", "breaking strength of each candidate, (k,)", above=0.0)
    names: tuple[str, ...] = eqx.field(static=True, default=())
    modulus: jax.Array = parameter("Pa", "Young's modulus", default=13.8e9, above=0.0)
    joint_damping: jax.Array = parameter("N m s/kg", "friction of a joint over the mass", default=10.0)
    axial_damping: jax.Array = parameter("N s/(m kg)", "axial damping over the mass", default=50.0)
    load: jax.Array = parameter("N", "load that the rope must bear", default=125e3, above=0.0)
    factor: jax.Array = parameter("1", "how many times over", default=4.0, above=0.0)
    clear_depth: jax.Array = parameter("m", "depth at which it must settle or below", default=60.0)
    settled_within: jax.Array = parameter("s", "time in which it must settle", default=60.0, above=0.0)

    def __check_init__(self):
        columns = {
            n: np.size(getattr(self, n)) for n in ("diameter", "mass_per_length", "length", "strength")
        }
        if self.names:
            columns["names"] = len(self.names)
        if len(set(columns.values())) > 1:
            sizes = ", ".join(f"{name} has {size}" for name, size in columns.items())
            raise ParameterError(f"{sizes}; all need one entry for each candidate")

    def candidate(self, d: Any, density: Any, length: Any) -> TowedRope:
        """The system of one candidate."""
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

    def init(self):
        return self._each(lambda rope: rope.init())

    def derivative(self, t, x, u):
        return self._each(lambda rope, x: rope.derivative(t, x, None), x)

    def output(self, t, x, u):
        signals = self._each(lambda rope, x: rope.output(t, x, None), x)
        turned = {name: jnp.swapaxes(signals[name], 0, 1) for name in ("displacement", "velocity")}
        return {
            **turned,
            "tension": jnp.max(signals["tension"], axis=1),
            "energy_residual": signals["energy_residual"],
        }

    def faults(self, method, step) -> list[Fault]:
        """What is wrong with any candidate; strength is for the choice to judge."""
        problems = []
        for i in range(len(self.length)):
            rope = self.candidate(self.diameter[i], self.mass_per_length[i], self.length[i])
            for fault in dataclasses.replace(rope, strength=None).faults(method, step):
                problems.append(Fault(f"candidate {self._name(i)}: {fault.place}", fault.text))
        return problems

    @property
    def lines(self) -> list[str]:
        """Names of the candidates, for legends."""
        return [self._name(i) for i in range(len(self.length))]

    def _name(self, i):
        kind_ = self.names[i] if self.names else str(i + 1)
        return f"{kind_} of {float(self.length[i]):g} m"

    def verdicts(self, data: Any) -> list[tuple[int, str]]:
        """Candidates with what speaks against each; those that pass first, the lightest in front."""
        passed, failed = [], []
        for i in range(len(self.length)):
            settled = settling(data.time.values, data["displacement"].values[:, 1, i])
            reasons = []
            strength, needed = float(self.strength[i]), float(self.factor * self.load)
            if strength < needed:
                reasons.append(f"breaks at {strength / 1e3:.0f} kN, must bear {needed / 1e3:.0f} kN")
            clear = float(self.clear_depth)
            if settled.final < clear:
                reasons.append(
                    f"settles at {settled.final:.1f} m, {clear - settled.final:.2g} m short of {clear:g} m"
                )
            if settled.settling_time > float(self.settled_within):
                reasons.append(
                    f"settles in {settled.settling_time:.0f} s, later than {float(self.settled_within):g} s"
                )
            mass = float(self.mass_per_length[i] * self.length[i])
            if reasons:
                failed.append((i, "; ".join(reasons)))
            else:
                text = f"passes: {mass:.0f} kg, {settled.final:.1f} m deep, settled in {settled.settling_time:.0f} s"
                passed.append((mass, i, text))
        return [(i, text) for _, i, text in sorted(passed)] + failed

    def measures(self, data: Any) -> dict[str, str]:
        """The choice in words."""
        verdicts = self.verdicts(data)
        answers = {self._name(i): text for i, text in verdicts}
        chosen = self._name(verdicts[0][0]) if verdicts[0][1].startswith("passes") else "none"
        return answers | {"choice": chosen}
