"""The supervisor: each limit, the first breach, growth."""

import dataclasses
import importlib.util
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.cli.run import check_test
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.core.parameter import declared_parameters
from dovetail.studies.registry import find_test
from dovetail.testing import Limits, Outcome
from dovetail.testing.limit_monitor import MONITORED_LIMITS, LimitMonitor, faults, rotary_axes

MOTION = dict.fromkeys(("displacement", "velocity", "acceleration"), 0.0)
READ = dict.fromkeys(("measured_displacement", "measured_force"), 0.0)


def sample(**shown):
    """Motion and reading of a sample, at rest but for what is said."""
    shape = np.broadcast_shapes(*(np.shape(value) for value in shown.values()), ())
    both = {name: jnp.broadcast_to(jnp.asarray(value, dtype=float), shape) for name, value in shown.items()}
    zero = jnp.zeros(shape)
    return tuple({name: both.get(name, zero) for name in names} for names in (MOTION, READ))


def outcome_of(limits, rotary=(), mode="rehearse", **shown):
    """The outcome of one sample after a first one at rest."""
    motion, reading = sample(**shown)
    monitor = LimitMonitor(limits, rotary, mode)
    state = monitor.init(
        *({name: jnp.zeros_like(value) for name, value in part.items()} for part in (motion, reading))
    )
    return Outcome.from_code(monitor.step(7e-3, 1e-3, state, motion, reading)["code"])


@pytest.mark.parametrize(
    ("limit", "signal", "outcome"),
    [
        ("displacement", "displacement", Outcome.DISPLACEMENT),
        ("velocity", "velocity", Outcome.VELOCITY),
        ("force", "measured_force", Outcome.FORCE),
        ("tracking_error", "measured_displacement", Outcome.TRACKING_ERROR),
        ("acceleration", "acceleration", Outcome.ACCELERATION),
    ],
)
def test_each_limit_trips_on_either_side_and_not_at_it(limit, signal, outcome):
    limits = Limits(**{limit: 2.0})
    assert outcome_of(limits, **{signal: 2.0}) is Outcome.FINISHED
    assert outcome_of(limits, **{signal: 2.1}) is outcome
    assert outcome_of(limits, **{signal: -2.1}) is outcome
    assert outcome_of(limits, **{signal: [0.0, -2.1]}) is outcome


@pytest.mark.parametrize("value", [jnp.nan, jnp.inf])
def test_what_is_not_finite_trips_before_any_limit(value):
    assert outcome_of(Limits(force=1.0), measured_force=value) is Outcome.NOT_FINITE


def test_the_first_breach_is_kept():
    monitor = LimitMonitor(Limits(displacement=1.0, force=1.0))
    state = monitor.init(*sample())
    for tick, shown in enumerate([{}, {"measured_force": 2.0}, {"displacement": 2.0}], start=1):
        state = monitor.step(tick * 1e-3, 1e-3, state, *sample(**shown))
    assert Outcome.from_code(state["code"]) is Outcome.FORCE
    assert state["tick"] == 2


def test_the_first_sample_is_judged_too():
    state = LimitMonitor(Limits(force=1.0)).init(*sample(measured_force=2.0))
    assert (Outcome.from_code(state["code"]), int(state["tick"])) == (Outcome.FORCE, 0)


def test_the_demand_decides_before_the_reading():
    """A rig that is not sent there cannot read anything there."""
    both = {"displacement": 2.0, "measured_displacement": 2.0}
    for spoiled in (2.0, np.nan):
        assert (
            outcome_of(Limits(displacement=1.0, force=1.0), measured_force=spoiled, **both)
            is Outcome.DISPLACEMENT
        )
    monitor = LimitMonitor(Limits(displacement=1.0))
    motion, reading = sample(**both)
    assert (
        Outcome.from_code(monitor.check_demand(1e-3, 1e-3, monitor.empty_state(), motion)["code"])
        is Outcome.DISPLACEMENT
    )
    assert (
        Outcome.from_code(monitor.check_measurement(1e-3, monitor.empty_state(), motion, reading)["code"])
        is Outcome.FINISHED
    )


@pytest.mark.parametrize("sigma", [-0.3, 0.2, 1.0, 3.0])
def test_the_growth_rate_of_an_exponential_envelope_is_found(sigma):
    monitor, dt = LimitMonitor(Limits(growth_window=0.25)), 1e-3
    state = monitor.init(*sample())

    def step(state, tick):
        z = jnp.exp(sigma * tick * dt) * jnp.sin(2 * jnp.pi * 7.0 * tick * dt)
        state = monitor.step(tick * dt, dt, state, *sample(displacement=z))
        return state, state["growth"]

    _, rates = jax.lax.scan(step, state, jnp.arange(1, 8001))
    # the means ripple at twice the frequency; over whole periods the rate is right
    assert float(rates[-1000:].mean()) == pytest.approx(sigma, abs=0.05 + 0.05 * abs(sigma))
    assert float(jnp.abs(rates[:3999]).max()) == 0.0  # not armed before four long time constants


def test_growth_trips():
    monitor, dt = LimitMonitor(Limits(growth_rate=0.5)), 1e-3

    def step(state, tick):
        z = jnp.exp(1.0 * tick * dt) * jnp.sin(2 * jnp.pi * 7.0 * tick * dt)
        return monitor.step(tick * dt, dt, state, *sample(displacement=z)), None

    state, _ = jax.lax.scan(step, monitor.init(*sample()), jnp.arange(1, 8001))
    assert Outcome.from_code(state["code"]) is Outcome.GROWTH_RATE


def test_a_limit_of_zero_is_refused():
    with pytest.raises(ParameterError, match=r"Limits\.force: got 0; must be above 0 N"):
        Limits(force=0.0)


@pytest.mark.parametrize(("force", "velocity"), [(3.0, 0.5), ([1.0, -1.0], [0.8, -0.7])])
def test_the_power_across_all_axes_is_watched(force, velocity):
    assert outcome_of(Limits(power=1.4), measured_force=force, velocity=velocity) is Outcome.POWER
    assert outcome_of(Limits(power=1.6), measured_force=force, velocity=velocity) is Outcome.FINISHED


def watch_readings(limits, demands, positions, forces):
    """The outcome after each tick, from the first on."""
    monitor, found, state = LimitMonitor(limits), [], None
    for tick, (z, x, f) in enumerate(zip(demands, positions, forces, strict=True)):
        shown = sample(displacement=z, measured_displacement=x, measured_force=f)
        state = monitor.init(*shown) if state is None else monitor.step(tick * 1e-3, 1e-3, state, *shown)
        found.append(Outcome.from_code(state["code"]))
    return found


def test_a_reading_that_stands_still_while_the_demand_moves_is_stale():
    demands, stuck = [1.0, 2.0, 4.0, 8.0, 16.0], [0.5] * 5  # powers of two, so that differences are exact
    found = watch_readings(Limits(frozen_sensor=2), demands, stuck, stuck)
    assert (
        found == [Outcome.FINISHED] * 3 + [Outcome.FROZEN_SENSOR] * 2
    )  # the first reading is new, two may stand still
    assert set(watch_readings(Limits(frozen_sensor=jnp.inf), demands, stuck, stuck)) == {Outcome.FINISHED}
    assert set(watch_readings(Limits(), demands, stuck, stuck)) == {
        Outcome.FINISHED
    }  # nobody said how late the rig is


def test_axes_that_stand_still_by_turns_are_not_stuck():
    demands = [[float(2**i), float(3**i)] for i in range(6)]
    by_turns = [[float(i // 2), float((i + 1) // 2)] for i in range(6)]
    assert set(watch_readings(Limits(frozen_sensor=1), demands, by_turns, by_turns)) == {Outcome.FINISHED}


def test_a_reading_at_rest_is_not_stale_and_one_that_moves_neither():
    still = [0.5] * 6
    assert set(watch_readings(Limits(frozen_sensor=2), still, still, still)) == {Outcome.FINISHED}
    moving = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    assert set(watch_readings(Limits(frozen_sensor=2), moving, still, moving)) == {Outcome.FINISHED}


def test_energy_that_the_interface_gives_is_watched_and_what_it_takes_is_not():
    limits, outcomes = Limits(interface_energy=0.4995), []  # half a tick below: no doubt of rounding
    for force in (1.0, -1.0):
        shown = sample(measured_force=force, velocity=1.0)  # 1 W over a second of ticks
        monitor = LimitMonitor(limits)
        state, _ = jax.lax.scan(
            lambda x, tick, s=shown, w=monitor: (w.step(tick * 1e-3, 1e-3, x, *s), None),
            monitor.init(*shown),
            jnp.arange(1, 1001),
        )
        outcomes.append((Outcome.from_code(state["code"]), int(state["tick"])))
    assert outcomes[0] == (Outcome.INTERFACE_ENERGY, 500)
    assert outcomes[1][0] is Outcome.FINISHED


def test_a_late_rig_trips_the_energy_limit_before_the_motion_is_large():
    """An unstable spring test: the interface feeds it; the same test with no delay takes nothing."""
    fields = {"rate": 1000.0, "duration": 3.0, "limits": Limits(interface_energy=0.05)}
    numerical = dv.mechanics.Oscillator(m=2.2, c=5.0, k=2250.0)
    wall = dv.Sine(amplitude=0.003, frequency=3.0)
    spring = dv.specimens.Spring(k=2250.0)
    late, soon = (
        dv.Test(
            numerical=numerical,
            rig=dv.Rig(actuator=dv.transfer.Delay(d), specimen=spring),
            excitation=wall,
            **fields,
        ).rehearse()
        for d in (9.4e-3, 1e-3)
    )
    assert late.outcome is Outcome.INTERFACE_ENERGY
    assert late.trip.signal == "interface_energy"
    assert late.trip.value == pytest.approx(0.05, rel=0.1)
    assert late.trip.unit == "J"
    assert float(np.abs(late.data.displacement).max()) < 0.02
    assert soon.outcome is Outcome.FINISHED


def test_the_force_of_an_axis_that_turns_has_the_limit_of_the_torque():
    turns, limits = (False,) * 3 + (True,) * 3, Limits(force=100.0, torque=5.0)
    for force, outcome in (
        ([50.0, 0.0, 0.0, 0.0, 4.0, 0.0], Outcome.FINISHED),
        ([50.0, 0.0, 0.0, 0.0, -6.0, 0.0], Outcome.TORQUE),
        ([0.0, 101.0, 0.0, 0.0, 0.0, 0.0], Outcome.FORCE),
    ):
        assert outcome_of(limits, turns, measured_force=force) is outcome
    assert limits.rig_limits(turns)["force"].tolist() == [100.0] * 3 + [5.0] * 3
    assert Limits(force=100.0).rig_limits(()) == {"force": 100.0}


def test_which_axes_turn_is_said_by_their_names_or_by_the_substructure(make_cs1):
    named = dataclasses.replace(make_cs1(), axes=("x", "yaw"))
    assert rotary_axes(named) == (False, True)


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"torque": 5.0}, "limits.torque   there is no rotary axis"),
        ({"force": [1.0, 2.0]}, "limits.force   has 2 values; give one number, as there is one axis"),
        ({"power": [1.0]}, "limits.power   has 1 values; give one number"),
    ],
)
@pytest.mark.parametrize("mode", ["rehearse", "reference", "pseudodynamic"])
def test_a_limit_that_cannot_be_watched_is_refused_in_every_mode(make_cs1, limits, sentence, mode):
    test = make_cs1(limits=Limits(**limits))
    with pytest.raises(TestFileError, match=re.escape(sentence)):
        test.run_pseudodynamic() if mode == "pseudodynamic" else getattr(test, mode)()


@pytest.mark.parametrize(
    "limit", ["growth_rate", "torque", "tracking_error", "power", "interface_energy", "frozen_sensor"]
)
def test_a_simulation_refuses_what_needs_a_rig(limit):
    found = faults(Limits(**{limit: 1.0}), ("x",), (), 1, "simulate")
    assert [str(fault.path) for fault in found] == [f"limits.{limit}"]
    assert "cannot be monitored" in found[0].text


SIX = ("x", "y", "z", "roll", "pitch", "yaw")
TURNS = (False,) * 3 + (True,) * 3


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        (
            {"force": [1.0, 2.0, 3.0]},
            "has 3 values; give one number, or one for each of the 6 axes: x, y, z,",
        ),
        (
            {"displacement": [[1.0] * 6] * 2},
            "has 12 values; give one number, or one for each of the 6 axes",
        ),
        (
            {"force": [9.0, 9.0, 9.0, np.inf, 5.0, 5.0]},
            "rotary axes: pitch, yaw; give inf for these, and use limits.torque",
        ),
        (
            {"torque": [5.0] * 6},
            "linear axes: x, y, z; give inf for these, and use limits.force",
        ),
    ],
)
def test_a_limit_on_axes_that_it_cannot_be_held_to_is_told_with_them(limits, sentence):
    found = faults(Limits(**limits), SIX, TURNS, 6, "rehearse")
    assert [fault.path for fault in found] == [f"limits.{name}" for name in limits]
    assert sentence in found[0].text


def test_limits_by_axis_are_taken_where_each_has_its_own():
    inf = np.inf
    limits = Limits(force=[9.0, 9.0, inf, inf, inf, inf], torque=[inf] * 3 + [5.0] * 3, velocity=[1.0] * 6)
    assert faults(limits, SIX, TURNS, 6, "pseudodynamic") == []
    assert faults(Limits(force=9.0, torque=5.0), SIX, TURNS, 6, "realtime") == []


def test_what_is_said_of_a_rig_is_refused_where_there_is_none():
    found = faults(Limits(link_timeout=3, approach_time=2.0), (), (), 1, "simulate")
    assert [fault.path for fault in found] == ["limits.link_timeout", "limits.approach_time"]
    assert faults(Limits(), (), (), 1, "simulate") == []


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("limits.forces=3", 'limits.forces   unknown key; did you mean "force"?'),
        ("limits.zzz=3", "limits.zzz   unknown key; known: acceleration, approach_time,"),
        ("limits.force=0", "limits.force   got 0; must be above 0 N"),
        ("limits.displacement=[1, 2]", "limits.displacement   has 2 values; give one number"),
        ('limits.torque="5 N m"', "limits.torque   there is no rotary axis"),
    ],
)
def test_the_check_command_tells_what_is_wrong_with_a_limit(setting, sentence):
    with pytest.raises(TestFileError, match=re.escape(sentence)):
        check_test("substructuring/cs1", [setting])


def test_every_check_is_on_a_limit_and_has_an_outcome_of_its_own():
    assert (
        len({check.limit for check in MONITORED_LIMITS})
        == len({check.outcome for check in MONITORED_LIMITS})
        == len(MONITORED_LIMITS)
    )
    assert {check.limit for check in MONITORED_LIMITS} <= set(declared_parameters(Limits))


def test_the_operators_guide_says_of_every_limit_where_it_is_watched(monkeypatch):
    pytest.importorskip("docutils")
    for folder in (Path(__file__).parents[2] / "docs", Path(__file__).parents[2] / "docs" / "_ext"):
        monkeypatch.syspath_prepend(str(folder))
    place = Path(__file__).parents[2] / "docs" / "_ext" / "project_tables.py"
    spec = importlib.util.spec_from_file_location("project_tables", place)
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    header, *rows = tables._monitored()
    assert [row[0] for row in rows] == [check.limit for check in MONITORED_LIMITS]
    column = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    assert column["torque"]["pseudodynamic"] == "after the move"
    assert column["velocity"]["pseudodynamic"] == "before the move"
    assert column["interface_energy"]["realtime: approach and return"] == "no: the loop is open in this phase"
    assert {name for name, row in column.items() if row["simulation"] == "yes"} == set(
        ("displacement", "velocity", "acceleration", "force")
    )


@pytest.mark.parametrize(("back", "outcome"), [(1.5, Outcome.CONTACT_ENERGY), (0.5, Outcome.FINISHED)])
def test_a_contact_that_gives_back_more_than_it_took_trips(back, outcome):
    monitor, state = LimitMonitor(Limits()), None
    # the force that is held, the velocity and the depth at the end of the tick: in, out, apart
    for held, v, depth in (
        (0.0, 1.0, -1.0),
        (0.0, 1.0, 0.1),
        (-1.0, 1.0, 0.1),
        (back, 1.0, 0.1),
        (0.0, 1.0, -1.0),
    ):
        motion, reading = sample(velocity=v)
        reading |= {"penetration": jnp.asarray(depth), "contact_energy": jnp.zeros(())}
        state = (
            monitor.init(motion, reading)
            if state is None
            else monitor.step(1.0, 1e-3, state, motion, reading, held)
        )
    assert Outcome.from_code(state["code"]) is outcome


def test_what_is_remembered_before_a_run_is_of_the_types_that_it_has_later():
    """A number of a looser type would have every loop that carries it compiled a second time."""
    monitor = LimitMonitor.for_test(dv.load(find_test("substructuring/cs1")), "pseudodynamic")
    assert not [leaf for leaf in jax.tree.leaves(monitor.empty_state((6,))) if leaf.weak_type]


def test_a_demand_that_moves_less_than_a_thousandth_of_its_largest_does_not_make_a_reading_stale():
    stuck = [0.5] * 6
    for step, last in ((0.9e-3, Outcome.FINISHED), (1.1e-3, Outcome.FROZEN_SENSOR), (1e-6, Outcome.FINISHED)):
        demands = [0.0, 2.0, *(2.0 * (1.0 + step) for _ in range(4))]
        readings = [0.0, *stuck[1:]]  # follows the first move, then stands still
        assert watch_readings(Limits(frozen_sensor=2), demands, readings, readings)[-1] is last
