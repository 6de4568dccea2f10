import re
from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.core.recording import Recording
from dovetail.fidelity import compare, norms


@pytest.fixture(name="pair")
def _pair(make):
    return make.cs1_steady(delay=6e-3), make.cs1_steady(delay=0.0)


def test_a_rig_with_delay_is_described_as_late(pair):
    found = compare(*pair)
    assert found.rms["e1"] == pytest.approx(float(norms(*pair)["rms"].sel(error="e1")))
    assert found.delay == pytest.approx(6e-3, abs=1e-5)
    assert found.loop_direction == "late"
    assert found.energy_added > 0
    assert abs(found.growth_rate) < 1e-3  # a steady state
    assert found.notes == ()
    assert not found.stopped_early


def test_the_text_reads_as_a_table(pair):
    text = str(compare(*pair))
    assert text.splitlines()[0].endswith("2.999 s, 3000 samples")
    assert re.search(r"delay of the measured displacement +6 ms$", text, re.MULTILINE)
    assert re.search(r"synchronisation loop +late$", text, re.MULTILINE)


def test_runs_and_datasets_give_equal_comparisons(pair):
    assert str(compare(*(SimpleNamespace(recording=Recording.from_dataset(d)) for d in pair))) == str(
        compare(*pair)
    )


def test_a_run_stopped_early_is_compared_on_the_common_times(pair):
    run, ideal = pair
    found = compare(run.isel(time=slice(0, 1500)), ideal)
    assert found.stopped_early
    assert found.samples == 1500
    assert "ended before the reference" in str(found)


def test_several_axes_have_columns(make):
    a, b = make.cs1_steady(delay=2e-3), make.cs1_steady(delay=5e-3)
    names = ("displacement", "measured_displacement", "feedback_force")
    run = make.recording(a.time.values, **{n: np.stack([a[n], b[n]], axis=1) for n in names})
    one = make.cs1_steady(delay=0.0)
    ideal = make.recording(a.time.values, **{n: np.stack([one[n]] * 2, axis=1) for n in names})
    found = compare(run, ideal)
    np.testing.assert_allclose(found.delay, [2e-3, 5e-3], atol=1e-5)
    assert "axis 1" in str(found)
    assert found.loop_direction == ("late", "late")


def test_only_moving_axes_have_errors(make):
    """A planar motion among six axes: what does not move takes nothing from what does."""
    a, one = make.cs1_steady(delay=2e-3), make.cs1_steady(delay=0.0)
    names = [n for n in a.data_vars if a[n].dims == ("time",)]
    run, ideal = (
        make.recording(a.time.values, **{n: np.stack([0.0 * d[n], d[n]], axis=1) for n in names})
        for d in (a, one)
    )
    both, alone = compare(run, ideal), compare(a, one)
    for name in (
        "delay",
        "gain",
        "residual",
        "loop_opening",
        "growth_rate",
        "energy_added",
        "added_energy_fraction",
    ):
        still, moves = getattr(both, name)
        assert np.isnan(still), name
        assert moves == pytest.approx(getattr(alone, name), nan_ok=True), name
    assert both.rms["e1"][1] == pytest.approx(alone.rms["e1"])
    assert both.loop_direction == ("", alone.loop_direction)
    assert "not determined on axis 1" in str(both)


def test_undetermined_values_are_stated_in_words(pair):
    run, ideal = pair
    found = compare(run.drop_vars("feedback_force"), ideal)
    assert np.isnan(found.energy_added)
    assert any(note.startswith("energy not determined: no recorded signal") for note in found.notes)
    assert "not determined" in str(found)


def test_an_exact_run_has_no_growing_error(make):
    ideal = make.cs1_steady(delay=0.0)
    found = compare(ideal, ideal)
    assert found.rms["e"] == 0.0
    assert np.isnan(found.growth_rate)
    assert any("e1 is zero to rounding" in note for note in found.notes)


def test_a_run_that_is_not_finite_is_rejected_with_the_time(pair):
    run, ideal = pair
    run["displacement"][2000:] = np.inf
    with pytest.raises(AnalysisError, match="not finite from t = 2 s"):
        compare(run, ideal)


def test_the_largest_value_is_that_of_the_worst_axis(make):
    one, ideal = make.cs1_steady(delay=2e-3), make.cs1_steady(delay=0.0)
    names = ("displacement", "measured_displacement", "feedback_force")
    run, both = (
        make.recording(d.time.values, **{n: np.stack([0.0 * d[n], d[n]], axis=1) for n in names})
        for d in (one, ideal)
    )
    found, alone = compare(run, both), compare(one, ideal)
    assert found.largest("rms.e2") == pytest.approx(alone.rms["e2"])
    assert found.text("rms.e2") == found.text("rms.e2", 1) == alone.text("rms.e2")
    assert found.text("rms.e2", 0) == "not determined"


def test_a_rig_that_does_not_follow_has_a_remark_instead_of_a_delay(pair):
    """Driven into its limit it creeps away from the demand: a shift of a second would fit best, and mean nothing."""
    run, ideal = pair
    t = run.time.values
    creeping = 1e-3 * np.clip(t - 1.0, 0.0, 1.0) + 1e-5 * np.sin(2 * np.pi * 3.0 * t)
    found = compare(run.assign(measured_displacement=run.measured_displacement.copy(data=creeping)), ideal)
    assert np.isnan(found.delay)
    assert re.search(r"delay of the measured displacement +not determined\n", str(found))
    assert any("cannot tell the delay" in note for note in found.notes)
