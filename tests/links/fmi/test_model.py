"""An FMU of another maker as numerical substructure and as specimen, FMI 2.0 and 3.0."""

import importlib.util
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import LinkError, UnknownNameError
from dovetail.links.fmi import CoSimulation, FmuSpecimen, FmuSubstructure, model
from dovetail.links.fmi.unpack_folder import new_folder
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
    assert second.fmu is None
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
    here, left = Path.cwd(), len(list(new_folder().parent.iterdir()))
    with pytest.raises(LinkError, match="cannot be read as an FMU"):
        FmuSubstructure(file=str(tmp_path / "no.fmu")).init()
    with zipfile.ZipFile(fmu) as whole, zipfile.ZipFile(tmp_path / "broken.fmu", "w") as broken:
        for name in whole.namelist():
            broken.writestr(name, b"no library" if name.endswith(".so") else whole.read(name))
    with pytest.raises(LinkError, match="cannot be read as an FMU .*Failed to load shared library"):
        FmuSubstructure(file=str(tmp_path / "broken.fmu")).init()
    assert Path.cwd() == here
    assert len(list(new_folder().parent.iterdir())) == left + 1  # what could not be opened left nothing
