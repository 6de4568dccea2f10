import dataclasses

import jax
import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import OutputError
from dovetail.core.recording import Recording
from dovetail.studies.shipboard.assembly import loaded
from dovetail.studies.shipboard.source_files import read_inputs, write_inputs, write_outputs
from dovetail.testing import Run
from dovetail.testing.outcome import Outcome
from dovetail.testing.test_file import parse


@pytest.mark.slow
@pytest.mark.parametrize("name", ["case-3", "case-7"])
def test_a_test_is_restored_from_files_of_the_source_format(tmp_path, name):
    test = loaded(name)
    again = parse(read_inputs(write_inputs(test, tmp_path / name)))
    assert again.duration == test.duration
    assert again.rate == pytest.approx(test.rate)
    ours, theirs = test.numerical, again.numerical
    # the files have the centre of gravity at the origin, so hardware is shifted and nothing else
    np.testing.assert_allclose(theirs.model.nodes, ours.model.nodes, atol=1e-15)
    largest = abs(ours.mass_matrix).max()  # an entry that is zero for one may be rounding for the other
    np.testing.assert_allclose(theirs.mass_matrix, ours.mass_matrix, rtol=1e-12, atol=1e-15 * largest)
    x, y = ours.init(), theirs.init()
    np.testing.assert_allclose(y["position"], x["position"])
    for t in (0.0, 1.2, 3.0):
        for a, b in zip(ours.platforms, theirs.platforms, strict=True):
            np.testing.assert_allclose(b.motion.pose(t), a.motion.pose(t), atol=1e-12)
    for a, b in zip(ours.struts, theirs.struts, strict=True):
        np.testing.assert_allclose(b.mount, a.mount - ours.offset)
        assert b.law.stiffness == a.law.stiffness


def _through_files(test, folder):
    return parse(read_inputs(write_inputs(test, folder)))


def test_steps_and_tolerances_survive(tmp_path):
    asked = {"rtol": 3e-5, "atol": 2e-6, "max_step": 4e-3, "min_step": 2e-9, "restart_step": 5e-5}
    test = loaded("case-1", tuple((f"method.{name}", value) for name, value in asked.items()))
    method = _through_files(test, tmp_path).method
    assert {name: float(getattr(method, name)) for name in asked} == pytest.approx(asked)


@pytest.mark.parametrize("given", ["MCK", "K"])
def test_external_matrices_are_read_and_written(tmp_path, given):
    test = loaded("case-1")
    M, C, K = test.numerical.gear.structure()
    own = {"M": 1.1 * M, "C": 1.2 * C, "K": 1.3 * K}
    np.savez(tmp_path / "own.npz", **own)
    stiffer = loaded("case-1", (("numerical.gear.matrices", str(tmp_path / "own.npz")),))
    folder = write_inputs(stiffer, tmp_path / "files")
    assert all((folder / f"Properties_FE_{name}mat.inp").is_file() for name in "MCK")
    lines = (folder / "Simulation.inp").read_text().splitlines()
    lines[4:7] = [str(int(name in given)) for name in "MCK"]  # what is read in, the rest from the mesh
    (folder / "Simulation.inp").write_text("\n".join(lines) + "\n")
    found = dict(zip("MCK", parse(read_inputs(folder)).numerical.gear.structure(), strict=True))
    plain = {"M": M, "C": C, "K": K}
    for name, matrix in found.items():
        np.testing.assert_allclose(matrix, own[name] if name in given else plain[name], rtol=1e-14)


def test_a_missing_file_is_reported_by_name(tmp_path):
    with pytest.raises(OutputError, match=r"Simulation\.inp"):
        read_inputs(tmp_path)


def test_outputs_are_rows_in_time_of_the_requested_signals(tmp_path):
    test = dataclasses.replace(loaded("case-1"), duration=1.0)
    craft = test.numerical
    shown = jax.jit(lambda: craft.output(0.0, craft.init(), None))()
    both = {k: np.stack([np.asarray(v)] * 3) for k, v in shown.items()}
    data = xr.Dataset(
        {k: (["time", *(f"{k}{i}" for i in range(v.ndim - 1))], v) for k, v in both.items()},
        {"time": [0.0, 0.5, 1.0]},
    )
    run = Run(test, "simulate", Recording.from_dataset(data), Outcome.FINISHED)
    folder = write_outputs(run, tmp_path, ("states", "contact", "poly rsd", "ocp rsd"))
    assert sorted(p.name for p in folder.glob("*.out")) == [
        "FORCE_CONTACT.out",
        "GEN_SOLUTION.out",
        "OCP_RSD.out",
        "POLY_RSD.out",
    ]
    states = np.loadtxt(folder / "GEN_SOLUTION.out")
    assert states.shape == (3, 1 + 6 + 12)
    assert states[0, 5] == pytest.approx(0.8)
    corner = np.loadtxt(folder / "POLY_RSD.out")[0, 1:3]
    np.testing.assert_allclose(corner, [-2.03, 0.1])
    anchors = np.loadtxt(folder / "OCP_RSD.out")
    np.testing.assert_allclose(anchors[0, 1:], [-0.35, 0.36, 0.35, 0.36])  # the feet: nothing is touched yet
