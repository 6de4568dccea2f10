"""Our models and tests as FMUs: FMPy's validator has nothing to say, and two masters get the same numbers."""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.core import Sampled
from dovetail.core.errors import LinkError
from dovetail.links.fmi import export
from dovetail.links.fmi.model import Slave

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("fmpy") is None or shutil.which("cc") is None, reason="no FMPy or no compiler"
)
OSCILLATOR = dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0)
TEST = dv.Test(
    numerical=OSCILLATOR,
    rig=dv.Rig(
        actuator=dv.transfer.Delay(2e-3),
        specimen=dv.specimens.Spring(k=500.0),
        sensor=dv.transfer.WhiteNoise(std=0.1),
    ),
    excitation=dv.Sine(amplitude=0.012, frequency=3.0),
    rate=1000.0,
    duration=0.5,
    title="a test as an FMU",
)


@pytest.fixture(scope="module", params=["2.0", pytest.param("3.0", marks=pytest.mark.slow)])
def files(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    return (
        export(OSCILLATOR, folder / "oscillator.fmu", version=request.param),
        export(TEST, folder / "hybrid.fmu", version=request.param),
    )


def test_the_validator_reports_no_problem(files):
    from fmpy.validation import validate_fmu

    assert [validate_fmu(str(file)) for file in files] == [[], []]


def test_an_exported_flow_with_set_parameters_gives_equal_results(files):
    from fmpy import simulate_fmu

    times = np.arange(0, 0.2005, 0.01)
    force = 10 * np.sin(9 * times)
    given = np.array(
        list(zip(times, 0 * times, 0 * times, force, strict=True)),
        dtype=[(name, float) for name in ("time", "excitation", "excitation_rate", "force")],
    )
    got = simulate_fmu(
        str(files[0]), stop_time=0.2, output_interval=0.01, input=given, start_values={"parameters.c": 60.0}
    )
    block = Sampled(dv.mechanics.Oscillator(m=2.2, c=60.0, k=2250.0), dv.core.RK4(), substeps=10)
    x, expected = block.init(), [0.0]
    for k in range(20):
        u = {"excitation": 0.0, "excitation_rate": 0.0, "force": force[k]}
        x, shown = block.step(times[k], 0.01, x, u)
        expected.append(float(shown["displacement"]))
    assert np.abs(expected).max() > 1e-3
    np.testing.assert_allclose(got["displacement"], expected, rtol=1e-9, atol=1e-15)


def test_an_exported_test_equals_its_rehearsal(files):
    from fmpy import simulate_fmu

    got = simulate_fmu(str(files[1]), stop_time=0.5, output_interval=0.01)
    rehearsed = TEST.rehearse().data.isel(time=slice(None, None, 10))
    for name in ("displacement", "measured_force", "command"):
        np.testing.assert_allclose(got[name], rehearsed[name], rtol=1e-9, atol=1e-12)


def test_an_exported_simulation_equals_its_run(tmp_path):
    from fmpy import simulate_fmu

    alone = dv.Test(OSCILLATOR, rate=100.0, excitation=TEST.excitation, duration=0.2, title="alone")
    got = simulate_fmu(str(export(alone, tmp_path / "alone.fmu")), stop_time=0.2, output_interval=0.01)
    np.testing.assert_allclose(
        got["displacement"], alone.simulate().data["displacement"], rtol=1e-9, atol=1e-12
    )


def children():
    """Processes that this one has started and that have not ended."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= set((task / "children").read_text().split())
    return {pid for pid in found if "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]}


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are counted as Linux shows them")
def test_a_step_between_ticks_is_rejected_and_closing_frees_everything(files):
    before = children()
    opened = Slave(str(files[1]), ())
    assert len(children() - before) == 1  # the process of the FMU, which has started one itself
    with pytest.raises(LinkError, match="the FMU has failed .*DoStep"):
        opened.step(0, 0.0, 0.0015, [], [])
    opened.close()
    assert not opened.folder.exists()
    end = time.monotonic() + 120  # it has been told to quit, and needs a moment
    while children() - before and time.monotonic() < end:
        time.sleep(0.02)
    assert not children() - before


MASTER = """
import sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimSlave import CosimLocalSlave
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimManipulator import CosimManipulator
execution = CosimExecution.from_step_size(step_size=10_000_000)
slave = CosimLocalSlave(fmu_path=sys.argv[1], instance_name="one")
index = execution.add_local_slave(local_slave=slave)
names = {v.name.decode(): v.reference for v in execution.slave_variables(slave_index=index)}
observer = CosimObserver.create_last_value()
execution.add_observer(observer=observer)
for _ in range(20):
    assert execution.step()
    print("value", repr(observer.last_real_values(slave_index=index, variable_references=[names["displacement"]])[0]))
"""


@pytest.mark.skipif(importlib.util.find_spec("libcosimpy") is None, reason="libcosimpy is not installed")
def test_a_second_master_obtains_equal_results(tmp_path, files):
    if _version(files[1]) != "2.0":
        pytest.skip("libcosim takes FMI 2.0")
    (tmp_path / "master.py").write_text(MASTER)
    done = subprocess.run(
        [sys.executable, tmp_path / "master.py", files[1]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},  # it leaves what it unpacks
    )
    assert done.returncode == 0, done.stderr[-1000:]
    got = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("value ")]
    expected = TEST.rehearse().data.displacement.values[10:201:10]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-15)


def _version(file):
    import fmpy

    return fmpy.read_model_description(str(file)).fmiVersion


def test_a_test_that_cannot_be_exported_is_reported(tmp_path):
    with pytest.raises(LinkError, match="expected 2.0 or 3.0"):
        export(OSCILLATOR, tmp_path / "a.fmu", version="1.0")

    class Bare(dv.core.Flow):
        def init(self):
            return 0.0

        def derivative(self, t, x, u):
            return -x

        def output(self, t, x, u):
            return {"y": x}

    with pytest.raises(LinkError, match="the inputs are unknown"):
        export(Bare(), tmp_path / "a.fmu")
