"""Every study of the source's chapters 4 to 8 is a file with its defaults, which runs by its name."""

import re
import tomllib
from importlib import resources

import pytest

from dovetail import testing
from dovetail.studies.registry import find_test

FOLDER = resources.files("dovetail.studies.docking") / "tests"
NAMES = sorted(file.name.removesuffix(".toml") for file in FOLDER.iterdir() if file.name.endswith(".toml"))
STUDIES = {  # by the section of the source that asks for it
    "4.4.3.1": "contact-speeds",
    "4.4.3.2": "contact-materials",
    "4.4.3.3": "contact-laws",
    "5.2": "hil-1dof",
    "5.3.1": "impact-1dof",
    "5.4.1, figures 5.5": "delay-by-resolution",
    "5.4.1, figure 5.7": "delay-by-sensor",
    "5.4.1, figure 5.8": "delay-by-force-resolution",
    "5.4, figures 5.9": "delay-by-mass",
    "5.4, figures 5.11": "delay-by-speed",
    "5.4, figures 5.13": "delay-by-material",
    "6.5.1": "map",
    "6.5.2": "six-dof",
    "6.5.2.1-D": "six-dof-worst",
    "7.4.1,": "robot-by-resolution",
    "7.4.1.3, figure 7.6": "robot-by-sensor",
    "7.4.1.3, figure 7.7": "robot-by-sensor-resolution",
    "7.4.2.1": "robot-by-mass",
    "7.4.2.2": "robot-by-speed",
    "7.4.3": "robot-by-material",
    "8.2.4": "impact-4",
    "8.3.3": "qualification",
    "section 8.4": "validate",
    "8.2": "testbed",
}


def test_every_section_has_its_file():
    sources = {
        section: tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))["source"]
        for section, name in STUDIES.items()
    }
    wrong = {section: source for section, source in sources.items() if section.rstrip(",") not in source}
    assert not wrong


@pytest.mark.parametrize("name", [n for n in NAMES if not re.match("six-dof|testbed", n)])
def test_a_file_is_valid_and_has_a_title(name):
    loaded = testing.load(find_test(f"docking/{name}"))
    assert loaded.title
    assert loaded.source
