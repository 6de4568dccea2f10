"""The ideal is computed once and then read from the run's folder."""

import pytest

import dovetail as dv
from dovetail.studies.registry import find_test
from dovetail.testing.cached_reference import NAME, reference_of
from dovetail.testing.run import Run


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 0.2}).rehearse()


@pytest.fixture
def asked(monkeypatch):
    """How often an ideal was computed."""
    count, real = [], Run.reference
    monkeypatch.setattr(
        Run, "reference", lambda self, progress=None: (count.append(1), real(self, progress))[1]
    )
    return count


def test_it_is_computed_once(run, asked, tmp_path):
    place = run.save(tmp_path / "run")
    first, again = reference_of(run, place), reference_of(run, place)
    assert len(asked) == 1
    assert (place / NAME / "result.nc").is_file()
    assert again.mode == "reference"
    assert first.data.displacement.identical(again.data.displacement)


def test_a_cached_reference_of_another_test_or_damaged_is_not_used(run, asked, tmp_path):
    place = run.save(tmp_path / "run")
    reference_of(run, place)
    other = run.test.with_values(**{"numerical.c": 20.0}).rehearse()
    reference_of(other, place)
    assert len(asked) == 2
    reference_of(other, place)
    assert len(asked) == 2
    (place / NAME / "result.nc").write_bytes(b"no more")
    assert reference_of(other, place) is not None
    assert len(asked) == 3


def test_a_cached_reference_of_another_version_is_recomputed(run, asked, tmp_path):
    place = run.save(tmp_path / "run")
    reference_of(run, place)
    said = place / NAME / "test.toml"
    import json

    told = place / NAME / "outcome.json"
    said.write_text(said.read_text("utf-8").replace('dovetail = "', 'dovetail = "0.0.'), "utf-8")
    sums = json.loads(told.read_text("utf-8"))
    sums.pop("sha256")
    told.write_text(json.dumps(sums), "utf-8")
    reference_of(run, place)
    assert len(asked) == 2


def test_a_missing_cache_folder_is_not_created(run, tmp_path):
    assert reference_of(run.test.reference(), tmp_path / "none") is None
    assert not (tmp_path / "none").exists()
