"""Steps that end at events: times, order, energy, derivatives and batches, on flows with closed forms."""

import dataclasses
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, AdaptiveRungeKutta, DormandPrince5, DormandPrince8, Flow, Parameter, parameter
from dovetail.core.system import FlowSystem

G = 9.81


class Hertz(Flow):
    """A mass flies towards a wall; the force of the contact is k depth^1.5. `jump` stores the times of the events."""

    k: Parameter = parameter("N/m^1.5", "stiffness", default=1e6)
    m: float = 20.0
    v: float = 0.5
    gap: float = 1e-3

    def init(self):
        never = jnp.asarray(-1.0)
        return {"z": jnp.asarray(-self.gap), "v": jnp.asarray(self.v), "touch": never, "release": never}

    def derivative(self, t, x, u):
        force = -self.k * jnp.maximum(x["z"], 0.0) ** 1.5
        return {"z": x["v"], "v": force / self.m, "touch": jnp.zeros(()), "release": jnp.zeros(())}

    def output(self, t, x, u):
        return {"displacement": x["z"]}

    def guards(self, t, x, u):
        return x["z"][None]

    def jump(self, t, x, u):
        touch = jnp.where((x["touch"] < 0) & (x["z"] >= 0), t, x["touch"])
        left = (touch > 0) & (x["release"] < 0) & (x["z"] < 0)
        return {**x, "touch": touch, "release": jnp.where(left, t, x["release"])}

    @property
    def duration(self):
        """Closed form of the time in contact [s]."""
        depth = (5 * self.m * self.v**2 / (4 * float(self.k))) ** 0.4
        return 2 * depth / self.v * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9)


class Hop(Flow):
    """A ball with drag by the square of its speed; its speed is reversed at the ground by `jump`."""

    height: Parameter = parameter("m", "height at the start", default=1.0)
    drag: float = 0.1
    restitution: float = 1.0

    def init(self):
        return {"z": self.height, "v": jnp.zeros(())}

    def derivative(self, t, x, u):
        return {"z": x["v"], "v": -G - self.drag * x["v"] * jnp.abs(x["v"])}

    def output(self, t, x, u):
        return {"displacement": x["z"]}

    def guards(self, t, x, u):
        return x["z"][None]

    def jump(self, t, x, u):
        hits = (x["z"] < 0) & (x["v"] < 0)
        return {**x, "v": jnp.where(hits, -self.restitution * x["v"], x["v"])}


@eqx.filter_jit
def end(flow, method, duration, samples=1):
    """State and memory of the method after a duration, in equal samples."""
    h, x = duration / samples, flow.init()
    carry = (x, method.init(flow, x))
    for k in range(samples):
        carry = method.advance(flow, k * h, h, carry[0], None, carry[1])
    return carry


@pytest.mark.parametrize("method", [DormandPrince8(), DormandPrince5()])
def test_a_hertz_contact_begins_and_ends_at_the_times_of_the_closed_form(method):
    flow = Hertz()
    steps = AdaptiveRungeKutta(method=method, rtol=1e-12, atol=1e-15, event_tolerance=1e-14)
    x, memory = end(flow, steps, 0.06)
    assert float(x["touch"]) == pytest.approx(2e-3, abs=1e-13)
    assert float(x["release"] - x["touch"]) == pytest.approx(flow.duration, rel=1e-10)
    assert float(x["v"]) == pytest.approx(-0.5, rel=1e-10)
    assert int(memory.steps[2]) == 2


def test_error_control_after_the_touch_makes_the_rebound_as_exact_as_its_tolerance():
    def error(rtol):
        steps = AdaptiveRungeKutta(rtol=rtol, atol=1e-3 * rtol)
        return abs(float(end(Hertz(), steps, 0.06)[0]["v"]) + 0.5) / 0.5

    errors = [error(rtol) for rtol in (1e-5, 1e-7, 1e-9)]
    assert all(found < 10 * rtol for found, rtol in zip(errors, (1e-5, 1e-7, 1e-9), strict=True))
    assert errors[0] > 30 * errors[1] > 900 * errors[2]


def equal_steps(h, **options):
    """Steps of one length that end at events, without error control."""
    return AdaptiveRungeKutta(atol=1e100, max_step=h, restart_step=h, **options)


def test_a_method_has_its_order_through_a_bounce_and_order_one_without_the_event():
    truth = float(end(Hop(), AdaptiveRungeKutta(rtol=1e-13, atol=1e-15), 0.8)[0]["z"])
    errors = [abs(float(end(Hop(), equal_steps(0.8 / n), 0.8)[0]["z"]) - truth) for n in (10, 20)]
    assert np.log2(errors[0] / errors[1]) > 4.0  # five for short steps
    missed = abs(float(end(Hop(), equal_steps(0.04, event_tolerance=1e9), 0.8)[0]["z"]) - truth)
    assert missed > 1e4 * errors[1]


def test_time_and_state_at_an_event_are_returned():
    steps, flow = AdaptiveRungeKutta(), Hop(drag=0.0)
    x = flow.init()
    t, at, memory = jax.jit(lambda: steps.to_event(flow, 0.0, 5.0, x, None, steps.init(flow, x)))()
    assert float(t) == pytest.approx(math.sqrt(2 / G), rel=1e-12)
    assert float(at["v"]) == pytest.approx(math.sqrt(2 * G), rel=1e-12)  # after the jump
    t, _, _ = jax.jit(lambda: steps.to_event(flow, 0.0, 0.1, x, None, steps.init(flow, x)))()
    assert float(t) == 0.1


def test_energy_is_conserved_over_many_bounces():
    flow = Hop(drag=0.0)
    (x, memory), fall = end(flow, AdaptiveRungeKutta(), 10.0), math.sqrt(2 / G)
    assert float(G * x["z"] + x["v"] ** 2 / 2) == pytest.approx(G, rel=1e-10)
    bounces = math.floor((10.0 / fall + 1) / 2)
    assert bounces <= int(memory.steps[2]) <= 2 * bounces  # the way out of the tolerance may be an event too


class Grazing(Flow):
    """An event function that changes sign all the time, by less than the tolerance."""

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        return jnp.cos(t)

    def output(self, t, x, u):
        return {}

    def guards(self, t, x, u):
        return 0.9e-6 * jnp.sin(300.0 * t)[None]


def test_grazing_within_the_tolerance_does_not_repeat_steps():
    x, memory = end(Grazing(), AdaptiveRungeKutta(event_tolerance=1e-6), 1.0)
    assert float(x) == pytest.approx(math.sin(1.0), abs=1e-9)
    assert memory.steps[1] == 0


def test_a_batch_equals_its_members():
    heights = jnp.array([0.5, 1.0, 1.5, 2.0])

    def final(height):
        return end(Hop(height), AdaptiveRungeKutta(), 1.0)[0]["z"]

    np.testing.assert_allclose(jax.vmap(final)(heights), [final(h) for h in heights], rtol=1e-12)


@pytest.mark.parametrize("derivative", [jax.grad, jax.jacfwd])
def test_derivatives_pass_through_an_event(derivative):
    """After one elastic bounce from h: z = h - g (t - 2 s)^2 / 2 + ... in closed form, with s the time of the fall."""
    method = AdaptiveRungeKutta(max_attempts=60 if derivative is jax.grad else 0, restart_step=1.0)

    def final(height):
        return end(Hop(height, drag=0.0), method, 0.7)[0]["z"]

    def closed_form(height):
        fall = jnp.sqrt(2 * height / G)
        return G * fall * (0.7 - fall) - G * (0.7 - fall) ** 2 / 2

    for height in (0.8, 1.0):
        assert float(final(height)) == pytest.approx(float(closed_form(height)), rel=1e-9)
        assert float(derivative(final)(height)) == pytest.approx(
            float(jax.grad(closed_form)(height)), rel=1e-6
        )


def test_too_few_attempts_give_no_state():
    assert math.isnan(float(end(Hop(), AdaptiveRungeKutta(max_attempts=3), 1.0)[0]["z"]))


def test_a_fixed_step_meets_the_first_event_with_at_most_three_single_steps():
    steps = AdaptiveRungeKutta(control="fixed", method=DormandPrince5(), event_tolerance=1e-9)
    x, memory = end(Hop(drag=0.0), steps, 1.0, samples=50)
    accepted, rejected, events = memory.steps.tolist()
    assert 1 <= events <= 2  # a chord may fall short of the event once
    assert (accepted, rejected) == (50 + events, events)
    assert float(G * x["z"] + x["v"] ** 2 / 2) == pytest.approx(
        G, rel=2e-3
    )  # the fall is curved within the step


def test_a_flow_without_events_is_integrated_with_error_control_only():
    quiet = dataclasses.replace(Hop(drag=0.0), height=jnp.asarray(100.0))
    x, memory = end(quiet, AdaptiveRungeKutta(), 1.0)
    assert float(x["z"]) == pytest.approx(100 - G / 2, rel=1e-12)
    assert memory.steps[2] == 0


def test_a_system_shows_the_steps_of_its_method():
    x, shown = FlowSystem(Hop(), AdaptiveRungeKutta()).start()
    assert shown["solver_steps"].tolist() == [0.0, 0.0, 0.0]
    assert set(FlowSystem(Hop(), RK4()).start()[1]) == {"displacement"}
