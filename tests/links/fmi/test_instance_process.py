"""Process of an FMU: it answers requests line by line, reports faults in words, and leaves no files behind."""

import importlib.util
import json
import shutil
import subprocess
import sys

import pytest

import dovetail as dv
from dovetail.links.fmi import export, instance_process

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("fmpy") is None or shutil.which("cc") is None, reason="no FMPy or no compiler"
)


@pytest.fixture
def process(tmp_path):
    """A process with an exported oscillator; `call` sends a request and returns the answer."""
    file, folder = tmp_path / "oscillator.fmu", tmp_path / "unpacked"
    folder.mkdir()
    export(dv.mechanics.Oscillator(m=2.0, c=0.0, k=8.0), file, version="3.0")
    command = [sys.executable, "-P", instance_process.__file__, str(file), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def call(name, *arguments):
            child.stdin.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        yield child, call, folder
        child.stdin.close()


def test_it_answers_and_removes_its_files_at_the_end(process):
    child, call, folder = process
    names = call("variables")["result"]
    assert {"displacement", "force"} <= set(names)
    assert any(folder.iterdir())
    assert "error" not in call("begin", [], False)
    assert call("read", ["displacement"]) == {"result": [0.0]}
    assert "error" not in call("step", 0.0, 1e-3, ["force"], [1.0])
    assert 0 < abs(call("read", ["displacement"])["result"][0]) < 1e-6  # t^2 F / (2 m) = 2.5e-7 m
    child.stdin.close()
    assert child.wait(30) == 0
    assert not folder.exists()


def test_a_fault_is_an_answer_and_the_process_goes_on(process):
    _, call, _ = process
    assert "error" in call("read", ["no such variable"])
    assert "result" in call("variables")
