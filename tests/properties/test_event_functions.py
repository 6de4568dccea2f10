"""Event functions of the parts: complete, at the times of closed forms, and errors that fall with the tolerance."""

import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dovetail.core import AdaptiveRungeKutta, Flow
from dovetail.mechanics.contact import Flores
from dovetail.mechanics.friction import Bristle, Brush, LuGre
from dovetail.specimens import (
    Funnel,
    IdealLagDamper,
    ImpactPair,
    LagDamper,
    RibBasket,
    TennisBall,
)
from dovetail.specimens.base import Specimen

STEPS = AdaptiveRungeKutta(rtol=1e-10, atol=1e-13)
FUNNEL = Funnel(initial_position=(0.0, 0.0, 0.0))
BASKET = RibBasket(initial_position=(0.0, 0.0, 0.0))


def line(start, end, duration=1.0):
    """Six-axis motion along a line of positions, at constant speed."""
    start, end = (jnp.concatenate([jnp.asarray(point), jnp.zeros(3)]) for point in (start, end))

    def at(t):
        velocity = (end - start) / duration
        return {"displacement": start + t * velocity, "velocity": velocity, "acceleration": 0 * velocity}

    return at


def wave(amplitude, omega, mean=0.0):
    """One-axis motion."""

    def at(t):
        displacement = mean + amplitude * jnp.sin(omega * t)
        return {"displacement": displacement, "velocity": amplitude * omega * jnp.cos(omega * t)}

    return at


class OnPath(Flow):
    """Specimen under a prescribed motion."""

    specimen: Specimen
    at: Any = eqx.field(static=True)

    def init(self):
        return self.specimen.init()

    def derivative(self, t, x, u):
        return self.specimen.derivative(t, x, self.at(t))

    def output(self, t, x, u):
        return self.specimen.output(t, x, self.at(t))

    def jump(self, t, x, u):
        return self.specimen.jump(t, x, self.at(t))

    def guards(self, t, x, u):
        return self.specimen.guards(t, x, self.at(t))


class Moved(Flow):
    """Mass on a specimen."""

    specimen: Specimen
    mass: float
    z: float = 0.0
    v: float = 0.0
    gravity: float = 0.0

    def init(self):
        return {"z": jnp.asarray(self.z), "v": jnp.asarray(self.v), "specimen": self.specimen.init()}

    def _motion(self, x):
        return {"displacement": x["z"], "velocity": x["v"], "acceleration": jnp.zeros(())}

    def derivative(self, t, x, u):
        force = self.output(t, x, u)["force"]
        inside = self.specimen.derivative(t, x["specimen"], self._motion(x))
        return {"z": x["v"], "v": force / self.mass - self.gravity, "specimen": inside}

    def output(self, t, x, u):
        return self.specimen.output(t, x["specimen"], self._motion(x))

    def jump(self, t, x, u):
        return {**x, "specimen": self.specimen.jump(t, x["specimen"], self._motion(x))}

    def guards(self, t, x, u):
        return self.specimen.guards(t, x["specimen"], self._motion(x))


class Sliding(Flow):
    """Mass with friction on a moving belt, held by a spring; one axis."""

    friction: Any
    mass: float = 2.0
    normal: float = 10.0
    stiffness: float = 0.0
    belt: float = 0.0
    v: float = 0.05

    def init(self):
        return {"z": jnp.zeros(1), "v": jnp.array([self.v]), "bristle": jnp.zeros(1)}

    def _friction(self, x):
        return jnp.array([self.normal]), x["v"] - self.belt, x["bristle"]

    def derivative(self, t, x, u):
        force, rate, _ = self.friction.force_and_rate(*self._friction(x))
        return {"z": x["v"], "v": (force - self.stiffness * x["z"]) / self.mass, "bristle": rate}

    def output(self, t, x, u):
        return {}

    def jump(self, t, x, u):
        return {**x, "bristle": self.friction.update_anchors(*self._friction(x))}

    def guards(self, t, x, u):
        return self.friction.guards(*self._friction(x))


@eqx.filter_jit
def event(flow, number, end=1.0, steps=STEPS):
    """Time and state at an event."""
    x = flow.init()
    t, x, _ = steps.to_event(flow, 0.0, end, x, None, steps.init(flow, x), number)
    return t, x


@eqx.filter_jit
def final(flow, end, steps=STEPS):
    """State at the end, and the numbers of accepted and rejected steps and events."""
    x = flow.init()
    x, memory = steps.advance(flow, 0.0, end, x, None, steps.init(flow, x))
    return x, memory.steps


# complete: the force is smooth wherever no event function is zero

PATHS = {
    "funnel, along the axis and into the bore": (FUNNEL, line([-0.8, 0.0, -0.03], [-0.1, 0.0, 0.004])),
    "funnel, across ribs and lead-in": (FUNNEL, line([-0.75, 0.02, -0.2], [-0.16, 0.003, -0.12])),
    "funnel, over the rim": (FUNNEL, line([-0.72, 0.0, -0.24], [-0.68, 0.0, -0.31])),
    "ribs, outwards": (BASKET, line([-0.45, 0.03, -0.05], [-0.55, 0.01, -0.26])),
    "ribs, around": (BASKET, line([-0.5, -0.08, -0.2], [-0.5, 0.1, -0.19])),
    "ribs, past the rim": (BASKET, line([-0.72, 0.02, -0.28], [-0.66, 0.02, -0.28])),
    "tennis ball": (TennisBall(), wave(-0.16, 4.0, mean=-0.01)),
    "ideal lag damper": (IdealLagDamper(1e4, 1e3, 500.0), wave(0.05, 7.0)),
    "impact pair": (ImpactPair(Flores(1e7, restitution=0.8), 1e-3), wave(1.3e-3, 4.0)),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_force_is_smooth_where_no_event_function_is_zero(name):
    """Second differences of half the step are a quarter in smooth stretches, half at a kink, the same at a jump."""
    specimen, at = PATHS[name]
    x = specimen.init() | {"impact_speed": jnp.asarray(5e-3)} if name == "impact pair" else specimen.init()
    times = jnp.linspace(0.0, 1.0, 8001)
    sample = eqx.filter_jit(
        jax.vmap(lambda t: (specimen.output(t, x, at(t))["force"], specimen.guards(t, x, at(t))))
    )
    force, guards = (np.asarray(a).reshape(len(times), -1) for a in sample(times))
    assert np.max(np.abs(force)) > 0
    side = guards >= 0
    fine = np.abs(np.diff(force, 2, axis=0)).max(1)[1::2]  # about times 2, 4, ...
    coarse = np.abs(np.diff(force[::2], 2, axis=0)).max(1)
    at_event = np.array([np.any(side[i - 2 : i + 3] != side[i]) for i in range(2, len(times) - 2, 2)])
    rough = (fine > 0.4 * coarse) & (fine > 1e-7 * np.max(np.abs(force)))
    assert np.any(at_event)
    assert not np.any(rough & ~at_event), times[2 * np.flatnonzero(rough & ~at_event) + 2]


# at the times of closed forms


def test_a_latch_engages_at_the_time_of_its_closed_form():
    """At constant speed v the latch engages v t / d + ln 2 after the nozzle has reached it (`Funnel.derivative`)."""
    speed, reach, free = 0.5, FUNNEL.depths[0] + FUNNEL.latch_reach, Brush(mu=0.0)
    funnel = eqx.tree_at(lambda f: f.friction, FUNNEL, free)
    flow = OnPath(funnel, line([-0.15, 0.0, 0.0], [-0.15 + speed, 0.0, 0.0]))
    reached = (0.15 - reach) / speed
    engaged = reached + FUNNEL.memory_distance * math.log(2) / speed
    times = [float(event(flow, jnp.asarray(i))[0]) for i in (1, 2, 3)]
    assert times[0] == pytest.approx(float(reached), abs=1e-11)
    assert times[1] == pytest.approx(float(engaged), abs=1e-11)
    assert times[2] == pytest.approx(float(0.15 - FUNNEL.depths[0]) / speed, abs=1e-11)  # the end stop


def test_a_ball_is_touched_at_the_time_of_the_free_fall():
    ball = TennisBall()
    flow = Moved(ball, mass=2.0, gravity=9.81)
    fall = math.sqrt(2 * float(ball.initial_position - ball.diameter) / 9.81)
    assert float(event(flow, 1)[0]) == pytest.approx(fall, abs=1e-12)


def test_a_relief_valve_opens_at_the_time_of_its_closed_form():
    """f = c v (1 - exp(-k t / c)) under a constant speed v while the valves are closed."""
    damper = LagDamper(1e6, 2e4, 800.0, 2e4, 60.0, 1.0)
    speed = 0.1
    flow = OnPath(damper, lambda t: {"displacement": speed * t, "velocity": jnp.asarray(speed)})
    opens = -2e4 / 1e6 * math.log(1 - 800.0 / (2e4 * speed))
    assert float(event(flow, 1)[0]) == pytest.approx(opens, rel=1e-11)


def test_the_ideal_damper_closes_its_valve_at_the_time_of_its_closed_form():
    """m v' = -C2 v - (C1 - C2) v_k down to the speed v_k."""
    c1, c2, force, mass, v = 1e4, 1e3, 500.0, 40.0, 0.4
    knee = force / c1
    rest = (c1 - c2) * knee / c2  # the speed towards which the mass tends is -rest
    closes = mass / c2 * math.log((v + rest) / (knee + rest))
    t, x = event(Moved(IdealLagDamper(c1, c2, force), mass=mass, v=v), 1)
    assert float(t) == pytest.approx(closes, rel=1e-11)
    assert float(x["v"]) == pytest.approx(knee, rel=1e-10)


def test_a_foot_slips_and_sticks_at_the_times_of_the_closed_form():
    """Sticking: an oscillator on the bristle. Sliding: constant friction. It sticks again where the slip reverses."""
    mass, normal, mu, k, v = 2.0, 10.0, 0.4, 3e3, 0.2
    omega = math.sqrt(k / mass)
    slips = math.asin(mu * normal * omega / (k * v)) / omega
    sticks = slips + v * math.cos(omega * slips) / (mu * normal / mass)
    flow = Sliding(Bristle(stiffness=k, mu_kinetic=mu, mu_static=mu), mass=mass, normal=normal, v=v)
    assert float(event(flow, 1)[0]) == pytest.approx(
        slips, rel=2e-9
    )  # the bristle counts as sliding 1e-9 early
    t, x = event(flow, 2)
    assert float(t) == pytest.approx(sticks, rel=3e-9)  # within the event tolerance
    assert abs(float(x["v"][0])) < 1e-9
    assert float(x["bristle"][0]) == pytest.approx(-mu * normal / k, rel=1e-8)


@pytest.mark.parametrize(
    "friction", [Brush(mu=0.4), LuGre(min_time_constant=0.0, stiffness=1e4, damping=0.0)]
)
def test_a_slip_reverses_at_the_time_of_another_solver(friction):
    flow = Sliding(friction, stiffness=400.0, v=0.3)
    derivative = jax.jit(lambda y: jnp.concatenate(list(flow.derivative(0.0, _state(y), None).values())))

    def reverses(t, y):
        return y[1]

    reverses.terminal = True
    order = [list(flow.init()).index(name) for name in ("z", "v", "bristle")]

    def rate(t, y):
        values = derivative(jnp.asarray(y))
        return np.asarray(values)[order]

    judge = solve_ivp(rate, (0, 1), [0.0, 0.3, 0.0], "DOP853", events=reverses, rtol=1e-12, atol=1e-14)
    assert float(event(flow, 1)[0]) == pytest.approx(judge.t_events[0][0], rel=1e-7)


def _state(y):
    return {"z": y[:1], "v": y[1:2], "bristle": y[2:]}


# the error falls with the tolerance

FALLING = {
    "funnel": (OnPath(FUNNEL, line([-0.75, 0.02, -0.2], [-0.16, 0.003, -0.1])), ("bristle",)),
    "ribs": (
        OnPath(
            eqx.tree_at(lambda b: b.friction, BASKET, Brush()),
            line([-0.45, 0.03, -0.05], [-0.55, 0.01, -0.26]),
        ),
        ("bristle",),
    ),
    "tennis ball": (Moved(TennisBall(), mass=2.0, gravity=9.81), ("z", "v")),
    "lag damper": (Moved(LagDamper(1e6, 2e4, 800.0, 2e4, 60.0, 1.0), mass=300.0, v=0.4), ("z", "v")),
    "bristle friction": (Sliding(Bristle(mu_kinetic=0.4, mu_static=0.4), v=0.2, stiffness=400.0), ("z", "v")),
    "brush friction": (Sliding(Brush(mu=0.4), v=0.3, stiffness=400.0), ("z", "v")),
}


@pytest.mark.parametrize("name", FALLING)
def test_the_error_falls_with_the_tolerance(name):
    flow, names = FALLING[name]

    def at_tolerance(rtol):
        steps = AdaptiveRungeKutta(rtol=rtol, atol=1e-3 * rtol, restart_step=1e-3)
        x, counted = final(flow, 0.9, steps)
        return np.concatenate([np.ravel(x[key]) for key in names]), counted

    tolerances = (1e-5, 1e-6, 1e-7, 1e-8)
    (truth, counted), *others = map(at_tolerance, (1e-12, *tolerances))
    errors = [np.max(np.abs(state - truth)) / np.max(np.abs(truth)) for state, _ in others]
    assert counted[2] >= 2  # events
    assert all(error < 500 * rtol for error, rtol in zip(errors, tolerances, strict=True))
    assert errors[3] < errors[0] / 100
