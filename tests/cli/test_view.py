"""`dovetail view`."""

import pytest
from typer.testing import CliRunner

import dovetail as dv
from dovetail.cli.main import app
from dovetail.core.errors import OutputError, ParameterError
from dovetail.studies.registry import find_test
from dovetail.testing import run_folder

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    run = dv.load(find_test("substructuring/cs1"), {"duration": 0.2}).rehearse()
    return run_folder.save_run(run, tmp_path_factory.mktemp("runs") / "cs1")


def command(*arguments):
    return CliRunner().invoke(app, ["view", *map(str, arguments)], catch_exceptions=False)


def test_the_printed_address_is_on_loopback(recorded):
    said = command(recorded, "--port", 0, "--duration", 0.1)
    assert said.exit_code == 0, said.output
    assert "open      http://127.0.0.1:" in said.output
    assert "token" not in said.output


def test_beyond_loopback_the_address_has_a_token(recorded):
    said = command(
        recorded, "--port", 0, "--duration", 0.1, "--host", "127.0.0.2"
    )  # not in the list of names
    assert "/?token=" in said.output


def test_a_folder_without_a_run_is_reported(tmp_path):
    with pytest.raises(OutputError, match="contains no result.nc"):
        command(tmp_path)


def test_a_map_cannot_be_viewed():
    with pytest.raises(ParameterError, match="is a parameter map"):
        command("docking/map")
