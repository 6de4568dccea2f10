"""The capture study: every file is read, every quick target met; the others, which take minutes, are slow."""

import tomllib
from pathlib import Path

import pytest

import dovetail.studies.capture as capture
from dovetail import testing
from dovetail.studies.targets import load_targets

FOLDER = Path(capture.__file__).parent
TARGETS = [target.id for target in load_targets("capture")]
QUICK = ("RT-02", "RT-03", "RT-10", "RT-26")
NOT_REPRODUCED = ("RT-15", "RT-28c")  # their notes say why
TIMED = ("RT-34",)  # by the machine at hand


@pytest.mark.parametrize("file", sorted(FOLDER.glob("tests/*.toml")), ids=lambda file: file.stem)
def test_every_file_is_a_simulation_without_faults(file):
    simulation = testing.load(file)
    assert simulation.rig is None
    assert simulation.title
    assert "mastrogiuseppe2023" in simulation.source


@pytest.mark.parametrize("name", QUICK)
def test_quick_targets_are_met(name, meets):
    meets("capture", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in TARGETS if n not in QUICK + NOT_REPRODUCED + TIMED])
def test_the_other_targets_are_met(name, meets):
    meets("capture", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["refuelling-hose", "glider-tow", "sling-load"])
def test_presets_of_other_slender_bodies_run(name):
    from dovetail.testing.test_file import change

    table = tomllib.loads((FOLDER / "tests" / f"{name}.toml").read_text("utf-8"))
    run = testing.parse(change(table, {"duration": "0.5 s"})).simulate()
    assert run.outcome.completed
    assert float(run.data["tension"].max()) > 0
    assert float(abs(run.data["energy_residual"]).max()) < 1e-3 * float(abs(run.data["external_work"]).max())
