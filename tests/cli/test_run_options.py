"""Options of a run: which mode requires and uses them, and what becomes of them."""

import pytest

from dovetail import testing
from dovetail.cli import run_options
from dovetail.cli.run_options import RunOptions, run_with_progress
from dovetail.core.errors import OutputError, ParameterError
from dovetail.studies.registry import find_test


@pytest.mark.parametrize(
    ("mode", "options", "sentence"),
    [
        ("creep", {}, '--mode: got "creep"'),
        ("walk", {}, "one of reference, rehearse, replay, realtime, pseudodynamic, simulate"),
        ("replay", {}, "--mode replay: requires --recording with the folder of a recorded run"),
        ("realtime", {}, "--mode realtime: requires --address udp://HOST:PORT"),
        ("rehearse", {"resume": "there"}, "--resume: requires --mode pseudodynamic"),
        (None, {"resume": "there"}, "--resume: requires --mode pseudodynamic"),
    ],
)
def test_a_missing_or_excluded_option_is_reported(tmp_path, mode, options, sentence):
    options = {name: tmp_path / value for name, value in options.items()}
    with pytest.raises(ParameterError) as refusal:
        RunOptions(**options).check_required(mode)
    assert sentence in str(refusal.value)


def test_only_a_folder_is_resumed(tmp_path):
    RunOptions(resume=tmp_path).check_required("pseudodynamic")
    with pytest.raises(OutputError, match="is not a directory"):
        RunOptions(resume=tmp_path / "nothing").check_required("pseudodynamic")


@pytest.mark.parametrize(
    ("mode", "options", "sentence"),
    [
        ("rehearse", {"address": "udp://here:1"}, "--address: not used by rehearse; add --mode realtime"),
        ("realtime", {"recording": "there", "address": "udp://here:1"}, "--recording: not used by realtime"),
        ("pseudodynamic", {"key": "key"}, "--key: requires --address"),
    ],
)
def test_an_option_that_the_mode_does_not_use_is_reported(mode, options, sentence):
    with pytest.raises(ParameterError) as refusal:
        RunOptions(**options).check_unused(mode)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("mode", ["realtime", "pseudodynamic"])
def test_the_address_is_that_of_a_rig_or_of_a_cell(mode):
    RunOptions(address="udp://here:1", key="key").check_unused(mode)


class Called:
    """A test that keeps with what it was run."""

    shape, record_count = (3,), 7

    def run_realtime(self, address, **options):
        self.given = {"address": address, **options}

    run_pseudodynamic = rehearse = simulate = lambda self, **options: setattr(self, "given", options)


def test_a_mode_gets_the_options_that_it_takes_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr("dovetail.links.live_run.Live.__enter__", lambda live: live)
    monkeypatch.setattr("dovetail.links.live_run.Live.__exit__", lambda live, *_: None)
    monkeypatch.setattr(run_options, "begin_run", lambda *_, **__: None)
    test = Called()
    for mode, options, taken in (
        ("rehearse", RunOptions(), {"progress", "keep"}),
        ("rehearse", RunOptions(folder=tmp_path), {"progress", "keep", "store"}),
        ("simulate", RunOptions(live=True), {"progress"}),
        ("realtime", RunOptions(address="udp://here:1"), {"address", "key", "progress"}),
        (
            "realtime",
            RunOptions(address="udp://here:1", folder=tmp_path, live=True),
            {"address", "key", "progress", "operator", "window", "store"},
        ),
        ("pseudodynamic", RunOptions(folder=tmp_path), {"cell", "folder", "resume", "progress"}),
        (
            "pseudodynamic",
            RunOptions(folder=tmp_path, resume=tmp_path, live=True),
            {"cell", "folder", "resume", "progress", "operator", "show"},
        ),
    ):
        run_with_progress(test, mode, options)
        assert set(test.given) == taken, mode
    assert test.given["resume"] is True
    assert test.given["cell"] is None  # simulated


def test_a_replay_reads_its_recording_and_work_has_a_name(tmp_path, monkeypatch):
    test = testing.load(find_test("substructuring/cs1"), {"duration": "0.05 s"})
    named = []
    shown = run_options.progress
    monkeypatch.setattr(run_options, "progress", lambda task, *more: named.append(task) or shown(task, *more))
    run = run_with_progress(test, "rehearse")
    run.save(tmp_path / "run")
    again = run_with_progress(test, "replay", RunOptions(recording=tmp_path / "run"))
    assert again.mode == "replay"
    assert float(abs(again.data.displacement - run.data.displacement).max()) < 1e-12
    assert run_with_progress(test, "reference", task="something else").mode == "reference"
    assert named == ["rehearsing", "replaying", "something else"]
