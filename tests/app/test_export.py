"""What is handed over gives the numbers that the studio showed."""

import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

from dovetail.app import Deed, Document, Feel, export
from dovetail.app.explore_result import Trace
from dovetail.cli.main import app
from dovetail.testing import run_folder

CS1 = "substructuring/cs1"


def test_command_line_and_python_give_what_the_studio_showed(edited, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deed = Deed("rehearse", edited)
    shown = Feel(edited.table, ["rig.actuator.delay"], "cs1.toml").answer({})
    line = shlex.split(export.command_line(deed, tmp_path / "line"))
    assert line[0] == "dovetail"
    done = CliRunner().invoke(app, [*line[1:], "--no-report"])
    assert done.exit_code == 0, done.output
    program = export.python(deed, tmp_path / "program")
    assert len(program.splitlines()) <= 10
    exec(compile(program, "handover", "exec"), {})
    runs = [run_folder.read(tmp_path / name) for name in ("line", "program")]
    assert (tmp_path / "program" / "report.html").is_file()
    np.testing.assert_array_equal(runs[0].data.displacement, runs[1].data.displacement)
    data = runs[0].data
    recorded = Trace.of("", "m", data.time.values, data.displacement.values)
    np.testing.assert_array_equal(recorded.y, shown.traces["response"].y)
    assert f"it bears {1e3 * shown.margin:.2f} ms more" in done.output
    assert shown.outcome in done.output


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        (
            Deed("run", Document.open(CS1), rig="udp://localhost:7001"),
            "run = test.run('udp://localhost:7001')",
        ),
        (Deed("creep", Document.open("refuelling/drop")), "run = test.creep()"),
        (
            Deed("creep", Document.open("refuelling/drop"), rig="tcp://localhost:7002"),
            "creep(links.RemoteCell('tcp://localhost:7002', ",
        ),
        (Deed("", Document.open("capture/swing")), "run = test.simulate()"),
        (Deed("map", Document.open("docking/map")), "data.to_netcdf('map-map-001.nc')"),
        (Deed("design", Document.open(CS1)), "design.write(made, 'runs/cs1-design-001')"),
        (
            Deed("design", Document.open(CS1), options={"--model-order": "2", "--compensator": "inverse"}),
            "made = design.design(test, design.Wishes(model_order=2, compensator='inverse'))",
        ),
        (
            Deed("run", Document.open(CS1), rig="udp://localhost:7001", key="rig.key"),
            "run = test.run('udp://localhost:7001', key=links.read_key('rig.key'))",
        ),
        (Deed("campaign", campaign="docking/chapter-5"), "campaign.run(plan, 'runs/chapter-5-campaign-001')"),
    ],
)
def test_every_deed_has_at_most_ten_lines_that_are_python(deed, words):
    program = export.python(deed)
    compile(program, "handover", "exec")
    assert len(program.splitlines()) <= 10
    assert words in program


def test_a_text_that_only_a_file_can_hold_is_named_by_that_file():
    document = Document.open(CS1)
    document.write(document.text.replace('force = "100 N"\n', ""))
    assert "dv.load('my-test.toml')" in export.python(Deed("rehearse", document))
    assert export.command_line(Deed("rehearse", document)).startswith("dovetail run my-test.toml --mode")
