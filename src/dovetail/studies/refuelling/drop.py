"""Drop test: a plate falls on a tennis ball, with the published steps; contacts, energies and drag."""

from __future__ import annotations

import dataclasses
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy

from dovetail.core import Euler, Flow, Input, Method, Output, State, Time
from dovetail.core.advance import advance_samples, begin
from dovetail.core.clock import SelfTimed
from dovetail.core.keep import Selected
from dovetail.core.monitor import NoMonitor
from dovetail.core.system import FlowSystem, System
from dovetail.mechanics.drop_mass import DropMass
from dovetail.specimens.tennis_ball import TennisBall

FREE_STEP, CONTACT_STEP = 1e-5, 2e-4  # [s] as published
FRAME_RATE = 1500.0  # [Hz] of the published camera
PLATE, EULER = DropMass(), Euler()
SHOWN = ("time", "displacement", "velocity", "force", "penetration")
FULL_SPEED: dict[str, Any] = {
    "fast_hardening": 1.04e6,
    "fast_loss": 0.08,
    "fast_time": 0.3,
}  # fitted to the ordering of slow and full-speed results


class Falling(Flow):
    """Plate and ball as one flow."""

    plate: DropMass
    ball: TennisBall

    def init(self) -> State:
        return {"plate": self.plate.init(), "ball": self.ball.init()}

    def _felt(self, x):
        z, v = x["plate"]
        return {"displacement": z, "velocity": v}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        motion = self._felt(x)
        felt = self.ball.output(t, x["ball"], motion)
        return {
            "plate": self.plate.derivative(t, x["plate"], felt),
            "ball": self.ball.derivative(t, x["ball"], motion),
        }

    def output(self, t: Time, x: State, u: Input) -> Output:
        motion = self._felt(x)
        return {"time": t, **motion, **self.ball.output(t, x["ball"], motion)}


class FallingSteps(System):
    """Plate and ball, with one step in contact and another in free flight."""

    falling: FlowSystem
    contact_step: float = CONTACT_STEP
    free_step: float = FREE_STEP

    def start(self):
        return self.falling.start()

    def step(self, t, h, x):
        return self.falling.step(t, h, x)

    def proposed_step(self, t, x):
        """Return the next step [s]."""
        in_contact = self.falling.signals(t, x)["penetration"] > 0
        return jnp.where(in_contact, self.contact_step, self.free_step)


@dataclasses.dataclass(frozen=True)
class PlateContact:
    """Contact of the plate with the ball."""

    start: float  # [s]
    duration: float  # [s]
    depth: float  # [m] peak
    force: float  # [N] peak
    peak_after: float  # [s] from first touch to the peak force
    speed_in: float  # [m/s]
    speed_out: float  # [m/s]
    steps: int


@dataclasses.dataclass(frozen=True)
class Drop:
    """Recorded drop."""

    time: np.ndarray
    height: np.ndarray  # [m] of the plate's edge
    velocity: np.ndarray
    force: np.ndarray
    depth: np.ndarray

    def contacts(self) -> list[PlateContact]:
        """Return every contact that began and ended."""
        touching = self.depth > 0
        edges = np.flatnonzero(np.diff(touching.astype(int)))
        starts: list[int] = [e for e in edges.tolist() if not touching[e]]
        intervals = []
        for i in starts:
            after = np.flatnonzero(~touching[i + 1 :])
            end = i + 1 + (int(after[0]) if after.size else len(touching) - i - 2)
            part = slice(i + 1, end + 1)
            peak = int(np.argmax(self.force[part]))
            intervals.append(
                PlateContact(
                    float(self.time[i + 1]),
                    float(self.time[end] - self.time[i + 1]),
                    float(self.depth[part].max()),
                    float(self.force[part].max()),
                    float(self.time[part][peak] - self.time[i + 1]),
                    float(-self.velocity[i]),
                    float(self.velocity[end]),
                    end - i,
                )
            )
        return intervals

    def settled(self, amplitude: float = 2e-3) -> float:
        """Return the time [s] after which the plate stays within `amplitude` [m] of its final position."""
        away = np.flatnonzero(np.abs(self.height - self.height[-1]) > amplitude)
        return float(self.time[away[-1]]) if away.size else 0.0


def drop(
    ball: TennisBall,
    plate: DropMass = PLATE,
    *,
    duration: float = 2.5,
    contact_step: float = CONTACT_STEP,
    free_step: float = FREE_STEP,
    method: Method = EULER,
) -> Drop:
    """Simulate a drop with one step in contact and another in free flight; record every step."""
    steps = round(1.05 * duration / min(free_step, contact_step))
    system = FallingSteps(
        FlowSystem(Falling(plate, ball), method), contact_step=contact_step, free_step=free_step
    )
    count, rows = _drop(system, duration, steps)
    t, z, v, f, d = (np.asarray(rows[name])[:count] for name in SHOWN)
    whole = t < duration  # the last step is shortened to end there
    return Drop(*(a[whole] for a in (t, z + plate.height, v, f, d)))


@eqx.filter_jit
def _drop(system: FallingSteps, duration: float, steps: int) -> tuple[jax.Array, dict[str, jax.Array]]:
    """Return the number of steps, and their records."""
    clock, monitor, keep = SelfTimed(duration), NoMonitor(), Selected(SHOWN)
    now, _ = begin(system, monitor, keep)
    return advance_samples(system, clock, monitor, keep, now, steps)[1:]


def euler_gain(step: float) -> float:
    """Return the energy that explicit Euler adds to one bounce of a lossless ball, as a fraction of its energy."""
    run = drop(TennisBall(loss=0.0), DropMass(damping=0.0), duration=0.45, contact_step=step, free_step=1e-5)
    first = run.contacts()[0]
    return (first.speed_out / first.speed_in) ** 2 - 1


def identified_drag(time: np.ndarray, height: np.ndarray, plate: DropMass = PLATE) -> float:
    """Identify the drag [N s/m] of the plate from a recorded fall without ball, by least squares."""

    def miss(c):
        fallen, _ = eqx.tree_at(lambda p: p.damping, plate, jnp.asarray(c[0])).fallen(jnp.asarray(time))
        return np.asarray(plate.height - fallen) - height

    return float(scipy.optimize.least_squares(miss, [1.0], bounds=(1e-6, 1e3)).x[0])
