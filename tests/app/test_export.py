"""Exported commands and scripts give the numbers of the studio."""

import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

from dovetail.app import Action, Document, Explorer, export
from dovetail.app.explore_result import Trace
from dovetail.cli.main import app
from dovetail.testing import run_folder

CS1 = "substructuring/cs1"


def test_command_line_and_python_reproduce_the_result_of_the_studio(edited, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    action = Action("rehearse", edited)
    shown = Explorer(edited.table, ["rig.actuator.delay"], "cs1.toml").compute({})
    line = shlex.split(export.command_line(action, tmp_path / "line"))
    assert line[0] == "dovetail"
    done = CliRunner().invoke(app, [*line[1:], "--no-report"])
    assert done.exit_code == 0, done.output
    program = export.python(action, tmp_path / "program")
    assert len(program.splitlines()) <= 10
    exec(compile(program, "handover", "exec"), {})
    runs = [run_folder.read_run(tmp_path / name) for name in ("line", "program")]
    assert (tmp_path / "program" / "report.html").is_file()
    np.testing.assert_array_equal(runs[0].data.displacement, runs[1].data.displacement)
    data = runs[0].data
    recorded = Trace.from_signal("", "m", data.time.values, data.displacement.values)
    np.testing.assert_array_equal(recorded.y, shown.traces["response"].y)
    assert f"delay margin {1e3 * shown.margin:.2f} ms" in done.output
    assert shown.outcome in done.output


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (
            Action("realtime", Document.open(CS1), address="udp://localhost:7001"),
            "run = test.run_realtime('udp://localhost:7001')",
        ),
        (Action("pseudodynamic", Document.open("refuelling/drop")), "run = test.run_pseudodynamic()"),
        (
            Action("pseudodynamic", Document.open("refuelling/drop"), address="tcp://localhost:7002"),
            "run_pseudodynamic(links.RemoteCell('tcp://localhost:7002', ",
        ),
        (Action("", Document.open("capture/swing")), "run = test.simulate()"),
        (Action("map", Document.open("docking/map")), "data.to_netcdf('map-map-001.nc')"),
        (Action("design", Document.open(CS1)), "assess.write(plan, 'runs/cs1-design-001')"),
        (
            Action("design", Document.open(CS1), options={"--model-order": "2", "--compensator": "inverse"}),
            "plan = assess.design(test, assess.DesignOptions(model_order=2, compensator='inverse'))",
        ),
        (
            Action("realtime", Document.open(CS1), address="udp://localhost:7001", key="rig.key"),
            "run = test.run_realtime('udp://localhost:7001', key=links.read_key('rig.key'))",
        ),
        (
            Action("campaign", campaign="docking/chapter-5"),
            "campaign.run(plan, 'runs/chapter-5-campaign-001')",
        ),
    ],
)
def test_every_deed_has_at_most_ten_lines_that_are_python(action, words):
    program = export.python(action)
    compile(program, "handover", "exec")
    assert len(program.splitlines()) <= 10
    assert words in program


def test_text_that_set_cannot_express_is_exported_as_a_file():
    document = Document.open(CS1)
    document.write(document.text.replace('force = "100 N"\n', ""))
    assert "dv.load('my-test.toml')" in export.python(Action("rehearse", document))
    assert export.command_line(Action("rehearse", document)).startswith("dovetail run my-test.toml --mode")
