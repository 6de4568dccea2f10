"""The model itself, computed again: golden data, swing, constant force, support pulse."""

from __future__ import annotations

import dataclasses
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import DormandPrince8, linearise
from dovetail.mechanics.chain import ChainLoads, RodChain
from dovetail.mechanics.chain.angles import joint_moment
from dovetail.mechanics.chain.energy_terms import energy_residual
from dovetail.mechanics.chain.equilibrium import hanging_directions
from dovetail.studies.capture.assembly import (
    GRAVITY,
    PULL,
    G,
    hanging_rope,
    in_source_axes,
    march,
    published_rope,
    survives,
    tip_and_stretch,
    tip_force,
)

SWING_TIMES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15)  # [s]
FORCE_TIMES = (2, 4, 6, 8, 10, 15, 20)  # [s]


def golden() -> list[float]:
    """RT-02: second rates of the golden state, with both inertias."""
    return np.asarray(_golden()).tolist()


@jax.jit
def _golden():
    chain = RodChain(
        n=2,
        length=2.0,
        mass=2.0,
        tip_mass=0.5,
        stiffness=2000.0,
        axial_damping=10.0,
        bending=2.0,
        joint_damping=0.3,
    )
    x = {"q": jnp.array([0.1, 0.3, 0.6, 0.2, -0.4]), "rate": jnp.array([0.05, 0.7, -0.3, 0.2, 0.9])}
    force = jnp.zeros((3, 3)).at[:, -1].set(jnp.array([-3.0, -2.0, 1.0]))
    u = ChainLoads(field=G - jnp.array([-0.5, -0.3, 0.2]), node=force)
    both = [dataclasses.replace(chain, inertia=i).derivative(0.0, x, u)["rate"] for i in ("konig", "rod")]
    return jnp.concatenate(both)


def curvature() -> list[float]:
    """RT-03: largest departure of moment times radius from the stiffness; moment by angle for a small one."""
    theta = np.linspace(0.1, 3.0, 50)
    radius = -0.5 * np.cos(theta / 2) / np.tan(theta / 2)
    return [
        float(np.abs(joint_moment(jnp.asarray(theta), 1.0, 1.0) * radius - 1).max()),
        float(joint_moment(1e-6, 1.0, 1.0) / 1e-6),
    ]


def energy_order() -> float:
    """RT-04: order at which the energy's drift falls with the step."""
    chain = published_rope(10, bending=170.0, c=0.0, c_k=0.0)
    x = chain.rest_state(0.03, 1.2, 0.6)

    def drift(h):
        records = march(chain, x, GRAVITY, h=h, duration=6.0, shown=_energy_and_power, every=round(6 / h))
        total = records["energy"] + records["elastic"]
        return abs(total[-1] - total[0])

    return float(np.log2(drift(2e-2) / drift(1e-2)))


@cache
def swing(h: float) -> dict[str, np.ndarray]:
    """The swing with records at every step."""
    chain = published_rope(30, bending=170.0, c=1.0)
    return march(
        chain, chain.rest_state(0.0, np.pi / 2, np.pi / 4), GRAVITY, h=h, duration=15.0, shown=_everything
    )


def swing_tip() -> list[float]:
    """RT-05: tip at the table's times, x, y, z in turn."""
    run = swing(1e-2)
    return [float(v) for t in SWING_TIMES for v in in_source_axes(run["tip"][round(t / 1e-2)])]


def swing_stretch() -> list[float]:
    """RT-06: largest stretch and its time, and the last."""
    run = swing(1e-3)
    top = int(np.argmax(run["stretch"]))
    return [float(run["stretch"][top]), float(run["time"][top]), float(run["stretch"][-1])]


def swing_loss_when_straight() -> float:
    """RT-07: share of the loss between 6.5 and 7.5 s."""
    run = swing(1e-3)
    lost = np.concatenate([[0.0], np.cumsum(run["damping"][:-1]) * 1e-3])
    return float((lost[7500] - lost[6500]) / lost[-1])


def _swing_residual(h):
    run = swing(h)
    residual = energy_residual(run["energy"], run["power"], h, "rectangle")
    return np.abs(residual) / np.abs(run["energy"]).max()


def swing_residual() -> float:
    """RT-08: share of the time below 0.1 %."""
    return float(np.mean(_swing_residual(1e-2) < 1e-3))


def swing_residual_peak() -> float:
    """RT-08b: its peak."""
    return float(_swing_residual(1e-2).max())


def swing_residual_ratio() -> float:
    """RT-09: peak residual at a step of 10 ms over that at 1 ms."""
    return float(_swing_residual(1e-2).max() / _swing_residual(1e-3).max())


def static_pull() -> list[float]:
    """RT-10: tip and stretch at rest under the constant force."""
    tip, stretch = _static_pull(published_rope(30, bending=300.0, c=100.0), PULL)
    return [*in_source_axes(np.asarray(tip)).tolist(), float(stretch)]


@eqx.filter_jit
def _static_pull(chain, force):
    x = chain.rest_state_along(hanging_directions(30, chain.mass, 0.0, G, force), G, force)
    return chain.nodes(x).tip[0], x["q"][0]


@cache
def pulled(n: int, h: float, duration: float) -> dict[str, np.ndarray]:
    """The tip under a constant force, with records every 10 ms."""
    chain = published_rope(n, bending=300.0, c=100.0)
    every = round(1e-2 / h)
    return march(
        chain,
        chain.rest_state(0.0, np.pi / 4, 0.0),
        tip_force(n),
        h=h,
        duration=duration,
        shown=tip_and_stretch,
        every=every,
    )


def pulled_stretch() -> float:
    """RT-11: mean stretch from 20 to 100 s."""
    run = pulled(30, 1e-3, 100.0)
    return float(np.mean(run["stretch"][2000:]))


def pulled_tip() -> list[float]:
    """RT-12: tip at the table's times to 20 s."""
    run = pulled(30, 1e-3, 100.0)
    return [float(v) for t in FORCE_TIMES for v in in_source_axes(run["tip"][t * 100])]


def pulled_residual() -> float:
    """RT-13: peak of the rectangle residual over 20 s over that of the swing, each relative to its largest energy."""
    chain = published_rope(30, bending=300.0, c=100.0)
    run = march(
        chain,
        chain.rest_state(0.0, np.pi / 4, 0.0),
        tip_force(30),
        h=1e-3,
        duration=20.0,
        shown=_forced_energy_and_power,
    )
    residual = energy_residual(run["energy"], run["power"], 1e-3, "rectangle")
    return float(np.abs(residual).max() / np.abs(run["energy"]).max() / _swing_residual(1e-3).max())


def discretisation() -> list[float]:
    """RT-18: rms distance of the tip to that of 30 rods over 20 s, for 10 and 20 rods."""
    fine = pulled(30, 1e-3, 100.0)["tip"][:2001]

    def rms(n):
        return float(np.sqrt(np.mean(np.sum((pulled(n, 1e-3, 20.0)["tip"] - fine) ** 2, axis=1))))

    return [rms(10), rms(20)]


@cache
def pulse(n: int, damped: bool) -> dict[str, np.ndarray]:
    """The hanging rope after a pulse of its support: half a metre, one second."""
    from dovetail.air import SineSquaredPulse, TowedRope

    chain = hanging_rope(n) if damped else hanging_rope(n, bending=0.0, c=0.0)
    motion = SineSquaredPulse(amplitude=(-0.5, 0.0, 0.0), frequency=1.0)
    system = TowedRope(chain=chain, motion=motion, airflow="off", initial_angles=(0.0, 0.0))
    return march(system, None, None, h=1e-3, duration=6.0, shown=_pulse_records, every=5)


def wave_transit() -> float:
    """RT-19: when the wave reaches the tip: the tip's largest acceleration, less half the pulse, in 2 sqrt(L/g)."""
    run = pulse(70, True)
    reached = run["time"][int(np.argmax(np.abs(run["last_angle"])))]
    return float((reached - 0.25) / (2 * np.sqrt(10 / 9.81)))


def free_joints_turn_over() -> float:
    """RT-20: largest angle of the last rod without bending stiffness and friction [rad]."""
    return float(np.abs(pulse(70, False)["last_angle"]).max())


def wave_by_rods() -> list[float]:
    """RT-21: largest angle of the last rod with 10, 30 and 70 rods [rad]."""
    return [float(np.abs(pulse(n, True)["last_angle"]).max()) for n in (10, 30, 70)]


def hanging_modes() -> list[float]:
    """RT-22: the first five angular frequencies of a hanging chain of 70 rods [rad/s]."""
    chain = hanging_rope(70, bending=0.0, c=0.0)
    values = linearise(chain, chain.rest_state(10 * 9.81 / 25e3, 0.0, 0.0), GRAVITY).modes().eigenvalues
    sway = np.sort(np.abs(values.imag))
    return sway[sway > 0.1][::2][:5].tolist()  # each occurs in two planes


def pulse_residual() -> float:
    """RT-23: largest ledger residual of the pulse test over the largest change of energy."""
    run = pulse(70, True)
    return float(np.abs(run["residual"]).max() / np.ptp(run["total"]))


def step_limits() -> list[bool]:
    """RT-14: whether n = 30 at 10 and 1 ms and n = 20 at 10 ms survive, with the method of order eight."""
    completed = []
    for n, h in ((30, 1e-2), (30, 1e-3), (20, 1e-2)):
        chain = published_rope(n, bending=300.0, c=100.0)
        start = chain.rest_state(0.0, np.pi / 4, 0.0)
        completed.append(survives(chain, start, tip_force(n), DormandPrince8(), h, 10.0)[1])
    return completed


def _power(chain, x, u):
    rate = x["rate"]
    force = chain.outer_force(x["q"], u) + chain.damping_force(rate) + chain.elastic_force(x["q"])
    return rate @ force


def _energy_and_power(chain, t, x, u=GRAVITY):
    energy = chain.energies(x)
    return {
        "energy": energy["kinetic"] - G @ chain.mass_moments(x)[0],
        "elastic": energy["axial"] + energy["bending"],
        "power": _power(chain, x, u),
        "damping": chain.power(x, u)["damping"],
    }


def _forced_energy_and_power(chain, t, x):
    return _energy_and_power(chain, t, x, tip_force(chain.n))


def _everything(chain, t, x):
    return tip_and_stretch(chain, t, x) | _energy_and_power(chain, t, x)


def _pulse_records(system, t, x):
    shown = system.output(t, x, None)
    n = system.chain.n
    total = shown["kinetic_energy"] + shown["elastic_energy"] + shown["gravity_energy"]
    return {"last_angle": x["rope"]["q"][n], "residual": shown["energy_residual"], "total": total}
