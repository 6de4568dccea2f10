"""The store: whole chunks, coordinates, and a refusal to mix or to overwrite."""

import json
import os

import numpy as np
import pytest

from dovetail.campaign import Store, open_results, run, zarr_files
from dovetail.campaign.subjects import ChunkResult, Values
from dovetail.core.errors import OutputError


def filled(start, size=4):
    return ChunkResult({"y": Values((), np.arange(start, start + size, dtype=float))}, {})


def test_a_grid_has_its_parameters_as_dimensions(small, tmp_path):
    campaign = small()
    run(campaign, tmp_path / "out")
    data = open_results(tmp_path / "out")
    assert data["frequency"].dims == ("mass", "damping")
    assert float(data["frequency"].sel(mass=4.0, damping=1.0)) == 5.0
    assert data["mass"].attrs["units"] == "kg"
    assert data.attrs["failed"] == 0


def test_words_come_back_as_words(small, tmp_path):
    parameter = [{"path": "law", "values": ["square", "linear"]}, {"path": "mass", "values": [4.0]}]
    run(small(parameter=parameter), tmp_path / "out")
    data = open_results(tmp_path / "out")
    assert sorted(data["law"].values) == ["linear", "square"]
    assert float(data["frequency"].sel(law="square", mass=4.0)) == 25.0


def test_what_is_missing_is_known_and_nan(small, tmp_path):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    assert store.missing_chunks() == [0, 1, 2]
    store.write(1, filled(4))
    assert store.missing_chunks() == [0, 2]
    again = Store.resume(tmp_path / "out", small())
    assert again.missing_chunks() == [0, 2]
    assert again.point_count() == 4
    values = open_results(tmp_path / "out", flat=True)["y"].values
    np.testing.assert_array_equal(values, [np.nan] * 4 + [4, 5, 6, 7] + [np.nan] * 4)


def test_a_chunk_without_its_mark_is_missing_even_if_its_numbers_are_there(small, tmp_path):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    store.write(0, filled(0))
    (tmp_path / "out" / "done" / "000000.json").unlink()
    assert Store.resume(tmp_path / "out").missing_chunks() == [0, 1, 2]


def test_points_with_a_measure_of_another_shape_than_before_have_failed(small, tmp_path):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    store.write(0, filled(0))
    wide = ChunkResult({"y": Values(("time",), np.zeros((4, 2)))}, {})
    store.write(1, wide)
    assert store.missing_chunks() == [2]
    text = "incompatible shapes: y has (2,) here, () elsewhere"
    assert wide.reasons == dict.fromkeys(range(4), text)
    assert store.failure_reasons() == dict.fromkeys(range(4, 8), text)
    assert np.isnan(open_results(tmp_path / "out", flat=True)["y"].values[4:]).all()


def test_reasons_are_kept_by_point(small, tmp_path):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    result = filled(4)
    result.reasons |= {1: "too heavy"}
    store.write(1, result)
    assert store.failure_reasons() == {5: "too heavy"}


def test_nothing_is_overwritten(small, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious").write_text("")
    with pytest.raises(OutputError, match="choose another folder"):
        Store.create(tmp_path / "out", small(), 4, 2)
    Store.create(tmp_path / "new", small(), 4, 2)
    with pytest.raises(OutputError, match="--resume"):
        Store.create(tmp_path / "new", small(), 4, 2)


def test_another_campaign_is_refused(small, tmp_path):
    Store.create(tmp_path / "out", small(), 4, 2)
    with pytest.raises(OutputError, match="its parameters: mass, damping; given: mass"):
        Store.resume(tmp_path / "out", small(parameter=[{"path": "mass", "values": [1.0]}]))
    parameter = [{"path": "mass", "values": [1.0, 2.0]}, {"path": "damping", "min": 0, "max": 9, "count": 6}]
    with pytest.raises(OutputError, match=r"its mass: 1\.0, 2\.0, 4\.0, 8\.0; given: 1\.0, 2\.0"):
        Store.resume(tmp_path / "out", small(parameter=parameter))
    with pytest.raises(OutputError, match=r"\[set\] or values of the test"):
        Store.resume(tmp_path / "out", small(set={"stiffness": 3.0}))
    with pytest.raises(OutputError, match="contains no campaign"):
        Store.resume(tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "text"), [("dovetail", "0.0.1", "version 0.0.1"), ("format", 0, "format 0")]
)
def test_another_version_is_refused(small, tmp_path, key, value, text):
    Store.create(tmp_path / "out", small(), 4, 2)
    about = tmp_path / "out" / "results.zarr" / "zarr.json"
    table = json.loads(about.read_text())
    table["attributes"][key] = value
    about.write_text(json.dumps(table))
    with pytest.raises(OutputError, match=text):
        Store.resume(tmp_path / "out", small())


def test_one_process_writes_at_a_time(small, tmp_path):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    with (
        store.write_lock(),
        pytest.raises(OutputError, match="another process"),
        Store.resume(tmp_path / "out").write_lock(),
    ):
        pass
    with store.write_lock():
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("path", ["results.zarr/y/1", "done/000001.json.partial"], ids=["numbers", "mark"])
def test_a_full_disk_is_told_and_what_was_computed_is_kept(small, tmp_path, path):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    store.write(0, filled(0))
    (tmp_path / "out" / path).symlink_to("/dev/full")
    with pytest.raises(OutputError, match=r"no space left on device.*4 of 12 points are stored.*--resume"):
        store.write(1, filled(4))
    again = Store.resume(tmp_path / "out")
    assert again.missing_chunks() == [1, 2]
    (tmp_path / "out" / path).unlink()  # room was made
    again.write(1, filled(4))
    assert again.missing_chunks() == [2]


def test_a_folder_that_cannot_be_written_is_told(small, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written.*no point was computed"):
        Store.create(tmp_path / "file" / "out", small(), 4, 2)


def test_where_nothing_could_be_begun_nothing_is_left(small, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(zarr_files, "create_group", full)
        with pytest.raises(
            OutputError, match="no space left on device.*no point was computed. Free disk space"
        ):
            Store.create(tmp_path / "out", small(), 4, 2)
    assert Store.create(tmp_path / "out", small(), 4, 2).missing_chunks() == [0, 1, 2]  # room was made
