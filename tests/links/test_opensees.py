"""The experimental site for OpenSees: by the wire's layout, and with OpenSees where it is installed."""

import importlib.util
import socket
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import LinkError
from dovetail.links import Address, VirtualPlant
from dovetail.links.opensees import ElementServer, RigElement, parse_sizes

K = 1500.0  # [N/m]
SIZES = (1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 8)


@pytest.fixture(scope="module")
def plant():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=1.0, c=1.0, k=1.0),
        rig=dv.Rig(actuator=dv.transfer.Series(()), specimen=dv.specimens.Spring(k=K)),
        rate=100.0,
        duration=1.0,
    )
    return VirtualPlant(test)


@pytest.fixture
def serve(plant):
    running = []

    def start(udp=False):
        said = []
        server = ElementServer(RigElement(plant, K), Address("127.0.0.1", 0), udp=udp, report=said.append)
        server.said = said
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.stop()
        thread.join(300)
        assert not thread.is_alive()


class Client:
    """A client that does what the element does on the wire."""

    def __init__(self, server, udp, sizes=SIZES):
        kind = socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        self.socket, self.sizes = socket.socket(socket.AF_INET, kind), sizes
        self.socket.settimeout(300)
        self.socket.connect(("127.0.0.1", server.port))
        if udp:
            self.socket.send(b"a")
            assert self.socket.recv(1) == b"b"
        self.socket.send(struct.pack("=11i", *sizes))

    def send(self, action, displacement=0.0, time=0.0):
        frame = np.zeros(self.sizes[10])
        frame[:5] = action, displacement, 0.0, 0.0, time
        self.socket.send(frame.tobytes())

    def ask(self, action, **fields):
        self.send(action, **fields)
        data = b""
        while len(data) < 8 * self.sizes[10]:
            data += self.socket.recv(65536)
        return np.frombuffer(data)


@pytest.mark.parametrize("udp", [False, True])
def test_trials_are_answered_with_the_resisting_force(serve, udp):
    server = serve(udp)
    client = Client(server, udp)
    with client.socket:
        for step in range(1, 6):
            for trial in (0.5, 1.0):  # two iterations, the first wrong
                client.send(3, displacement=trial * 0.01 * step, time=0.01 * step)
                assert client.ask(10)[0] == pytest.approx(K * trial * 0.01 * step)
            assert client.ask(14).tolist() == [0.0] * 8
            assert client.ask(13)[0] == K
            client.send(5)
        assert client.ask(6)[0] == pytest.approx(K * 0.05)  # only the force was asked for
        client.send(99)
    for _ in range(500):
        if server.said:
            break
        threading.Event().wait(0.01)
    assert server.said[0].startswith("client ended after 5 steps")


def test_a_client_without_time_steps_with_every_command(serve):
    """As OpenFresco's generic control: commands and readings, no time, no commit."""
    server = serve()
    sizes = (1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 8)
    client = Client(server, False, sizes)
    with client.socket:
        for displacement in (0.01, 0.02, 0.02, 0.05):
            client.send(3, displacement=displacement)
            assert client.ask(6)[:2].tolist() == pytest.approx([displacement, K * displacement])
        assert server.specimen.time == 3.0  # each command has settled the one before


def test_one_client_after_another_even_if_the_first_vanishes(serve):
    server = serve()
    first = Client(server, False)
    first.send(3, displacement=0.1, time=0.01)
    first.socket.close()
    second = Client(server, False)
    with second.socket:
        second.send(3, displacement=0.2, time=0.02)
        assert second.ask(10)[0] == pytest.approx(K * 0.2)


def test_sizes_that_do_not_fit_are_answered_with_nan_so_that_the_analysis_stops(serve):
    server = serve()
    client = Client(server, False, (2, 2, 2, 0, 1, 0, 0, 0, 2, 0, 16))
    with client.socket:
        assert np.all(np.isnan(client.ask(10)))
    assert "do not fit 1 axes" in server.said[0]


@pytest.mark.parametrize(
    "sizes", [(-1,) * 11, (0,) * 11, (10**9,) * 11, (0,) * 10 + (1,), (0,) * 9 + (-1, 8)]
)
def test_a_connection_that_is_not_a_client_is_reported(sizes):
    with pytest.raises(LinkError, match="another program uses this port"):
        parse_sizes(struct.pack("=11i", *sizes))


def test_the_shortest_frame_has_an_action_and_one_value():
    sizes = (1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2)
    assert parse_sizes(struct.pack("=11i", *sizes)) == sizes


def test_only_this_machine_is_served(plant):
    with pytest.raises(LinkError, match="is not this machine"):
        ElementServer(RigElement(plant), Address("0.0.0.0", 0))


ANALYSIS = """
import ctypes, glob, os, sys, importlib.util
folder = os.path.dirname(importlib.util.find_spec("openseespylinux").origin)
for name in ("libgfortran*", "libquadmath*", "libblas*", "liblapack*"):
    for path in sorted(glob.glob(os.path.join(folder, "lib", name))):
        try: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        except OSError: pass
import openseespy.opensees as ops
port, udp, remote = int(sys.argv[1]), sys.argv[2] == "udp", sys.argv[3] == "remote"
ops.wipe(); ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0); ops.node(2, 0.0); ops.fix(1, 1); ops.mass(2, 2.0)
ops.uniaxialMaterial("Elastic", 1, 400.0); ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
if remote:
    words = ["-server", port, "127.0.0.1"] + (["-udp"] if udp else [])
    ops.element("genericClient", 2, "-node", 2, "-dof", 1, *words, "-noRayleigh")
else:
    ops.uniaxialMaterial("Elastic", 2, 1500.0); ops.element("zeroLength", 2, 1, 2, "-mat", 2, "-dir", 1)
ops.timeSeries("Trig", 1, 0.0, 10.0, 0.7); ops.pattern("Plain", 1, 1); ops.load(2, 30.0)
ops.constraints("Plain"); ops.numberer("Plain"); ops.system("FullGeneral"); ops.algorithm("Linear")
ops.integrator("NewmarkExplicit", 0.5); ops.analysis("Transient")
for _ in range(100):
    assert ops.analyze(1, 0.01) == 0
    print(repr(ops.nodeDisp(2, 1)))
ops.wipe()
"""


@pytest.mark.skipif(importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed")
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_opensees_obtains_the_force_of_its_own_element_from_the_rig(serve, tmp_path, kind):
    server = serve(kind == "udp")
    (tmp_path / "analysis.py").write_text(ANALYSIS)
    shown = {}
    for where in ("local", "remote"):
        words = [sys.executable, tmp_path / "analysis.py", str(server.port), kind, where]
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr[-1000:]
        lines = [line for line in done.stdout.splitlines() if line[:1] in "-0123456789" and line]
        shown[where] = np.array([float(line) for line in lines])
    assert len(shown["local"]) == 100
    assert np.abs(shown["local"]).max() > 1e-3
    np.testing.assert_allclose(shown["remote"], shown["local"], rtol=1e-9, atol=1e-12)


def test_between_two_nodes_the_rig_follows_their_difference_and_pulls_at_both(plant):
    rng = np.random.default_rng(24)
    specimen = RigElement(plant, K, two_node=True)
    alone = RigElement(plant, K)
    for step in range(1, 6):
        first, second = rng.normal(0, 0.01, 2)
        specimen.trial(np.array([first, second]), 0.01 * step)
        force = specimen.force()
        assert force == pytest.approx(K * (second - first) * np.array([-1.0, 1.0]))
        specimen.commit()
    np.testing.assert_allclose(specimen.stiffness, K * np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert specimen.displacement() == pytest.approx([0.0, second - first])
    assert alone.stiffness == pytest.approx(K)


def test_command_and_measurement_of_every_committed_step_are_recorded(plant):
    kept = []
    server = ElementServer(RigElement(plant, K), Address("127.0.0.1", 0), save=kept.append)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    commands = np.random.default_rng(24).normal(0, 0.01, 7)
    client = Client(server, False)
    with client.socket:
        for step, command in enumerate(commands, 1):
            for trial in (0.5 * command, command):  # what was tried and not committed is none of it
                client.send(3, displacement=trial, time=0.01 * step)
                client.ask(10)
            client.send(5)
        client.send(99)
    for _ in range(3000):
        if kept:
            break
        threading.Event().wait(0.01)
    server.stop()
    thread.join(300)
    (data,) = kept
    np.testing.assert_allclose(data.time, 0.01 * np.arange(1, 8))
    np.testing.assert_array_equal(data.command, commands)
    np.testing.assert_allclose(data.measured_force, -K * commands)
    assert data.measured_force.attrs["units"] == "N"
