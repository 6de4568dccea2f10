"""An FMU of another maker as numerical substructure and as specimen, FMI 2.0 and 3.0."""

import importlib.util
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import LinkError, UnknownNameError
from dovetail.links.fmi import CoSimulation, FmuSpecimen, FmuSubstructure, model
from dovetail.testing import Outcome

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("fmpy") is None or shutil.which("cc") is None, reason="no FMPy or no compiler"
)
M, C, K, K_S = 2.2, 60.0, 2250.0, 500.0
NAMES = {"displacement": "x", "velocity": "v", "acceleration": "a"}
START = {"m": M, "c": C, "k": K}


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def fmu(request, tmp_path_factory):
    """The oscillator in C, built and zipped by hand."""
    import fmpy

    folder, three = tmp_path_factory.mktemp("fmu"), request.param == "3.0"
    library = folder / "oscillator.so"
    headers = Path(fmpy.__file__).parent / "c-code"
    source = Path(__file__).with_name("oscillator.c")
    # what the standard wants besides, and this model does not do
    number = request.param[0]
    wanted = re.findall(rf"(fmi{number}\w+);", (headers / f"fmi{number}Functions.h").read_text())
    missing = sorted(set(wanted) - set(re.findall(rf"(fmi{number}\w+)\(", source.read_text())))
    others = folder / "others.c"
    others.write_text("\n".join(f"int {name}(void) {{ return 3; }}" for name in missing))
    words = ["cc", "-O2", "-shared", "-fPIC", "-I", headers, source, others, "-o", library]
    subprocess.run(words + (["-DFMI3"] if three else []), check=True)
    rows = [("m", "parameter"), ("c", "parameter"), ("k", "parameter"), ("F", "input")]
    rows += [(name, "output") for name in "xva"]
    variables = ""
    for i, (name, role) in enumerate(rows):
        about = f'name="{name}" valueReference="{i}" causality="{role}"'
        about += ' variability="fixed"' if role == "parameter" else ""
        start = "" if role == "output" else ' start="1"'
        inner = (
            f"<Float64 {about}{start}/>"
            if three
            else f"<ScalarVariable {about}><Real{start}/></ScalarVariable>"
        )
        variables += inner
    if three:
        variables += (
            '<Float64 name="time" valueReference="9" causality="independent" variability="continuous"/>'
        )
        structure = "".join(f'<Output valueReference="{i}"/>' for i in (4, 5, 6))
    else:
        unknowns = "".join(f'<Unknown index="{i}"/>' for i in (5, 6, 7))
        structure = f"<Outputs>{unknowns}</Outputs><InitialUnknowns>{unknowns}</InitialUnknowns>"
    token = "instantiationToken" if three else "guid"
    text = (
        f'<fmiModelDescription fmiVersion="{request.param}" modelName="oscillator" {token}="{{1}}">'
        f'<CoSimulation modelIdentifier="oscillator"/><ModelVariables>{variables}</ModelVariables>'
        f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>"
    )
    path = folder / "oscillator.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", text)
        archive.write(library, f"binaries/{'x86_64-linux' if three else 'linux64'}/oscillator.so")
    return path


def folders():
    """Folders of unpacked FMUs."""
    return set(Path(tempfile.gettempdir()).glob("dovetail-fmu-*"))


def hybrid(numerical, specimen=None, **fields):
    method = CoSimulation() if isinstance(specimen, FmuSpecimen) else dv.core.RK4()
    return dv.Test(
        numerical=numerical,
        rig=dv.Rig(
            actuator=dv.transfer.Delay(2e-3), specimen=specimen or dv.specimens.Spring(k=K_S), method=method
        ),
        rate=1000.0,
        duration=0.4,
        **fields,
    )


def test_an_fmu_as_numerical_substructure_equals_the_built_in_model(fmu):
    """Free vibration from an initial displacement, fed back through a late rig."""
    theirs = FmuSubstructure(
        file=str(fmu), inputs={"force": "F"}, outputs=NAMES, start={**START, "x": 0.01, "v": 0.2}
    )
    run = hybrid(theirs, method=CoSimulation()).rehearse()
    ours = hybrid(dv.mechanics.Oscillator(m=M, c=C, k=K, z0=0.01, v0=0.2)).rehearse()
    assert run.outcome is Outcome.FINISHED
    assert float(np.abs(run.data.displacement).max()) > 0.01
    # RK4 at 1 kHz and 2000 Heun steps a tick, both under the same held force
    np.testing.assert_allclose(run.data.displacement, ours.data.displacement, atol=1e-8)
    again = hybrid(theirs, method=CoSimulation()).rehearse()  # from its start, not from where it stood
    np.testing.assert_array_equal(again.data.displacement, run.data.displacement)


def test_an_fmu_as_specimen_equals_the_built_in_model(fmu):
    """Its displacement under an imposed force stands for a force under an imposed displacement: a soft filter."""
    theirs = FmuSpecimen(
        file=str(fmu),
        inputs={"displacement": "F"},
        outputs={"force": "a"},
        start={"m": 1.0, "c": 50.0, "k": 900.0},
    )
    numerical = dv.mechanics.Oscillator(m=M, c=C, k=K)
    wall = dv.Sine(amplitude=0.012, frequency=3.0)
    run = hybrid(numerical, theirs, excitation=wall).rehearse()
    assert run.outcome is Outcome.FINISHED
    # a = F - c v - k x with F the imposed displacement: integrated here, held at each tick's end
    x = v = 0.0
    forces = [0.0]
    for u in run.data.achieved_displacement.values[1:]:
        h = 1e-3 / 50
        for _ in range(50):
            a = u - 50.0 * v - 900.0 * x
            x1, v1 = x + h * v, v + h * a
            a1 = u - 50.0 * v1 - 900.0 * x1
            x, v = x + h / 2 * (v + v1), v + h / 2 * (a + a1)
        forces.append(u - 50.0 * v - 900.0 * x)
    assert np.abs(forces).max() > 1e-3
    np.testing.assert_allclose(run.data.specimen_force, forces, atol=1e-7)


def test_the_instance_that_was_not_used_for_longest_is_closed_for_the_next(fmu, monkeypatch):
    monkeypatch.setattr(model, "MAX_OPEN", 2)
    model.close_all()
    first, second = (model.slave(str(fmu), (("m", m),)) for m in (1.0, 2.0))
    assert model.slave(str(fmu), (("m", 1.0),)) is first
    third = model.slave(str(fmu), (("m", 3.0),))
    assert second.process is None
    assert not second.folder.exists()
    assert first.folder.is_dir()
    assert third.folder.is_dir()
    again = model.slave(str(fmu), (("m", 2.0),))  # begun anew
    np.testing.assert_allclose(again.read(["x", "v"]), 0.0)
    model.close_all()
    assert not any(each.folder.exists() for each in (first, third, again))


def test_an_fmu_has_no_reference_and_returns_nan(fmu):
    theirs = FmuSubstructure(file=str(fmu), inputs={"force": "F"}, outputs=NAMES, start=START)
    assert not np.all(np.isfinite(hybrid(theirs).rehearse().data.displacement))  # RK4 instead of CoSimulation


def test_wrong_names_and_files_are_reported(fmu, tmp_path):
    with pytest.raises(UnknownNameError, match="displacement"):
        FmuSubstructure(file=str(fmu), inputs={"force": "F"}).init()
    (tmp_path / "no.fmu").write_text("no")
    here, left = Path.cwd(), folders()
    with pytest.raises(LinkError, match="cannot be read as an FMU"):
        FmuSubstructure(file=str(tmp_path / "no.fmu")).init()
    with zipfile.ZipFile(fmu) as whole, zipfile.ZipFile(tmp_path / "broken.fmu", "w") as broken:
        for name in whole.namelist():
            broken.writestr(name, b"no library" if name.endswith(".so") else whole.read(name))
    with pytest.raises(LinkError, match="cannot be read as an FMU .*Failed to load shared library"):
        FmuSubstructure(file=str(tmp_path / "broken.fmu")).init()
    assert Path.cwd() == here
    assert folders() == left  # what could not be opened left nothing


@pytest.fixture
def faulty(fmu, tmp_path):
    """Return the FMU with a library whose step runs a line of C."""
    import fmpy

    def make(line, function="DoStep"):
        with zipfile.ZipFile(fmu) as whole:
            three = any("x86_64-linux" in name for name in whole.namelist())
            source = Path(__file__).with_name("oscillator.c").read_text()
            call = f"{'fmi3' if three else 'fmi2'}{function}("
            head, _, tail = source.partition(call)
            body, brace, rest = tail.partition("{")
            (tmp_path / "faulty.c").write_text(
                f"#include <unistd.h>\n{head}{call}{body}{brace} {line} {rest}"
            )
            words = ["cc", "-shared", "-fPIC", "-I", Path(fmpy.__file__).parent / "c-code"]
            words += [tmp_path / "faulty.c", fmu.with_name("others.c"), "-o", tmp_path / "faulty.so"]
            subprocess.run(words + (["-DFMI3"] if three else []), check=True)
            with zipfile.ZipFile(tmp_path / "faulty.fmu", "w") as archive:
                for name in whole.namelist():
                    library = (tmp_path / "faulty.so").read_bytes()
                    archive.writestr(name, library if name.endswith(".so") else whole.read(name))
        return str(tmp_path / "faulty.fmu")

    return make


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("*(volatile int *)0 = 1;", "has ended its process .Segmentation fault"),
        ("_exit(7);", "has ended its process .exit code 7"),
        ("for (;;) pause();", "did not answer within 1 s"),
    ],
    ids=["faults", "exits", "hangs"],
)
def test_a_library_that_faults_exits_or_hangs_takes_only_its_own_process(faulty, monkeypatch, line, text):
    before = folders()
    opened = model.Slave(faulty(line), ())
    monkeypatch.setattr(model, "DEADLINE", 1.0)
    with pytest.raises(LinkError, match=text):
        opened.step(0, 0.0, 1e-3, ["F"], [1.0])
    with pytest.raises(LinkError, match="its process has ended"):
        opened.read(["x"])
    assert folders() == before


def test_a_library_that_exits_when_it_is_loaded_is_reported(faulty):
    loaded = "free(c); } __attribute__((constructor)) static void loaded(void) { void *c = 0; _exit(3);"
    with pytest.raises(LinkError, match="has ended its process .exit code 3"):
        model.Slave(faulty(loaded, "FreeInstance"), ())


def test_the_process_and_the_files_of_an_fmu_end_with_the_process_that_opened_it(fmu):
    code = (
        "import sys, time\nfrom dovetail.links.fmi.model import Slave\n"
        f"opened = Slave({str(fmu)!r}, ())\nprint(opened.process.pid, opened.folder, flush=True)\ntime.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    number, folder = process.stdout.readline().split()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    end = time.monotonic() + 120
    while (Path(folder).exists() or Path(f"/proc/{number}").exists()) and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path(folder).exists()


@pytest.mark.parametrize(
    ("count", "size"), [(200_000, 0), (3, 2**30)], ids=["many empty files", "3 GB of zeros"]
)
def test_an_archive_is_refused_by_its_list_before_it_is_unpacked(tmp_path, count, size):
    before = folders()
    with zipfile.ZipFile(tmp_path / "bomb.fmu", "w") as archive:
        for i in range(count):
            entry = zipfile.ZipInfo(f"{i}")
            archive.writestr(entry, b"")
            entry.file_size = size  # as declared in the list of the archive
    with pytest.raises(LinkError, match=f"has {count} files of .* bytes unpacked; at most 10000 files"):
        model.Slave(str(tmp_path / "bomb.fmu"), ())
    assert folders() == before
