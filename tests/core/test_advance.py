"""Laws of the loop over samples: chunks, clocks, limits, batches, derivatives, changes of structure."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow, Parameter, parameter
from dovetail.core.advance import advance, advance_samples, begin, row_shapes
from dovetail.core.clock import HostOnly, SelfTimed, Simulated, Stopping
from dovetail.core.keep import Keep, Rows
from dovetail.core.monitor import Monitor, MonitorState, NoMonitor
from dovetail.core.system import FlowSystem, System

BEYOND = 7  # code of `Bound`
DT, COUNT = 0.01, 200


class Oscillator(Flow):
    """z'' + 2 z' + k z = sin(9 t) + 0.1 sin(31 t)."""

    k: Parameter = parameter("1/s^2", "stiffness over mass")

    def init(self):
        return {"z": jnp.zeros(()), "v": jnp.zeros(())}

    def push(self, t):
        return jnp.sin(9.0 * t) + 0.1 * jnp.sin(31.0 * t)

    def derivative(self, t, x, u):
        return {"z": x["v"], "v": self.push(t) - 2.0 * x["v"] - self.k * x["z"]}

    def output(self, t, x, u):
        return {"position": x["z"], "demand": x["z"], "push": self.push(t), "time": t}


def oscillator(k=90.0):
    return FlowSystem(Oscillator(k=k), RK4(), substeps=2)


class Bound(Monitor):
    """Ends a run beyond the bound, and shows how far it is."""

    bound: jax.Array = eqx.field(converter=jnp.asarray)

    def start(self, shown):
        none = jnp.zeros((), dtype=int)
        return self.step(0.0, 0.0, MonitorState(none, none - 1), shown)

    def step(self, t, h, m, shown):
        left = self.bound - jnp.abs(shown["position"])
        sample = m.sample + (m.code == 0)
        code = jnp.where((m.code == 0) & (left < 0), BEYOND, m.code)
        return MonitorState(code, sample), {**shown, "left": left, "checked_at": t, "checked_after": h}


class Everything:
    """Recorder that keeps everything."""

    def start(self, shown):
        self.first, self.chunks = shown, []

    def add(self, rows, count):
        self.chunks.append({name: np.asarray(values)[:count] for name, values in rows.items()})

    @property
    def counts(self):
        return [len(chunk["time"]) for chunk in self.chunks]

    def signal(self, name):
        return np.concatenate([chunk[name] for chunk in self.chunks])


def run(clock, size, monitor=None, system=None, keep=None, progress=None):
    rows = Everything()
    monitor = NoMonitor() if monitor is None else monitor
    state, code = advance(
        system or oscillator(), clock, monitor, keep or Rows(), rows, size, progress=progress
    )
    return rows, state, code


def samples(k=90.0, precompute=True):
    """All samples as one compiled loop, without host."""
    system, clock = oscillator(k), Simulated(DT, COUNT, precompute=precompute)
    now, _ = begin(system, NoMonitor(), Rows())
    return advance_samples(system, clock, NoMonitor(), Rows(), now, COUNT)[2]


def test_the_samples_are_those_of_the_steps_of_the_system():
    system, rows = oscillator(), run(Simulated(DT, COUNT), COUNT)[0]
    x, shown = system.start()
    assert {name: float(value) for name, value in rows.first.items()} == pytest.approx(
        {name: float(value) for name, value in shown.items()}
    )
    step = jax.jit(lambda t, x: system.step(t, DT, x))
    for k in range(20):
        x, shown = step(k * DT, x)
        for name in ("position", "push", "time"):
            assert float(rows.chunks[0][name][k]) == pytest.approx(float(shown[name]), rel=1e-12)


class Timed(Keep):
    """Rows with the times that the recorder receives."""

    def row(self, kept, t, h, shown):
        return kept, {**shown, "kept_at": jnp.asarray(t), "kept_after": jnp.asarray(h)}


@pytest.mark.parametrize("kind", [Simulated, Stopping])
def test_monitor_and_recorder_receive_the_time_of_the_sample_and_the_step_to_it(kind):
    rows = run(kind(DT, COUNT), 64, Bound(10.0), keep=Timed())[0]
    for name in ("checked", "kept"):
        np.testing.assert_allclose(rows.signal(f"{name}_at"), rows.signal("time"), rtol=1e-12)
        np.testing.assert_allclose(rows.signal(f"{name}_after"), DT, rtol=1e-12)


@pytest.mark.parametrize("size", [1, 7, 50, 199, 1000])
def test_chunks_of_any_size_give_the_same_run_to_the_bit(size):
    whole, at_end, _ = run(Simulated(DT, COUNT), COUNT)
    rows, state, code = run(Simulated(DT, COUNT), size)
    assert (sum(rows.counts), code) == (COUNT, 0)
    for name in ("position", "demand", "push"):
        np.testing.assert_array_equal(rows.signal(name), whole.signal(name))
    if COUNT % size == 0:  # otherwise the last chunk extends past the end
        assert (int(state.k), float(state.t)) == (int(at_end.k), float(at_end.t))
        assert float(state.x[0]["z"]) == float(at_end.x[0]["z"])


@pytest.mark.parametrize("bound", [0.02, 0.04, 10.0])
def test_a_clock_that_is_not_regular_gives_the_same_samples_and_stops_at_the_same(bound):
    regular, waiting = (run(kind(DT, COUNT), 64, Bound(bound)) for kind in (Simulated, Stopping))
    assert regular[2] == waiting[2] == (BEYOND if bound < 1 else 0)
    assert sum(regular[0].counts) == sum(waiting[0].counts)
    for name in ("position", "left", "time"):
        np.testing.assert_allclose(regular[0].signal(name), waiting[0].signal(name), rtol=0, atol=1e-14)
    if bound < 1:
        beyond = np.abs(regular[0].signal("position")) > bound
        assert beyond.tolist() == [False] * (len(beyond) - 1) + [True]
        assert int(regular[1].monitor.sample) == int(waiting[1].monitor.sample) == len(beyond)


def test_a_limit_at_the_start_records_nothing_more():
    rows, state, code = run(Simulated(DT, COUNT), 64, Bound(-1.0))
    assert (rows.counts, code, int(state.monitor.sample)) == ([], BEYOND, 0)


def test_a_limit_that_is_met_after_the_end_is_not_met():
    position = np.abs(run(Simulated(DT, COUNT), COUNT)[0].signal("position"))
    bound = 0.999 * position.max()
    met = int(np.argmax(position > bound)) + 1
    for end, code in ((met - 1, 0), (met, BEYOND)):  # in either case the chunk is computed past it
        rows, _, found = run(Simulated(DT, end), COUNT, Bound(bound))
        assert (rows.counts, found) == ([end], code)


def test_values_of_time_that_are_computed_ahead_equal_those_of_the_step():
    ahead, inside = (jax.jit(lambda p=p: samples(precompute=p))() for p in (True, False))
    for name in ahead:
        np.testing.assert_allclose(ahead[name], inside[name], rtol=0, atol=1e-14)


def test_a_signal_that_is_another_one_is_recorded_once():
    rows = samples()
    assert set(rows) == {"position", "demand", "push", "time"}
    assert rows["demand"] is rows["position"]


def test_the_derivative_with_respect_to_a_parameter_is_the_difference_quotient():
    def last(k):
        return samples(k)["position"][-1]

    k, step = jnp.array(90.0), 1e-4
    value = jax.jit(last)
    difference = (value(k + step) - value(k - step)) / (2 * step)
    assert float(jax.jit(jax.grad(last))(k)) == pytest.approx(float(difference), rel=1e-7)


def test_a_batch_is_its_single_runs_to_rounding():
    values = jnp.array([20.0, 90.0, 400.0])
    batch, alone = jax.jit(jax.vmap(samples))(values), jax.jit(samples)
    for i, k in enumerate(values):
        np.testing.assert_allclose(batch["position"][i], alone(k)["position"], rtol=0, atol=1e-14)


class Growing(Flow):
    """x' = x, beside a state that does not count, longer after each chunk."""

    more: int = 0

    def init(self):
        return (jnp.ones(()), jnp.zeros(self.more))

    def derivative(self, t, x, u):
        return (x[0], jnp.zeros(self.more))

    def output(self, t, x, u):
        return {"x": x[0], "time": t}

    def adapt(self, x):
        return Growing(self.more + 1), (x[0], jnp.zeros(self.more + 1))


def test_the_structure_may_change_between_two_chunks():
    rows, state, _ = run(Simulated(DT, 100), 30, system=FlowSystem(Growing(), RK4()))
    assert state.x[0][1].shape == (3,)  # between four chunks
    np.testing.assert_allclose(rows.signal("x"), np.exp(DT * np.arange(1, 101)), rtol=1e-8)


class Ball(System):
    """A ball that falls from 1 m and bounces: its step ends at the next contact, or after 0.1 s."""

    g: float = 9.81

    def start(self):
        x = (jnp.ones(()), jnp.zeros(()))
        return x, self.shown(0.0, x)

    def proposed_step(self, t, x):
        z, v = x
        fall = (v + jnp.sqrt(v**2 + 2 * self.g * jnp.maximum(z, 0.0))) / self.g
        return jnp.minimum(0.1, jnp.where(fall > 1e-9, fall, 0.1))

    def step(self, t, h, x):
        z, v = x
        z, v = z + v * h - self.g * h**2 / 2, v - self.g * h
        touches = (z < 1e-9) & (v < 0)
        x = (jnp.where(touches, 0.0, z), jnp.where(touches, -v, v))
        return x, self.shown(t + h, x)

    def shown(self, t, x):
        return {"position": x[0], "energy": self.g * x[0] + x[1] ** 2 / 2, "time": jnp.asarray(t, float)}


def test_steps_that_the_system_proposes_end_at_its_events_and_at_the_end():
    rows, state, code = run(SelfTimed(3.0), 16, system=Ball())
    times, position = rows.signal("time"), rows.signal("position")
    assert (float(state.t), times[-1], code) == (3.0, 3.0, 0)
    contacts = times[position == 0.0]
    fall = np.sqrt(2 / 9.81)
    np.testing.assert_allclose(contacts, fall * np.array([1.0, 3.0, 5.0]), rtol=1e-12)
    np.testing.assert_allclose(rows.signal("energy"), 9.81, rtol=1e-12)
    assert len(set(np.round(np.diff(times), 12))) > 2


def test_each_member_of_a_batch_has_its_own_time():
    def last(g):
        now, _ = begin(Ball(g), NoMonitor(), Rows())
        return advance_samples(Ball(g), SelfTimed(3.0), NoMonitor(), Rows(), now, 100)[:2]

    states, numbers = jax.vmap(last)(jnp.array([9.81, 1.62]))
    np.testing.assert_array_equal(states.t, 3.0)
    assert len(set(numbers.tolist())) == 2


class Waiting(Stopping):
    """Clock that waits before every fifth sample; a wait pushes the mass."""

    pushes: HostOnly = eqx.field(static=True, kw_only=True)

    def waits(self, system, now):
        return now.k % 5 == 0

    def between(self, system, monitor, now):
        self.pushes.value.append(int(now.k))
        x = {"z": now.x[0]["z"], "v": now.x[0]["v"] + 1.0}
        return system, now._replace(x=(x, now.x[1]))


def test_the_host_acts_before_each_chunk_and_where_the_clock_waits():
    clock = Waiting(DT, 18, pushes=HostOnly([]))
    rows, _, _ = run(clock, 100)
    assert clock.pushes.value == [0, 5, 10, 15]
    assert rows.counts == [5, 5, 5, 3]
    plain = run(Simulated(DT, 18), 18)[0]
    pushed = rows.signal("position") - plain.signal("position")
    assert pushed[0] == pytest.approx(DT, rel=0.02)
    np.testing.assert_allclose(rows.signal("time"), DT * np.arange(1, 19), rtol=1e-12)


class EveryThird(Keep):
    """Keeps every third row, and the largest position of all."""

    def start(self, shown):
        return (jnp.zeros((), dtype=int), jnp.abs(shown["position"]))

    def row(self, kept, t, h, shown):
        return (kept[0] + 1, jnp.maximum(kept[1], jnp.abs(shown["position"]))), shown

    def wants(self, kept, row):
        return kept[0] % 3 == 0


def test_skipped_rows_are_counted_but_not_recorded():
    rows, state, _ = run(Stopping(DT, 60), 7, keep=EveryThird())
    whole = run(Stopping(DT, 60), 60)[0]
    np.testing.assert_array_equal(rows.signal("position"), whole.signal("position")[2::3])
    assert float(state.kept[1]) == np.abs(whole.signal("position")).max()
    assert int(state.k) == 60


def test_an_interrupt_leaves_the_samples_before_it():
    rows = Everything()

    def stop(fraction, text):
        if fraction >= 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        advance(oscillator(), Simulated(DT, COUNT), NoMonitor(), Rows(), rows, 50, stop)
    assert rows.counts == [50, 50]


def test_progress_is_the_completed_fraction():
    found = []
    run(Simulated(DT, COUNT), 64, progress=lambda fraction, text: found.append((fraction, text)))
    assert [fraction for fraction, _ in found] == [0.32, 0.64, 0.96, 1.0]
    assert found[0][1] == "0.64 s simulated"


def test_the_shapes_of_a_row_are_computed_without_its_values():
    shapes = row_shapes(oscillator(), Bound(1.0))
    assert {name: of.shape for name, of in shapes.items()} == dict.fromkeys(
        ("position", "demand", "push", "time", "left", "checked_at", "checked_after"), ()
    )
