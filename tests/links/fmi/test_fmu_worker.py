"""The process beside an FMU, talked to as the binary does; with a model of plain functions."""

import json
import socket
import struct
import subprocess
import sys
from importlib import resources

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("flatbuffers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """x' = p u by single steps; shows x and x + u."""
    folder = tmp_path_factory.mktemp("resources")
    scalar, one, whole = jnp.zeros(()), jnp.zeros(1), jnp.zeros((), dtype=int)
    calls = {
        "start": (lambda p, t, u: (p * 0,), (one, scalar, one)),
        "step": (lambda p, t, h, n, x, u: (x[0] + h * p * u,), (one, scalar, scalar, whole, (one,), one)),
        "show": (lambda p, t, x, u: jnp.concatenate([x[0], x[0] + u]), (one, scalar, (one,), one)),
    }
    for name, (call, given) in calls.items():
        (folder / f"{name}.bin").write_bytes(bytes(jax.export.export(jax.jit(call))(*given).serialize()))
    about = {
        "token": "{1}",
        "step": 0.1,
        "whole_steps": True,
        "parameters": [2.0],
        "inputs": [0.5],
        "outputs": ["a", "b"],
    }
    (folder / "about.json").write_text(json.dumps(about))
    source = resources.files("dovetail.links.fmi").joinpath("fmu_worker.py").read_bytes()
    (folder / "fmu_worker.py").write_bytes(source)
    return folder


def started(folder, token):
    near, far = socket.socketpair()
    near.settimeout(60)
    process = subprocess.Popen([sys.executable, folder / "fmu_worker.py", token], stdin=far)
    far.close()
    return process, near


def received(near, size):
    data = b""
    while len(data) < size:
        piece = near.recv(size - len(data))
        assert piece
        data += piece
    return data


def ask(near, what, t, h, values):
    near.sendall(struct.pack("=cdd", what, t, h) + np.array(values, dtype=float).tobytes())
    if received(near, 1) == b"\0":
        return np.frombuffer(received(near, 16)).tolist()
    (size,) = struct.unpack("=I", received(near, 4))
    return received(near, size).decode()


def test_the_worker_reports_its_sizes_and_answers_until_quit(folder):
    process, near = started(folder, "{1}")
    with near:
        assert struct.unpack("=B3I", received(near, 13)) == (0, 1, 1, 2)
        assert struct.unpack("=2d", received(near, 16)) == (2.0, 0.5)
        assert ask(near, b"I", 0.0, 0.0, [3.0, 1.0]) == [0.0, 1.0]
        assert ask(near, b"S", 0.0, 0.1, [1.0]) == pytest.approx([0.3, 1.3])
        assert ask(near, b"O", 0.1, 0.0, [5.0]) == pytest.approx([0.3, 5.3])
        assert "expected an integer number of ticks" in ask(near, b"S", 0.1, 0.15, [1.0])
        assert ask(near, b"S", 0.1, 0.2, [1.0]) == pytest.approx([0.9, 1.9])  # and goes on
        near.sendall(struct.pack("=cdd", b"Q", 0.0, 0.0))
        assert process.wait(30) == 0


def test_another_model_is_rejected(folder):
    process, near = started(folder, "{2}")
    with near:
        assert received(near, 1) == b"\1"
        (size,) = struct.unpack("=I", received(near, 4))
        assert "got the token {2}" in received(near, size).decode()
        assert process.wait(30) == 0
