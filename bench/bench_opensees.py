"""Rate of OpenSees with a served rig as its element, and of a test with a structure in OpenSees as its specimen."""

import importlib.util
import re
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sizes import sized

import dovetail as dv
from dovetail.links import Address, VirtualPlant
from dovetail.links.opensees import ElementServer, RigElement
from dovetail.links.opensees_adapter import AdapterPlant

STEPS = sized(3000, 200)
ANALYSIS = """
import ctypes, glob, os, sys, importlib.util
folder = os.path.dirname(importlib.util.find_spec("openseespylinux").origin)
for name in ("libquadmath*", "libgfortran*", "libblas*", "liblapack*"):
    for path in sorted(glob.glob(os.path.join(folder, "lib", name))):
        try: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
        except OSError: pass
import openseespy.opensees as ops
ops.wipe(); ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0); ops.node(2, 0.0); ops.fix(1, 1); ops.mass(2, 2.0)
ops.uniaxialMaterial("Elastic", 1, 400.0); ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
arguments = ["-server", int(sys.argv[1]), "127.0.0.1"] + (["-udp"] if sys.argv[2] == "udp" else [])
ops.element("genericClient", 2, "-node", 2, "-dof", 1, *arguments, "-noRayleigh")
ops.timeSeries("Trig", 1, 0.0, 100.0, 0.7); ops.pattern("Plain", 1, 1); ops.load(2, 30.0)
ops.constraints("Plain"); ops.numberer("Plain"); ops.system("FullGeneral"); ops.algorithm("Linear")
ops.integrator("NewmarkExplicit", 0.5); ops.analysis("Transient")
assert ops.analyze(int(sys.argv[3]), 0.001) == 0
ops.wipe()
"""


@pytest.mark.skipif(importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed")
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_explicit_steps_with_a_served_rig(figure, tmp_path, kind):
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=1.0, c=1.0, k=1.0),
        rig=dv.Rig(actuator=dv.transfer.Series(()), specimen=dv.specimens.Spring(k=1500.0)),
    )
    report = []
    specimen = RigElement(VirtualPlant(test), 1500.0)
    server = ElementServer(specimen, Address("127.0.0.1", 0), udp=kind == "udp", report=report.append)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    (tmp_path / "analysis.py").write_text(ANALYSIS)
    arguments = [sys.executable, tmp_path / "analysis.py", str(server.port), kind, str(STEPS)]
    subprocess.run(arguments, check=True, capture_output=True, timeout=600)
    server.stop()
    thread.join(10)
    rate = float(re.search(r"(\d+) steps/s", report[0])[1])
    figure(f"OpenSees, explicit steps with a served rig over {kind.upper()}", rate, "steps/s", target=3000)


STRUCTURE = (
    ANALYSIS.split("ops.wipe()")[0]
    + """
ops.wipe(); ops.model("basic", "-ndm", 1, "-ndf", 1)
ops.node(1, 0.0); ops.node(2, 0.0); ops.fix(1, 1)
ops.uniaxialMaterial("Elastic", 1, 1500.0); ops.element("zeroLength", 1, 1, 2, "-mat", 1, "-dir", 1)
arguments = ["-udp"] if sys.argv[2] == "udp" else []
ops.element("adapter", 2, "-node", 2, "-dof", 1, "-stif", 1e9, int(sys.argv[1]), *arguments)
ops.timeSeries("Linear", 1); ops.pattern("Plain", 1, 1)
ops.constraints("Plain"); ops.numberer("Plain"); ops.system("FullGeneral")
ops.test("NormDispIncr", 1e-12, 10); ops.algorithm("Newton")
ops.integrator("LoadControl", 1.0); ops.analysis("Static")
for _ in range(int(sys.argv[3]) + 2):
    ops.analyze(1)
"""
)


@pytest.mark.skipif(importlib.util.find_spec("openseespy") is None, reason="openseespy is not installed")
@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_steps_with_a_structure_in_opensees_as_the_specimen(figure, tmp_path, kind):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "structure.py").write_text(STRUCTURE)
    arguments = [sys.executable, tmp_path / "structure.py", str(port), kind, str(STEPS)]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    plant = AdapterPlant(port, udp=kind == "udp", timeout=60.0)
    path = 0.01 * np.sin(np.linspace(0, 60, STEPS))
    plant.step(np.zeros(1))
    start = time.perf_counter()
    forces = [plant.step(np.array([d]))[1] for d in path]
    seconds = time.perf_counter() - start
    plant.close()
    process.wait(60)
    error = np.abs(np.array(forces) + 1500.0 * path * 1e9 / (1e9 + 1500.0)).max()
    figure(
        f"OpenSees as the specimen, steps of the adapter over {kind.upper()}",
        STEPS / seconds,
        "steps/s",
        target=3000,
        accuracy=f"force within {error:.1e} N",
    )
