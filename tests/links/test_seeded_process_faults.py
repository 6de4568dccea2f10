"""Seeded faults of real processes: loop and rig are killed, suspended or stopped; disk, plant and sensors fail.

The rig is one process with a plant that writes each of its positions to a file; each case is a new process of the loop.
The number of cases is `DOVETAIL_PROCESS_FAULTS`. Durations at the plant are counted in its steps, so that a busy
machine does not decide.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from dovetail.core.errors import OutputError
from dovetail.links.session import REST_TOLERANCE
from dovetail.testing import Outcome, read_run

CASES = int(os.environ.get("DOVETAIL_PROCESS_FAULTS", "12"))
RATE, DURATION, LINK_TIMEOUT, FROZEN = 100.0, 3.0, 25, 60  # [Hz], [s], ticks, ticks
APPROACH, LIMIT = 5, 0.5  # ticks; [s] until rest, and that a recording may miss
SLACK = 10  # ticks between a fault and the count of the steps
TEST = f"""
import dovetail as dv
test = dv.Test(
    numerical=dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0),
    rig=dv.Rig(actuator=dv.transfer.Delay(0.01), specimen=dv.specimens.Spring(k=500.0)),
    excitation=dv.Sine(amplitude=0.012, frequency=1.0),
    rate={RATE},
    duration={DURATION},
    limits=dv.Limits(link_timeout={LINK_TIMEOUT}, frozen_sensor={FROZEN}, approach_time=0.05, return_time=0.05),
)
"""
RIG = (
    TEST
    + """
import json, pathlib, struct, sys
import numpy as np
from dovetail.links import Address, RigServer

class Plant:
    axes = 1
    signals = (("measured_displacement", 1), ("measured_force", 1))

    def __init__(self, folder):
        self.folder, self.file, self.position = pathlib.Path(folder), open(f"{folder}/path", "ab", buffering=0), 0.0

    def reset(self):
        self.fault = json.loads((self.folder / "fault.json").read_text())
        self.step_number, self.last = 0, np.zeros(2)
        return np.array([self.position, -500.0 * self.position])

    def step(self, command):
        self.step_number += 1
        self.position += (command[0] - self.position) * 0.6
        self.file.write(struct.pack("<d", self.position))
        reading = np.array([self.position, -500.0 * self.position])
        kind, is_on = self.fault["kind"], self.step_number >= self.fault["at"]
        if kind == "throws" and self.step_number == self.fault["at"]:
            raise RuntimeError("no answer from the controller")
        if kind == "flipped" and is_on:
            reading[1] *= -1
        if kind == "stuck" and is_on:
            reading[self.fault["channel"]] = self.last[self.fault["channel"]]
        self.last = reading
        return reading

server = RigServer(Plant(sys.argv[1]), Address("127.0.0.1", 0), test.rate, max_link_timeout=60.0)
print(server.address, flush=True)
server.serve()
"""
)
LOOP = (
    TEST
    + """
import json, resource, sys
from pathlib import Path
from dovetail.cli.saving import save_or_elsewhere
from dovetail.links import RealTimeSettings
address, folder, full_at = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
store = dv.testing.begin_run(test, "realtime", folder, sync=True)
if full_at:
    resource.setrlimit(resource.RLIMIT_FSIZE, (full_at, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
run = test.run_realtime(address, real_time=RealTimeSettings(priority=0, lock=False), store=store)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.getrlimit(resource.RLIMIT_FSIZE)[1],) * 2)
print(save_or_elsewhere(run, folder))
"""
)
LOST = {Outcome.LINK_LOST, Outcome.RIG_STOPPED}


class Rig:
    """Process of the rig, and what its plant has written."""

    def __init__(self, folder):
        self.folder, self.path = folder, folder / "path"
        self.path.touch()
        command = [sys.executable, "-c", RIG, folder]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def steps(self):
        return self.path.stat().st_size // 8

    def is_idle(self):
        """Return whether the session has ended: the plant makes no step for a second."""
        before = self.steps()
        time.sleep(1.0)
        return self.steps() == before

    def positions(self, first):
        return np.frombuffer(self.path.read_bytes())[first:]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    made = Rig(tmp_path_factory.mktemp("rig"))
    yield made
    made.close()


def until(condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.002)


def run_case(rig, folder, rng, kind):
    """Run a test with a fault; return its folder, the steps before it and at the fault, and the allowed outcomes."""
    at = APPROACH + rng.randrange(5, round(RATE * (DURATION - 1.5)))
    rig_fault = {"kind": kind, "at": at, "channel": rng.randrange(2)}
    (rig.folder / "fault.json").write_text(json.dumps(rig_fault))
    full_at = rng.randrange(2000, 100_000) if kind == "disk" else 0
    before = rig.steps()
    command = [sys.executable, "-c", LOOP, rig.address, folder, str(full_at)]
    loop = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: rig.steps() >= before + at or loop.poll() is not None)
    if loop.poll() is not None:  # a busy machine lost the link before the fault: repeated
        output, errors = loop.communicate()
        assert loop.returncode == 0, errors
        assert folder.name.count("+") < 3, "the link was lost before the fault in four runs"
        assert read_run(output.splitlines()[-1]).outcome in LOST, output
        until(rig.is_idle)
        return run_case(rig, folder.with_name(f"{folder.name}+"), rng, kind)
    fault_at, allowed = rig.steps(), {Outcome.FINISHED}
    if kind == "killed":
        loop.kill()
        allowed = {Outcome.UNFINISHED}
    elif kind == "terminated":
        loop.terminate()
        allowed = {Outcome.INTERRUPTED}
    elif kind in ("loop suspended", "rig suspended"):
        duration = 0.07 * (2.0 / 0.07) ** rng.random()
        process = loop if kind == "loop suspended" else rig.process
        process.send_signal(signal.SIGSTOP)
        time.sleep(duration)
        process.send_signal(signal.SIGCONT)
        allowed = LOST | ({Outcome.FINISHED} if duration < LINK_TIMEOUT / RATE else set())
    elif kind == "throws":
        allowed = {Outcome.RIG_STOPPED}
    elif kind == "stuck":
        allowed = {Outcome.FROZEN_SENSOR}
    output, errors = loop.communicate(timeout=300)
    assert kind == "killed" or loop.returncode == 0, errors
    saved = folder if kind == "killed" else output.splitlines()[-1]
    return saved, before, fault_at, allowed


KINDS = ("killed", "terminated", "loop suspended", "rig suspended", "disk", "throws", "stuck", "flipped")


def judge(rig, kind, saved, before, fault_at, allowed, where):
    until(rig.is_idle)
    positions = rig.positions(before)
    run = read_run(saved)
    where = f"{where}: {run}; {run.recording.attrs.get('remark')}"
    assert run.outcome in allowed, where
    rows = run.recording.sizes["time"] - 1
    largest = np.abs(positions).max()
    assert abs(positions[-1]) <= REST_TOLERANCE * largest, where  # the session ends when the plant is at rest
    if kind in ("killed", "throws"):
        patience = LINK_TIMEOUT if kind == "killed" else 0
        rest = fault_at - before + patience + round(LIMIT * RATE) + SLACK
        assert np.abs(positions[rest:]).max(initial=0.0) <= REST_TOLERANCE * largest, where
    if kind == "killed":
        assert rows >= fault_at - before - APPROACH - LIMIT * RATE - SLACK, where
    if kind in ("disk", "flipped"):
        assert rows == round(RATE * DURATION), where
    if kind == "flipped":
        assert "times the force of the specimen model" in run.recording.attrs["remark"], where
    assert np.all(np.isfinite(run.recording["displacement"].values)), where


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_each_fault_ends_with_the_right_outcome_the_plant_at_rest_and_a_readable_recording(rig, tmp_path):
    failures = []
    for seed in range(CASES):
        kind, rng = KINDS[seed % len(KINDS)], random.Random(seed)
        where = f"seed {seed}, {kind}"
        try:
            judge(rig, kind, *run_case(rig, tmp_path / str(seed), rng, kind), where)
        except (AssertionError, OutputError) as error:
            failures.append(f"{where}: {error}")
    assert not failures, "\n".join(failures)
