import re

import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.impacts import (
    ImpactEvent,
    coarse_steps,
    coarse_tick,
    contact_energy,
    energy_balance,
    find_impacts,
    impact_log,
)


def half_sine(t, start, duration, peak):
    inside = (t > start) & (t < start + duration)
    return np.where(inside, peak * np.sin(np.pi * (t - start) / duration), 0.0)


T = np.linspace(0, 0.1, 10_001)
DEPTH = half_sine(T, 0.02, 0.005, 1e-4) + half_sine(T, 0.06, 0.008, 5e-5) - 1e-6
FORCE = 1e7 * np.maximum(DEPTH, 0)
VELOCITY = np.where(T < 0.022, 0.1, np.where(T < 0.05, -0.08, np.where(T < 0.064, 0.05, -0.04)))


def test_every_contact_is_listed_with_its_numbers():
    first, second = find_impacts(T, DEPTH, FORCE, VELOCITY)
    assert (first.approach, first.rebound) == (0.1, 0.08)
    assert first.restitution == pytest.approx(0.8)
    assert first.duration == pytest.approx(0.005, rel=0.02)
    assert first.peak_depth == pytest.approx(99e-6, rel=1e-3)
    assert second.start == pytest.approx(0.06, abs=2e-4)
    assert second.peak_force == pytest.approx(490.0, rel=1e-3)
    assert first.texts()["rebound over approach speed"] == "0.8"
    assert first.texts()["approach speed"] == "100 mm/s"


def test_impulse_is_the_area_under_the_force():
    first = find_impacts(T, DEPTH, FORCE, VELOCITY)[0]
    assert first.impulse == pytest.approx(np.trapezoid(FORCE[:5000], T[:5000]), rel=1e-6)


def test_a_record_that_ends_in_contact_has_no_end():
    event = find_impacts(T[:2250], DEPTH[:2250], FORCE[:2250], VELOCITY[:2250])[0]
    assert np.isnan(event.end)


def test_a_run_without_contact_has_no_impacts():
    assert find_impacts(T, np.full_like(T, -1.0), 0 * T, 0 * T) == []


def test_a_run_is_read_by_its_signals():
    data = xr.Dataset(
        {"penetration": ("time", DEPTH), "feedback_force": ("time", -FORCE), "velocity": ("time", VELOCITY)},
        {"time": T},
    )
    assert len(impact_log(data)) == 2
    with pytest.raises(AnalysisError, match='no "penetration"'):
        impact_log(data.drop_vars("penetration"))
    with pytest.raises(AnalysisError, match="has no kinetic_energy"):
        energy_balance(data)


def test_a_cell_that_waits_at_its_last_depth_does_not_touch():
    depth = np.array([0.0, 1e-3, 2e-5, 2e-5, 2e-5, 1e-3, 0.0])  # it waits in the middle
    trace = {
        "penetration": depth,
        "feedback_force": depth,
        "velocity": 0 * depth,
        "contact_gate": [0, 1, 1, 0, 0, 1, 1],
    }
    data = xr.Dataset({name: ("time", values) for name, values in trace.items()}, {"time": np.arange(7.0)})
    assert len(impact_log(data)) == 2
    assert len(impact_log(data.drop_vars("contact_gate"))) == 1


def test_an_axis_dimension_of_one_counts_as_one_axis():
    """As a robot cell with one axis answers it."""
    signals = {"feedback_force": ("time", FORCE), "velocity": ("time", VELOCITY)}
    run = xr.Dataset({"penetration": (("time", "penetration_0"), DEPTH[:, None]), **signals}, {"time": T})
    assert impact_log(run) == find_impacts(T, DEPTH, FORCE, VELOCITY)
    two = run.assign(penetration=(("time", "penetration_0"), np.stack([DEPTH, DEPTH], axis=1)))
    with pytest.raises(AnalysisError, match="several axes"):
        impact_log(two)


def test_energies_are_summed():
    names = ("kinetic_energy", "contact_energy", "contact_dissipation")
    data = xr.Dataset(
        {name: ("time", np.full(3, i + 1.0)) for i, name in enumerate(names)}, {"time": [0, 1, 2]}
    )
    np.testing.assert_array_equal(energy_balance(data).balance, [6.0, 6.0, 6.0])


def test_traces_of_different_length_are_rejected():
    with pytest.raises(ParameterError, match="four of equal length"):
        find_impacts(T, DEPTH[:-1], FORCE, VELOCITY)


def test_impacts_on_several_axes_are_those_along_the_normal():
    t = np.linspace(0, 1, 1001)
    depth = 0.1 * (0.3 - np.abs(t - 0.5))  # in at 0.1 m/s, out at the same
    data = xr.Dataset(
        {
            "penetration": ("time", depth),
            "normal_force": ("time", np.maximum(depth, 0) * 1e3),
            "feedback_force": (("time", "axis"), np.zeros((1001, 6))),
            "velocity": (("time", "axis"), np.zeros((1001, 6))),
        },
        {"time": t},
    )
    (event,) = impact_log(data)
    assert event.approach == pytest.approx(0.1)
    assert event.rebound == pytest.approx(0.1)
    assert event.peak_force == pytest.approx(30.0)


def test_steps_as_coarse_as_the_penetration_are_reported_with_numbers():
    assert coarse_steps(1e-6, 100e-6) is None
    said = coarse_steps(50e-6, 100e-6)
    assert said.startswith("the motion has steps of 50 um, 50 %")
    assert coarse_steps(1e-6, 0.0) is None  # nothing touched


def test_an_unfinished_contact_is_marked_and_a_large_penetration_is_in_millimetres():
    event = ImpactEvent(0.1, float("nan"), -1.0, 0.5, 600.0, 0.0595, 3.0)
    assert event.texts()["contact time"] == "in contact"
    assert event.texts()["peak penetration"] == "59.5 mm"


def test_a_contact_that_leaves_faster_than_it_arrives_gains_energy():
    def at(*ratios):
        return [ImpactEvent(i, i + 0.1, 0.5, 0.5 * ratio, 1.0, 1.0, 1.0) for i, ratio in enumerate(ratios)]

    passive, active = contact_energy(at(0.7, 0.9), at(0.8)), contact_energy(at(0.7, 1.2), at(0.8))
    assert (passive.gains, active.gains) == (False, True)
    assert (
        str(active) == "1 of 2 contacts gains energy: rebound over approach speed 0.7 to 1.2, reference 0.8"
    )
    assert str(passive).startswith("none of 2 contacts gains energy")


def test_contacts_that_the_machine_drives_have_no_energy_verdict():
    driven = [ImpactEvent(0.0, 0.1, 0.5, 0.7, 1.0, 1.0, 1.0)]
    unfinished = [ImpactEvent(0.0, float("nan"), 0.5, -0.1, 1.0, 1.0, 1.0)]
    assert contact_energy(driven, driven) is None
    assert contact_energy(unfinished) is None
    assert contact_energy([]) is None


def test_impacts_on_one_axis_use_the_interface_force_and_speed():
    signals = {"penetration": DEPTH, "feedback_force": FORCE, "velocity": VELOCITY, "normal_force": 7 * FORCE}
    run = xr.Dataset({name: ("time", values) for name, values in signals.items()}, {"time": T})
    assert impact_log(run) == find_impacts(T, DEPTH, FORCE, VELOCITY)


def test_several_axes_without_a_force_along_the_normal_are_rejected():
    many = (("time", "axis"), np.zeros((len(T), 6)))
    run = xr.Dataset({"penetration": ("time", DEPTH), "feedback_force": many, "velocity": many}, {"time": T})
    with pytest.raises(ParameterError, match="four of equal length"):
        impact_log(run)


@pytest.mark.parametrize(("ticks", "restitution"), [(100.0, 1.0), (30.0, 1.0), (40.0, 0.7)])
def test_the_warning_of_a_coarse_tick_states_the_energy_that_a_held_force_adds(ticks, restitution):
    """A mass on a spring that is softer in unloading, its force held over each tick: integrated here."""
    m, k, v0 = 2.0, 8000.0, 0.5
    softer = k * restitution**2
    duration = sum(np.pi / 2 * np.sqrt(m / stiffness) for stiffness in (k, softer))  # with the true force
    h = duration / ticks
    x, v = 0.0, v0
    while x >= 0.0:
        force = (k if v > 0 else softer) * x
        x, v = x + v * h - force / m * h**2 / 2, v - force / m * h
    event = ImpactEvent(0.0, duration, v0, restitution * v0, 1.0, 0.01, 1.0)
    text = coarse_tick([event], [event], h)
    faster = -v / (restitution * v0) - 1
    if ticks == 100.0:
        assert faster < 0.05
        assert text is None
    else:
        stated = float(re.search(r"about ([\d.]+) % too fast", text).group(1))
        assert stated == pytest.approx(100 * faster, rel=0.4)  # to first order in the tick, of a half-sine
        assert f"{ticks:.3g} ticks" in text
