"""Campaigns on a cluster: the same bits as in one process, and clear words where a cluster is not what it should be."""

import os
import subprocess
import sys
import time

import pytest

from dovetail import __version__
from dovetail.campaign import cluster, open_results, run
from dovetail.campaign.cluster import check_workers, connect
from dovetail.core.errors import LinkError, ParameterError

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the event loop of another package


@pytest.fixture
def scheduler(tmp_path):
    """Address of a scheduler in a process of its own."""
    file = tmp_path / "scheduler.json"
    command = [
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        file,
    ]
    process = subprocess.Popen([sys.executable, *map(str, command)], stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while not file.exists():
        assert time.monotonic() < end, "the scheduler did not start"
        time.sleep(0.1)
    yield file
    process.kill()
    process.wait()


def address(file):
    import json

    return json.loads(file.read_text())["address"]


def test_a_missing_scheduler_is_reported(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECTION_TIMEOUT", "0.5s")
    with pytest.raises(LinkError, match="no scheduler replies"), connect("tcp://127.0.0.1:9"):
        pass


def test_a_missing_package_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(ParameterError, match=r"pip install 'dovetail-hybrid\[cluster\]'"),
        connect("tcp://127.0.0.1:9"),
    ):
        pass


def test_a_scheduler_without_workers_is_reported(scheduler):
    with pytest.raises(LinkError, match="has no workers"), connect(address(scheduler)):
        pass


class Answers:
    """A client whose workers answer as they are told."""

    def __init__(self, found):
        self.found = found

    def run(self, function):
        assert "0." in function() or "dovetail" in function()
        return self.found


def test_a_worker_of_another_version_is_reported():
    with pytest.raises(LinkError, match=r"1 of 2 workers.*has 0\.0\.1"):
        check_workers(Answers({"tcp://a": __version__, "tcp://b": "0.0.1"}))


def test_a_worker_without_the_package_is_reported(scheduler, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(
        "import sys\n"
        "class Without:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'dovetail':\n"
        "            raise ModuleNotFoundError(f'No module named {name}')\n"
        "sys.meta_path.insert(0, Without())\n"
    )
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        "--scheduler-file",
        str(scheduler),
        "--no-nanny",
    ]
    worker = subprocess.Popen(
        [*command, "--no-dashboard"], env=os.environ | {"PYTHONPATH": str(blocked)}, stderr=subprocess.DEVNULL
    )
    try:
        from distributed import Client

        with Client(address(scheduler)) as client:
            client.wait_for_workers(1, timeout=300)
        with (
            pytest.raises(
                LinkError, match=r"no dovetail \(ModuleNotFoundError.*Start the workers in an environment"
            ),
            connect(address(scheduler)),
        ):
            pass
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.slow
def test_two_workers_equal_one_process_bit_by_bit(small, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    run(small(), tmp_path / "alone")
    with connect(workers=2) as executor:
        done = run(small(), tmp_path / "out", executor=executor)
    assert done.done == 12
    assert open_results(tmp_path / "out").identical(open_results(tmp_path / "alone"))
