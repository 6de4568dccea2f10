"""The adapter element of OpenSees, the real one: a structure there is the specimen here."""

import importlib.util
import socket
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

from dovetail.core.errors import LinkError
from dovetail.links.opensees import FORCE, MAX_DATAGRAM
from dovetail.links.opensees_adapter import AdapterPlant

K, PENALTY = 1500.0, 1e9  # [N/m] of the structure and of the element
needs_opensees = pytest.mark.skipif(
    importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed"
)
STRUCTURE = """
import ctypes, glob, os, sys, importlib.util
folder = os.path.dirname(importlib.util.find_spec("openseespylinux").origin)
for name in ("libgfortran*", "libquadmath*", "libblas*", "liblapack*"):
    for path in sorted(glob.glob(os.path.join(folder, "lib", name))):
        try: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        except OSError: pass
import openseespy.opensees as ops
port, words = int(sys.argv[1]), ["-udp"] if sys.argv[2] == "udp" else []
ops.wipe(); ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0); ops.node(2, 0.0); ops.fix(1, 1)
ops.uniaxialMaterial("Elastic", 1, 1500.0); ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
ops.element("adapter", 2, "-node", 2, "-dof", 1, "-stif", 1e9, port, *words)
ops.timeSeries("Linear", 1); ops.pattern("Plain", 1, 1)
ops.constraints("Plain"); ops.numberer("Plain"); ops.system("FullGeneral")
ops.test("NormDispIncr", 1e-12, 10); ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0); ops.analysis("Static")
for _ in range(int(sys.argv[3])):
    ops.analyze(1)
"""


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@needs_opensees
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_a_structure_in_opensees_answers_with_its_force(tmp_path, kind):
    port = free_port(socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    (tmp_path / "structure.py").write_text(STRUCTURE)
    words = [sys.executable, tmp_path / "structure.py", str(port), kind, "100"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    plant = AdapterPlant(port, udp=kind == "udp", timeout=60.0)
    path = 0.01 * np.sin(np.linspace(0, 6, 50))
    shown = np.array([plant.step(np.array([d])) for d in path])
    plant.close()
    assert process.wait(300) == 255
    reached = path * PENALTY / (PENALTY + K)
    np.testing.assert_allclose(shown[:, 0], reached, rtol=1e-9, atol=1e-15)
    # the force is a small difference of the stiff spring: 1e9 N/m times rounding of 0.01 m
    np.testing.assert_allclose(shown[:, 1], -K * reached, atol=1e-8)


def test_a_message_longer_than_a_datagram_arrives_completely():
    """600 axes: 9,600 bytes a frame, more than the 9,126 of a datagram."""
    axes = 600
    command = np.random.default_rng(3).normal(0, 0.01, axes)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as element:
        element.bind(("127.0.0.1", 0))
        element.settimeout(60.0)

        def frame(length):
            data = b""
            while len(data) < 8 * length:
                data += element.recv(65536)
            return np.frombuffer(data)

        def answer():
            _, client = element.recvfrom(16)
            element.sendto(b"b", client)
            length = struct.unpack("=11i", element.recv(44))[10]
            imposed = frame(length)[1 : 1 + axes]
            assert frame(length)[0] == FORCE
            data = np.concatenate([imposed, K * imposed]).tobytes()
            for start in range(0, len(data), MAX_DATAGRAM):
                element.sendto(data[start : start + MAX_DATAGRAM], client)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        plant = AdapterPlant(element.getsockname()[1], axes=axes, udp=True, timeout=60.0)
        reading = plant.step(command)
        thread.join(300)
        plant.close()
    np.testing.assert_array_equal(reading, np.concatenate([command, -K * command]))


def test_a_missing_peer_is_reported():
    with pytest.raises(LinkError, match="no answer from an adapter element"):
        AdapterPlant(free_port(socket.SOCK_STREAM), timeout=0.1)


def test_the_end_of_an_analysis_is_reported():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)

        def leave():
            connection, _ = listener.accept()
            connection.recv(44)
            connection.close()

        thread = threading.Thread(target=leave, daemon=True)
        thread.start()
        plant = AdapterPlant(listener.getsockname()[1], timeout=10.0)
        thread.join(300)
        with pytest.raises(LinkError, match="number of steps|connection lost"):
            plant.step(np.zeros(1))
        plant.close()
