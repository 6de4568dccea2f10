"""Killed at a random moment and taken up again: the store is that of an undisturbed campaign, to the bit."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from dovetail.campaign import Store, load, open_results, run

pytestmark = pytest.mark.slow

FILE = """
parts = ["slow_model.py"]
model = "slow_model:slow"
chunk = 8
batch = 8
[[parameter]]
path = "x"
min = 0.1
max = 1
count = 160
"""
MODEL = """
import jax
import jax.numpy as jnp


def slow(x):
    def one(y, _):
        return jnp.sin(y) + x, None

    return {"y": jax.lax.scan(one, x, None, length=400_000)[0]}
"""


@pytest.fixture
def campaign(tmp_path):
    (tmp_path / "slow_model.py").write_text(MODEL)
    (tmp_path / "slow.toml").write_text(FILE)
    return tmp_path / "slow.toml"


def start(*arguments, folder):
    environment = os.environ | {"PYTHONPATH": str(folder), "NPROC": "1"}
    command = (
        [sys.executable, *arguments]
        if arguments[0] == "-m"
        else [sys.executable, "-m", "dovetail", *arguments]
    )
    with (folder / "told.txt").open("a") as told:  # no pipe, which nobody would empty
        return subprocess.Popen(
            [str(part) for part in command], env=environment, stdout=told, stderr=subprocess.STDOUT
        )


def wait_for(condition, seconds=600.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def chunks_in(out):
    return len(list((out / "done").glob("*.json"))) if (out / "done").is_dir() else 0


def resumed_equals_whole(campaign, out, tmp_path):
    plan = load(campaign)
    before = Store.resume(out, plan).point_count()
    done = run(plan, out, resume=True)
    assert done.computed == done.total - before
    run(plan, tmp_path / "whole")
    assert open_results(out).identical(open_results(tmp_path / "whole"))
    return before


def test_the_client_killed(campaign, tmp_path):
    out = tmp_path / "out"
    client = start("campaign", campaign, "--out", out, folder=tmp_path)
    wait_for(lambda: chunks_in(out) >= 2)
    time.sleep(random.Random(1).uniform(0, 0.2))
    client.send_signal(signal.SIGKILL)
    client.wait()
    before = resumed_equals_whole(campaign, out, tmp_path)
    assert 0 < before < 160


def test_an_interrupt_keeps_the_points_and_prints_how_to_resume(campaign, tmp_path):
    out = tmp_path / "out"
    client = start("campaign", campaign, "--out", out, folder=tmp_path)
    wait_for(lambda: chunks_in(out) >= 2)
    client.send_signal(signal.SIGINT)
    client.wait(timeout=600)
    told = (tmp_path / "told.txt").read_text()
    assert client.returncode == 130, told
    assert "--resume" in told
    assert chunks_in(out) >= 2


@pytest.mark.parametrize("victim", ["worker", "scheduler"])
def test_a_part_of_the_cluster_killed(campaign, tmp_path, victim):
    pytest.importorskip("distributed")
    file, out = tmp_path / "scheduler.json", tmp_path / "out"
    parts = [
        start(
            "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", file,
            folder=tmp_path,
        )
    ]  # fmt: skip
    try:
        wait_for(file.exists)
        for _ in range(2):
            parts.append(
                start(
                    "-m", "distributed.cli.dask_worker", "--scheduler-file", file, "--no-nanny", "--nthreads", "1",
                    "--no-dashboard", "--death-timeout", "5", folder=tmp_path,
                )
            )  # fmt: skip
        import json

        client = start(
            "campaign",
            campaign,
            "--out",
            out,
            "--cluster",
            json.loads(file.read_text())["address"],
            folder=tmp_path,
        )
        parts.append(client)
        wait_for(lambda: chunks_in(out) >= 2 or client.poll() is not None)
        time.sleep(random.Random(2).uniform(0, 0.2))
        parts[0 if victim == "scheduler" else 1].send_signal(signal.SIGKILL)
        client.wait(timeout=600)
        told = (tmp_path / "told.txt").read_text()
        if victim == "worker":
            assert client.returncode == 0, told
        else:
            assert client.returncode == 2, told
            assert "scheduler" in told
            assert "--resume" in told
    finally:
        for part in parts:
            part.kill()
            part.wait()
    resumed_equals_whole(campaign, out, tmp_path)
