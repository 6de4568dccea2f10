"""
Deploy, steer, catch
====================

The rope is paid out from 60 to 300 m, the device is steered up and sideways and catches a stage, and the tip of
the rope receives its mass and momentum.
"""

import dataclasses

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.air import RampCommand, WingedStage
from dovetail.core import RK4, State
from dovetail.mechanics.chain import ElasticChain
from dovetail.mechanics.chain.attach_body import join
from dovetail.report.rope import rope_animation

# %%
# Deployment, with a command from the time at which the whole rope is paid out. The audit contains the work of
# the reel.

plan = dv.load("capture/deploy")
command = RampCommand(angle=[[0.08, 0.0], [0.0, 0.1]], start=[98.0, 104.0], ramp=8.0)
device = dataclasses.replace(plan.numerical.device, lift_area=jnp.asarray(0.8), side_area=jnp.asarray(0.8))
system = dataclasses.replace(plan.numerical, device=device, command=command)
run = dataclasses.replace(plan, numerical=system, rate=20.0, substeps=5, duration=130.0).simulate()
for name, text in system.measures(run.data).items():
    print(f"{name:<18} {text}")

nodes, time = run.data["node_position"].values, run.data.time.values
animation = rope_animation(nodes, time, frames=90)

# %%
# The catch. A snap load needs stretch, so from here on every link is a spring (EA = 6.24 MN) that can become
# slack. The stage is 0.3 m/s slower than the aircraft and sinks at 0.5 m/s; the tip receives its momentum.

links = system.loaded_chain
chain = ElasticChain(
    n=links.n,
    length=links.length,
    mass=links.mass,
    stiffness=6.24e6,
    axial_damping=2e4,
    tip_mass=links.tip_mass,
)
position = jnp.asarray(nodes[-1][:, 1:])
_, after = join(chain, chain.rest_state_through(position), mass=80e3, velocity=jnp.array([-0.3, 0.0, -0.5]))
print("tip after the catch:", ", ".join(f"{float(v):.2f}" for v in after["velocity"][:, -1]), "m/s")

# %%
# Tow: the stage has its weight and 50 kN of drag, and the aircraft flies on. The peak tension of the rope is
# twice the drag.

towed = dv.air.TowedRope(chain=chain, device=WingedStage(mass=80e3 + 150.0, drag=50e3), density=0.7)
x = towed.init() | {"rope": after}
x = x | {"energy": towed.mechanical_energy(x)}


@jax.jit
def tow(x: State) -> dict[str, jax.Array]:
    def record(x: State, k: jax.Array) -> tuple[State, dict[str, jax.Array]]:
        x = jax.lax.fori_loop(0, 50, lambda i, x: RK4().step(towed, k * 0.1, 2e-3, x, None, ())[0], x)
        shown = towed.output(k * 0.1, x, None)
        return x, {name: shown[name] for name in ("displacement", "tension", "energy_residual")}

    return jax.lax.scan(record, x, jnp.arange(600))[1]


found = tow(x)
t = 0.1 * np.arange(1, 601)
largest, residual = (float(abs(found[name]).max()) for name in ("tension", "energy_residual"))
print(f"largest tension {largest / 1e3:.0f} kN; energy residual {residual:.2g} J")
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.0), layout="constrained")
left.plot(t, -found["displacement"][:, :0:-1], label=["depth", "to starboard"])
left.set(xlabel="time after the catch [s]", ylabel="[m]")
left.legend()
right.plot(t, found["tension"][:, 0] / 1e3, lw=1)
right.set(xlabel="time after the catch [s]", ylabel="tension at the aircraft [kN]")
plt.show()
