"""README: its Python code runs, its commands and files exist."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)


def test_the_readme_has_an_example_of_about_ten_lines():
    assert len(PYTHON) == 1
    statements = [line for line in PYTHON[0].splitlines() if line.strip()]
    assert len(statements) <= 12


@pytest.mark.parametrize("code", PYTHON)
def test_the_example_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert "critical delay 6.77 ms" in capsys.readouterr().out


def test_every_file_the_readme_links_to_exists():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_make_target_of_the_readme_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = {*re.findall(r"`make ([a-z-]+)`", README), *re.findall(r"^make ([a-z-]+)", README, re.M)}
    assert {"demo", "test"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), f"make {target}"


@pytest.mark.parametrize(("command", "extra"), [("view", "view"), ("film", "film"), ("studio", "studio")])
def test_the_first_command_of_the_readme_installs_what_the_others_need(command, extra):
    """`make demo` installs `requirements.txt`, so whoever goes on reading finds the next command working."""
    assert f"dovetail {command}" in README
    assert README.index("make demo") < README.index(f"dovetail {command}")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(r"^demo: \$\(VENV\)/run.stamp", makefile, re.M)
    locked = {
        line.split("==")[0].lower() for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.match(r"[\w-]+", name)[0].lower() for name in project["optional-dependencies"][extra]}
    assert needed
    assert needed <= locked


def test_continuous_integration_runs_the_readmes_test_command():
    assert "`make test`" in README
    assert "exec make test" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_every_command_of_the_readme_exists():
    help_text = subprocess.run(
        [sys.executable, "-m", "dovetail", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for command in set(re.findall(r"`?dovetail ([a-z]+)", README)):
        assert re.search(rf"\b{command}\b", help_text), f"dovetail {command}"


def test_the_readme_has_the_target_counts_of_the_stored_results():
    spec = importlib.util.spec_from_file_location(
        "docs_compute_targets", ROOT / "docs" / "compute_targets.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "| printed |" in README
    assert module.with_counts(README) == README, "mend with: python docs/compute_targets.py --count"
