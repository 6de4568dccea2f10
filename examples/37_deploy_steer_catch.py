"""
Deploy, steer, catch
====================

The rope is paid out from 60 to 300 m, the device is steered up and aside, catches a stage that flies a little faster,
and the tip of the rope takes over its mass and momentum. Inextensible links carry all of it.
"""

import dataclasses

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.air import RampCommand, WingedStage
from dovetail.mechanics.chain.capture import join
from dovetail.report.rope import rope_animation
from dovetail.studies import find_test

# %%
# Deployment, with a command from the moment at which all rope is out. The reel's work is in the ledger.

plan = dv.load(find_test("capture/deploy"))
command = RampCommand(angle=[[0.08, 0.0], [0.0, 0.1]], start=[98.0, 104.0], ramp=8.0)
device = dataclasses.replace(plan.system.device, lift_area=jnp.asarray(0.8), side_area=jnp.asarray(0.8))
system = dataclasses.replace(plan.system, device=device, command=command)
run = dataclasses.replace(plan, system=system, rate=20.0, substeps=5, duration=130.0).simulate()
for name, text in system.measures(run.data).items():
    print(f"{name:<18} {text}")

nodes, time = run.data["node_position"].values, run.data.time.values
animation = rope_animation(nodes, time, frames=90)

# %%
# The catch. The stage flies 2 m/s faster than the device and sinks by half a metre a second. Inextensible links pass
# on the impulse along the rope at once; across it the tip alone shares its momentum with the stage.

chain = system.loaded_chain
last = {"position": jnp.asarray(nodes[-1][:, 1:]), "velocity": jnp.zeros((3, chain.n))}
caught, after = join(chain, last, mass=80e3, velocity=jnp.array([-2.0, 0.5, 0.0]))
tip = np.asarray(after["velocity"][:, -1])
print("tip after the catch:", ", ".join(f"{v:.2f}" for v in tip), "m/s")

# %%
# In tow: the stage carries its own weight and drags with 50 kN, and the aircraft takes it along.

stage = WingedStage(mass=80e3 + 150.0, drag=50e3)
towed = dv.air.TowedRope(chain=dataclasses.replace(chain, tip_mass=jnp.zeros(())), device=stage, density=0.7)


class FromCatch(type(towed)):
    """The towed rope, from the state after the catch."""

    def init(self):
        x = super().init()
        return {**x, "rope": after, "energy": self.mechanical_energy({**x, "rope": after})}


towed = FromCatch(**{f.name: getattr(towed, f.name) for f in dataclasses.fields(towed)})
tow = dv.testing.Simulation(system=towed, rate=20.0, substeps=5, duration=40.0, title="in tow").simulate()
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.0), layout="constrained")
left.plot(tow.data.time, tow.data["displacement"].values[:, 1:], label=["depth", "to starboard"])
left.set(xlabel="time after the catch [s]", ylabel="[m]")
left.legend()
right.plot(tow.data.time, tow.data["tension"].values[:, 0] / 1e3)
right.set(xlabel="time after the catch [s]", ylabel="tension at the aircraft [kN]")
plt.show()
