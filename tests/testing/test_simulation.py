"""Simulations without a rig: read from a file, run, stopped with a reason, written and read back."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.testing import Outcome

TABLE = {
    "title": "a pendulum of one link",
    "rate": "100 Hz",
    "axes": ["x", "y", "z"],
    "duration": "2 s",
    "numerical": {
        "kind": "towed-rope",
        "airflow": "off",
        "initial_angles": ["10 deg", "0 deg"],
        "chain": {"kind": "link-chain", "n": 1, "length": "1 m", "mass": "1e-6 kg"},
        "device": {"kind": "no-device", "mass": "2 kg"},
    },
}


def changed(**changes):
    from dovetail.testing.test_file import change

    return change(TABLE, changes)


@pytest.fixture(scope="module")
def run():
    return testing.parse(TABLE).simulate()


def test_a_pendulum_swings_with_its_period(run):
    x = run.data["displacement"].sel(axis="x").values
    back = np.argmax(x[0] * x[50:]) + 50  # on the side where it started
    # 2 pi sqrt(l / g) (1 + theta^2 / 16), the peak found to one record
    assert run.data.time.values[back] == pytest.approx(
        2 * np.pi / np.sqrt(9.81) * (1 + np.radians(10) ** 2 / 16), abs=0.02
    )
    assert run.outcome is Outcome.FINISHED
    assert float(abs(run.data["energy_residual"]).max()) < 1e-5 * float(
        run.data["kinetic_energy"].max()
    )  # 10 ms
    assert run.data["displacement"].attrs["units"] == "m"


def test_it_is_written_and_read_back_as_it_was(run, tmp_path):
    again = testing.read_run(testing.save_run(run, tmp_path / "run"))
    assert again.test.title == run.test.title
    np.testing.assert_array_equal(again.data["tension"], run.data["tension"])
    assert testing.dump(again.test) == testing.dump(run.test)


def test_a_simulation_ends_at_a_limit_and_keeps_its_samples():
    run = testing.parse(changed(**{"limits.velocity": "0.3 m/s"})).simulate()
    assert run.outcome is Outcome.VELOCITY
    assert 0.05 < float(run.data.time[-1]) < 0.5
    assert "velocity" in str(run.trip)


def test_a_simulation_can_be_recorded_thinned(run):
    thin = testing.parse(changed(record_every=10)).simulate()
    np.testing.assert_array_equal(thin.data["tension"], run.data["tension"][::10])
    largest = np.abs(run.data["tension"].values).max(axis=0)  # over all ticks, and not those recorded only
    np.testing.assert_allclose(thin.data["tension"].attrs["largest"], largest)


def test_a_motion_that_is_not_finite_ends_the_run():
    simulation = testing.parse(TABLE)
    bad = simulation.with_values(**{"numerical.gravity": jnp.nan})
    run = bad.simulate()
    assert run.outcome is Outcome.NOT_FINITE
    assert run.data.sizes["time"] == 1


def test_faults_of_a_file_are_reported_with_their_path():
    with pytest.raises(TestFileError) as caught:
        testing.parse({**changed(**{"numerical.chain.length": "0 m", "numerical.chian": 1})}, "rope.toml")
    text = str(caught.value)
    assert "numerical.chain.length" in text
    assert "above 0 m" in text
    assert 'did you mean "chain"' in text


def test_an_unknown_kind_of_file_lists_the_known_ones():
    with pytest.raises(TestFileError, match='got "mop"; .*test, map, cell'):
        testing.parse({**TABLE, "kind": "mop"})


def test_old_names_of_a_simulation_file_are_errors_with_the_new_names():
    with pytest.raises(TestFileError, match='write "test"'):
        testing.parse({**TABLE, "kind": "simulation"})
    system = {name: value for name, value in TABLE.items() if name != "numerical"}
    with pytest.raises(TestFileError, match='write "numerical"'):
        testing.parse({**system, "system": TABLE["numerical"]})


def test_all_faults_of_a_simulation_are_reported_together():
    weak = {
        "numerical.breaking_strength": "10 N",
        "numerical.chain.joint_damping": "1 kN m s",
        "numerical.chain.mass": "1 kg",
    }
    with pytest.raises(TestFileError) as caught:
        testing.parse(changed(**weak))
    text = str(caught.value)
    assert "carries 29.43 N at rest, allowed are 10 N" in text
    assert "RK4: a step of 0.01 s is unstable" in text


def test_a_record_that_ends_before_the_simulation_is_reported():
    record = {"kind": "ground-record", "samples": [0.0, 1.0, 0.0], "sample_time": 0.5}
    with pytest.raises(TestFileError, match='before the end of the run at 2 s; .* after_end = "zero"'):
        testing.parse(changed(excitation=record))
    assert testing.parse(changed(excitation={**record, "after_end": "zero"})).excitation.valid_until == np.inf
