"""
A real-time test
================

A simulated rig is served in its own process: actuator, specimen and sensors of a test, behind the rig protocol.
The loop exchanges command and measurement with it 500 times per second. The result agrees with the rehearsal if
the machine meets the deadlines; the run reports how many ticks were late.
"""

import threading

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.links import Address, RigServer, VirtualPlant, tick_budget
from dovetail.report.style import COLOURS, RC

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

test = dv.Test(
    numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
    rig=dv.Rig(actuator=dv.transfer.Delay(4e-3), specimen=dv.specimens.Spring(k=1000.0)),
    compensator=dv.compensation.ForwardPrediction(delay=4e-3, order=2, window=10),
    excitation=dv.Sine(amplitude=0.012, frequency=3.0),
    rate=500.0,
    duration=3.0,
    limits=dv.Limits(displacement=0.05, force=100.0, interface_energy=1.0, link_timeout=500),
    title="a test in real time",
)

# %%
# Serve the rig, as `dovetail rig serve` does. For a real rig, change only the address below.

server = RigServer(VirtualPlant(test), Address("127.0.0.1", 0), test.rate, priority=49)
thread = threading.Thread(target=server.serve)
thread.start()

# %%
# Run the test: connect, compile, move the rig to its initial position, run in real time, return to rest.

run = test.run_realtime(str(server.address))
server.stop()
thread.join()
print(run)
print(tick_budget(run.recording))

# %%
# Comparison with the rehearsal, and late ticks.

rehearsed = test.rehearse().data
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", width_ratios=(2, 1))
left.plot(
    rehearsed.time, 1e3 * rehearsed.measured_displacement, label="rehearsed", color=COLOURS["reference"], lw=4
)
left.plot(
    run.data.time,
    1e3 * run.data.measured_displacement,
    label="in real time",
    color=COLOURS["measured"],
    ls="--",
)
left.set(
    xlabel="time [s]",
    ylabel="measured displacement [mm]",
    xlim=(0, 2),
    ylim=(-16, 20),
    title="what the rig did",
)
left.legend(loc="upper right", ncols=2)
for name, label in (
    ("tick_lateness", "lateness"),
    ("compute_time", "compute"),
    ("exchange_time", "exchange"),
):
    values = 1e6 * np.maximum(run.data[name].values[1:], 1e-8)
    right.plot(np.sort(values), np.linspace(0, 1, len(values)), label=label)
right.axvline(1e6 * test.dt, color="0.6", ls="--")
right.annotate("one tick", (1e6 * test.dt, 0.5), rotation=90, ha="right", va="center", color="0.4")
right.set(xscale="log", xlabel="time [us]", ylabel="share of the ticks", title="where a tick goes")
right.set(ylim=(-0.05, 1.5), yticks=np.linspace(0, 1, 6))
right.legend(loc="upper left")
plt.show()
