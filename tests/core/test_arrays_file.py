"""Files of named arrays: faults of any kind raise an error with a reason."""

import contextlib

import numpy as np
import pytest

from dovetail.core.arrays_file import read_arrays, require_rising
from dovetail.core.errors import DovetailError, OutputError, ParameterError


@pytest.fixture
def file(tmp_path):
    np.savez_compressed(tmp_path / "grid.npz", x=[0.0, 1.0, 2.0], velocity=np.ones((3, 2)))
    return tmp_path / "grid.npz"


def test_arrays_are_read_as_numbers_by_name(file):
    data = read_arrays(file, ("x", "velocity"), "grid")
    assert {name: values.shape for name, values in data.items()} == {"x": (3,), "velocity": (3, 2)}
    require_rising(file, data, ("x",))


def test_missing_arrays_and_other_files_are_rejected(file, tmp_path):
    with pytest.raises(ParameterError, match="grid.npz: y missing"):
        read_arrays(file, ("x", "y"), "grid")
    with pytest.raises(OutputError, match="none.npz: cannot read the grid .no such file"):
        read_arrays(tmp_path / "none.npz", (), "grid")
    np.save(tmp_path / "one.npy", np.ones(3))
    with pytest.raises(OutputError, match="a single array"):
        read_arrays(tmp_path / "one.npy", (), "grid")
    np.savez(tmp_path / "words.npz", x=["a", "b"])
    with pytest.raises(OutputError, match="could not convert string"):
        read_arrays(tmp_path / "words.npz", (), "grid")


@pytest.mark.parametrize("values", [[0.0, 0.0], [1.0], [[0.0, 1.0]], [0.0, np.inf], [2.0, 1.0], 3.0])
def test_an_axis_that_does_not_increase_is_rejected(values):
    with pytest.raises(ParameterError, match="x must be a row of 2 or more increasing numbers"):
        require_rising("a.npz", {"x": np.asarray(values)}, ("x",))


@pytest.mark.parametrize("seed", range(150))
def test_a_damaged_file_is_read_or_rejected(file, seed):
    random = np.random.default_rng(seed)
    data = bytearray(file.read_bytes())
    for at in random.integers(0, len(data), int(random.integers(1, 6))):
        data[at] = int(random.integers(256))
    file.write_bytes(bytes(data[: int(random.integers(1, len(data) + 1))] if seed % 3 == 0 else data))
    with contextlib.suppress(DovetailError):  # no other error
        read_arrays(file, ("x", "velocity"), "grid")
