"""The store: whole chunks, coordinates, and a refusal to mix or to overwrite."""

import random
import shutil

import numpy as np
import pytest

import seeded_faults
from dovetail.campaign import Store, open_results, run
from dovetail.campaign.subject_base import ChunkResult, Values
from dovetail.core import zarr_files
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


def test_text_values_are_restored_as_text(small, tmp_path):
    parameter = [{"path": "law", "values": ["square", "linear"]}, {"path": "mass", "values": [4.0]}]
    run(small(parameter=parameter), tmp_path / "out")
    data = open_results(tmp_path / "out")
    assert sorted(data["law"].values) == ["linear", "square"]
    assert float(data["frequency"].sel(law="square", mass=4.0)) == 25.0


def test_missing_points_are_listed_and_nan(small, tmp_path):
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


def test_failure_reasons_are_stored_by_point(small, tmp_path):
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


def test_another_campaign_is_rejected(small, tmp_path):
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
def test_another_version_is_rejected(small, tmp_path, key, value, text):
    Store.create(tmp_path / "out", small(), 4, 2)
    results = tmp_path / "out" / "results.zarr"
    zarr_files.create_group(results, {**zarr_files.attributes(results), key: value})
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


@pytest.mark.parametrize("size", [0, 31, 100], ids=["numbers", "part of the numbers", "record"])
def test_a_full_disk_is_reported_and_the_computed_points_are_kept(small, tmp_path, size):
    store = Store.create(tmp_path / "out", small(), 4, 2)
    store.write(0, filled(0))
    with (
        seeded_faults.disk_full_at(size),
        pytest.raises(OutputError, match=r"file too large.*4 of 12 points are stored.*--resume"),
    ):
        store.write(1, filled(4))
    again = Store.resume(tmp_path / "out")
    assert again.missing_chunks() == [1, 2]
    again.write(1, filled(4))  # room was made
    assert again.missing_chunks() == [2]


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_every_flipped_bit_is_repaired_by_a_resume_with_bitwise_equal_results(small, tmp_path, rounds):
    parameter = [{"path": "law", "values": ["square", "linear"]}, {"path": "mass", "values": [1.0, 2.0, 4.0]}]
    campaign, rng = small(parameter=parameter), random.Random(41)
    run(campaign, tmp_path / "whole")
    whole, content = open_results(tmp_path / "whole"), seeded_faults.content(tmp_path / "whole")
    for number in range(rounds):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", folder)
        flipped = seeded_faults.flip_bits(folder, rng, 1)
        done = run(campaign, folder, resume=True)
        assert seeded_faults.content(folder) == content, flipped
        assert open_results(folder).identical(whole), flipped
        assert done.done == done.total
        shutil.rmtree(folder)


def test_many_flipped_bits_are_repaired_while_one_copy_of_the_settings_is_valid(small, tmp_path):
    campaign, rng = small(), random.Random(7)
    run(campaign, tmp_path / "out")
    content = seeded_faults.content(tmp_path / "out")
    for part in ("results.zarr/frequency", "results.zarr/mass", "done"):
        seeded_faults.flip_bits(tmp_path / "out" / part, rng, 30)
    (tmp_path / "out" / "campaign.toml").write_text("")
    done = run(campaign, tmp_path / "out", resume=True)
    assert list(done.damaged) == [0, 1, 2]
    assert "3 damaged chunks" in str(done)
    assert seeded_faults.content(tmp_path / "out") == content


def test_a_damaged_number_is_rejected_with_its_file_until_it_is_mended(small, tmp_path):
    run(small(), tmp_path / "out")
    file = tmp_path / "out" / "results.zarr" / "frequency" / "1"
    values = np.fromfile(file)
    (values * 1.001).tofile(file)
    with pytest.raises(OutputError, match=r"results.zarr/frequency/1: is damaged: its checksum"):
        open_results(tmp_path / "out")
    assert list(run(small(), tmp_path / "out", resume=True).damaged) == [1]
    np.testing.assert_array_equal(np.fromfile(file), values)


PLACES = (
    *("results.zarr/frequency/1", "results.zarr/frequency/zarr.json", "results.zarr/zarr.json"),
    *("results.zarr/frequency", "results.zarr", "done/000001.json", "done/000001.json.partial", "done"),
    *("campaign.toml", ".lock"),
)


@pytest.mark.parametrize("place", PLACES)
def test_nothing_in_a_store_is_followed(small, tmp_path, place):
    run(small(), tmp_path / "out")
    (tmp_path / "out" / "done" / "000001.json").unlink()  # a chunk is missing, and would be written
    path, other = tmp_path / "out" / place, tmp_path / "other"
    if path.is_dir():
        shutil.copytree(path, other)
    else:
        other.write_bytes(path.read_bytes() if path.exists() else b"precious")
    before = seeded_faults.content(other) if other.is_dir() else other.read_bytes()
    seeded_faults.replace_by_link(path, other)
    for read in (open_results, lambda folder: run(small(), folder, resume=True)):
        with pytest.raises(OutputError, match=f"{path}: is a link"):
            read(tmp_path / "out")
    assert (seeded_faults.content(other) if other.is_dir() else other.read_bytes()) == before


@pytest.mark.parametrize("place", PLACES[:3])
def test_pipes_and_devices_in_a_store_are_rejected(small, tmp_path, place):
    run(small(), tmp_path / "out")
    seeded_faults.replace_by_pipe(tmp_path / "out" / place)
    with pytest.raises(OutputError, match="a device or a pipe"):
        open_results(tmp_path / "out")


def test_an_array_larger_than_the_memory_is_rejected_before_it_is_read(small, tmp_path):
    run(small(), tmp_path / "out")
    array = tmp_path / "out" / "results.zarr" / "frequency"
    zarr_files.create_array(array, (12, 2**39), ("point", "time"), {}, chunk=4)
    with pytest.raises(OutputError, match="106 TB of memory"):
        open_results(tmp_path / "out")


def test_an_unwritable_folder_is_reported(small, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written.*no point was computed"):
        Store.create(tmp_path / "file" / "out", small(), 4, 2)


def test_a_failed_start_leaves_no_folder(small, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(zarr_files, "create_group", full)
        with pytest.raises(
            OutputError, match="no space left on device.*no point was computed. Free disk space"
        ):
            Store.create(tmp_path / "out", small(), 4, 2)
    assert Store.create(tmp_path / "out", small(), 4, 2).missing_chunks() == [0, 1, 2]  # room was made
