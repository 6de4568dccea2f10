"""A process that lives long holds what it held: maps, memory, threads and open files level off.

The soak runs in a process of its own: 500 different rehearsals, 200 studies' tests, a campaign of 100 chunks and an
hour of the view. `DOVETAIL_SOAK=0.02` makes it fifty times shorter, `DOVETAIL_SOAK_PARTS=chunks,frames` leaves the
others out; each part's name, what it held and its processor time are told as it ends.

Four times in each part all compiled programs are dropped, and what is held then is noted: what still grows from the
second note to the last is a leak. What was held at most in between shows that the guard kept its bounds.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail import campaign
from dovetail.core import programs
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import all_tests

SOAK = float(os.environ.get("DOVETAIL_SOAK", "1"))
NOTES = 4
FILES = Path("/proc/self/fd")
WANTED = [name for name in os.environ.get("DOVETAIL_SOAK_PARTS", "").split(",") if name]
PARTS = {}


def part(number):
    """Registers a generator that yields after each of `number` things it did."""

    def register(function):
        if not WANTED or function.__name__ in WANTED:
            PARTS[function.__name__] = (function, max(NOTES, round(SOAK * number)))
        return function

    return register


@part(500)
def rehearsals(number):
    random = np.random.default_rng(500)
    for i in range(number):
        delay, rate = float(random.uniform(1e-3, 2e-2)), float(random.choice([250.0, 500.0, 1000.0]))
        actuators = (dv.transfer.Delay(delay), dv.transfer.FirstOrderLag(tau=delay))
        run = dv.Test(
            numerical=dv.mechanics.Oscillator(m=2.2, c=float(random.uniform(5, 50)), k=2250.0),
            rig=dv.Rig(
                actuator=actuators[i % 2], specimen=dv.specimens.Spring(k=float(random.uniform(100, 2250)))
            ),
            excitation=dv.Sine(amplitude=0.012, frequency=float(random.uniform(1, 6))),
            rate=rate,
            duration=int(random.integers(0.5 * rate, 3.0 * rate)) / rate,
            seed=i,
            title=f"rehearsal {i}",
        ).rehearse()
        assert len(run.data.time) > 1
        yield


@part(200)
def studies_tests(number):
    """Each for a few ticks; those that are no loop over time are left out."""
    random = np.random.default_rng(200)
    names = [entry.path for entry in all_tests().values()]
    done = 0
    while done < number:
        for path in random.permutation(np.array(names, dtype=object)):
            test = dv.load(path)
            if not isinstance(test, dv.Test):
                continue
            for ticks in (5, 500, 10**9):  # some have delays that want a longer run
                try:
                    short = test.with_values(duration=min(test.duration, ticks * test.dt))
                    short.rehearse() if isinstance(test, dv.Test) else short.simulate()
                    break
                except TestFileError:
                    continue
            done += 1
            yield
            if done == number:
                return


@part(100)
def chunks(number):
    table = {
        "test": "substructuring/cs1",
        "measures": ["rms e1"],
        "modes": ["reference", "rehearse"],
        "set": {"duration": 0.5},
        "parameter": [
            {"path": "rig.actuator.delay", "min": 1e-3, "max": 1e-2, "count": number},
            {"path": "substeps", "values": [1, 2, 3, 4]},  # compiled in, so a program for each
        ],
        "chunk": 4,
        "batch": 4,
    }
    with tempfile.TemporaryDirectory() as folder:
        plan = campaign.parse(table, "soak")
        store = Path(folder) / "store"
        done = 0
        while done < number:  # interrupted and resumed, as a long one is
            executor = Some(number // NOTES + 1)
            campaign.run(plan, store, resume=done > 0, executor=executor)
            for _ in range(executor.done):
                done += 1
                yield
        assert campaign.Store.resume(store).point_count() == 4 * number


class Some(campaign.ThreadExecutor):
    """Ends after some chunks."""

    def __init__(self, most):
        super().__init__(1)
        self.most, self.done = most, 0

    def results(self, plan, tasks):
        for result in super().results(plan, tasks[: self.most]):
            self.done += 1
            yield result


@part(60 * 3600)
def frames(number):
    """An hour at sixty a second: what is drawn counts, not how long it takes."""
    from dovetail.scene import build_scene
    from dovetail.view import RunPage

    run = dv.load(all_tests()["substructuring/cs1"].path, {"duration": 2.0}).rehearse()
    page = RunPage(build_scene(run, run.test.reference()), port=0)
    try:
        for i in range(number):
            if not page.playback.playing:
                page.playback.play()
            page.show(page.playback.advance(1 / 60))
            if i % 600 == 0:  # someone presses a button now and then
                page._update_clock(page.shown)
            yield
    finally:
        page.close()


def soak():
    """Every part; for each its notes and what was held at most, as JSON."""
    found = {}
    for name, (function, number) in PARTS.items():
        notes, most, began = [], programs.resource_usage(), time.process_time()
        every = number // NOTES
        for done, _ in enumerate(function(number), 1):
            if done % max(1, number // 100) == 0:
                now = programs.resource_usage()
                most = programs.ResourceUsage(max(most.maps, now.maps), max(most.memory, now.memory))
            if done % every == 0 and len(notes) < NOTES:
                programs.drop_programs()
                now = programs.resource_usage()
                notes.append([now.maps, now.memory, threading.active_count(), len(list(FILES.iterdir()))])
        found[name] = {"notes": notes, "most": [most.maps, most.memory], "done": done}
        spent = f"{time.process_time() - began:.0f} s of the processor"
        print(name, spent, found[name], file=sys.stderr, flush=True)
    print(json.dumps(found))


@pytest.mark.slow
@pytest.mark.timeout(6 * 3600)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell what a process holds")
def test_a_long_process_does_not_leak_resources():
    pytest.importorskip("viser")
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found) == set(PARTS) != set(), f"no part of {WANTED}"
    for name, (_, number) in PARTS.items():
        held, most = np.array(found[name]["notes"]), found[name]["most"]
        assert found[name]["done"] == number
        assert held.shape == (NOTES, 4), name
        maps, memory, threads, files = (held[-1] - held[1]).tolist()
        assert maps <= 300, f"{name}: {held[:, 0]} maps"
        assert memory <= 150e6, (
            f"{name}: {held[:, 1]} bytes"
        )  # what the C library keeps between blocks in use
        assert threads <= 0, f"{name}: {held[:, 2]} threads"
        assert files <= 0, f"{name}: {held[:, 3]} open files"
        assert most[0] < 20_000, name
        assert most[1] < 4e9, name


if __name__ == "__main__":
    soak()
