"""Every hybrid test of the studies in every mode: it runs to the end of its ticks, or says why it cannot."""

import dataclasses
import re
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.links.real_time import RealTimeSettings
from dovetail.studies.mode_matrix import OF_TESTS, hybrid_tests, mode_table, shortened
from dovetail.studies.registry import find_test

# no real-time scheduling, and an answer is waited for as long as a busy machine takes
PATIENT = RealTimeSettings(native=False, priority=0, lock=False, wait=120.0)
QUICK = ("substructuring/cs1", "substructuring/cs2", "refuelling/drop-real-time")
KEPT = (  # tests whose own subject is what the rig feeds into a contact: left out, they creep
    "docking/hil-1dof",
    "docking/impact-4",
    "docking/testbed",
    "docking/six-dof",
    "docking/six-dof-worst",
    "docking/six-dof-hexapod",
)


@contextmanager
def served(name, test):
    """The address of the test's rig, served by the command in a process of its own."""
    command = [sys.executable, "-m", "dovetail", "rig", "serve", name]
    settings = ("--port", "0", "--set", f"duration={test.duration!r}")
    with subprocess.Popen([*command, *settings], stdout=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stdout:
                if found := re.search(r"^serving .* at (udp://\S+),", line):
                    yield found[1]
                    break
            else:
                pytest.fail("no rig was served")
        finally:
            process.terminate()


def run_in(name, test, mode):
    """The run of a test in a mode, as the commands make it."""
    if mode == "replay":
        return test.replay(test.rehearse())
    if mode == "pseudodynamic":
        return test.run_pseudodynamic()
    if mode != "realtime":
        return getattr(test, mode)()
    limits = dataclasses.replace(
        test.limits, link_timeout=10**8
    )  # however long the machine is busy elsewhere
    with served(name, test) as url:
        return dataclasses.replace(test, limits=limits).run_realtime(url, real_time=PATIENT)


def goes_or_tells(name, mode):
    test = shortened(testing.load(find_test(name)))
    why = test.mode_faults(mode)
    if why:
        place, _, text = why.partition(": ")
        with pytest.raises(TestFileError) as told:
            run_in(name, test, mode)
        assert (place, text) in [(fault.path, fault.text) for fault in told.value.faults]
        return why
    run = run_in(name, test, mode)
    assert run.outcome.completed, run
    assert run.mode == mode
    assert float(run.data.time[-1]) == pytest.approx(test.duration, rel=1e-9)
    for signal in ("displacement", "measured_force"):
        assert np.isfinite(run.data[signal].values).all()
    return ""


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, marks=[pytest.mark.slow] if mode == "realtime" else []) for mode in OF_TESTS
    ],  # two processes
)
@pytest.mark.parametrize("name", QUICK[:1])
def test_a_test_runs_in_every_mode(name, mode):
    assert goes_or_tells(name, mode) == ""


def test_a_free_mass_cannot_be_tested_with_force_at_rest():
    assert "inertia" in goes_or_tells("substructuring/cs2", "pseudodynamic")


@pytest.mark.slow
@pytest.mark.parametrize("mode", OF_TESTS)
@pytest.mark.parametrize("name", [name for name in hybrid_tests() if name not in QUICK[:1]])
def test_every_test_runs_in_every_mode_or_states_the_reason(name, mode):
    goes_or_tells(name, mode)


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_without_a_contact_energy_gain_limit_the_test_runs_pseudodynamically(name):
    test = shortened(testing.load(find_test(name), {"limits.contact_energy_gain": float("inf")}))
    assert test.run_pseudodynamic().outcome.completed


def test_the_table_has_every_hybrid_test_and_a_reason_for_every_no(monkeypatch):
    few = {"docking/impact-4": "pseudodynamic", "substructuring/cs1": "", "substructuring/cs1-late": ""}
    found = {name: {mode: "it will not" * (mode == no) for mode in OF_TESTS} for name, no in few.items()}
    monkeypatch.setattr("dovetail.studies.mode_matrix.mode_matrix", lambda: found)
    header, *rows = mode_table()
    assert header == ("study", "tests", *OF_TESTS)
    assert [row[:2] for row in rows] == [("docking", "impact-4"), ("substructuring", "cs1, cs1-late")]
    assert rows[0][header.index("pseudodynamic")] == "no: it will not"
    assert set(rows[1][2:]) == {"yes"}
    assert {"docking/six-dof", "refuelling/scaled", "shipboard/hybrid-drop", "substructuring/cs2"} <= set(
        hybrid_tests()
    )
    assert not {"docking/map", "refuelling/cell", "refuelling/latched"} & set(hybrid_tests())
