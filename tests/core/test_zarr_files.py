"""What is written file by file is read by the library of the format, to the bit."""

import numpy as np
import pytest
import zarr

from dovetail.core import zarr_files

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("rest", [(), (3,), (2, 5)], ids=["numbers", "a row each", "a table each"])
def test_chunks_are_read_back_to_the_bit_and_the_rest_is_nan(tmp_path, rest):
    group, values = tmp_path / "out.zarr", RNG.normal(size=(7, *rest))
    zarr_files.create_group(group, {"title": "a few"})
    dims = ("point", "row", "column")[: 1 + len(rest)]
    zarr_files.create_array(group / "y", values.shape, dims, {"units": "m"}, chunk=3)
    checksums = {
        0: zarr_files.write_chunk(group / "y", 0, values[:3], 3),
        2: zarr_files.write_chunk(group / "y", 2, values[6:], 3),  # the last one is shorter
    }
    for number, checksum in checksums.items():
        part = values[3 * number : 3 * number + 3]
        found = zarr_files.read_chunk(group / "y", number, (3, *rest), checksum)
        np.testing.assert_array_equal(found[: len(part)], part)
    found = zarr.open_group(group, mode="r")
    assert found.attrs["title"] == zarr_files.attributes(group)["title"] == "a few"
    array = found["y"]
    assert array.metadata.dimension_names == dims
    assert array.attrs["units"] == "m"
    np.testing.assert_array_equal(array[:3], values[:3])
    np.testing.assert_array_equal(array[6:], values[6:])
    assert np.isnan(array[3:6]).all()


def test_integers_and_other_orders_are_stored_as_plain_numbers(tmp_path):
    zarr_files.create_group(tmp_path, {})
    zarr_files.create_array(tmp_path / "y", (2, 3), ("point", "row"), {}, chunk=2)
    values = np.asfortranarray(np.arange(6).reshape(2, 3))
    zarr_files.write_chunk(tmp_path / "y", 0, values, 2)
    np.testing.assert_array_equal(zarr.open_group(tmp_path, mode="r")["y"][:], values)
