"""The command line starts fast: help does not import JAX, and a check imports only what the test uses."""

import subprocess
import sys

import pytest

from dovetail.core.kind_sources import entries

HEAVY = ("jax", "equinox", "numpy", "scipy", "xarray", "matplotlib", "pint")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["list"], ["capabilities", "--json"]])
def test_a_light_command_imports_nothing_heavy(arguments):
    code = (
        "import sys; from dovetail.cli.main import main\n"
        f"sys.argv = ['dovetail', *{arguments!r}]\n"
        "try:\n    main()\n"
        "except SystemExit as ending:\n    assert not ending.code, ending.code\n"
        f"heavy = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_dovetail_imports_nothing_heavy():
    code = f"import sys, dovetail; assert not [name for name in {HEAVY!r} if name in sys.modules]"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


WIDE = (  # what a test file might name and this one does not, or what only a run or its report needs
    "dovetail.air",
    "dovetail.campaign",
    "dovetail.links",
    "dovetail.report",
    "dovetail.sea",
    "dovetail.stability",
    "optimistix",
    "matplotlib",
    "pandas",
    "pint",
    "scipy",
    "xarray",
)


LOADED = """
import sys
from dovetail.cli.main import main
sys.argv = ["dovetail", *{arguments!r}]
try:
    main()
except SystemExit as ending:
    print(ending.code or 0)
print(*sys.modules)
"""
NAMED = (
    "oscillator",
    "delay",
    "spring",
    "series",
    "rk4",
    "none",
    "measured",
    "sine",
    "zero",
)  # zero: before its sine
SLOTS = {
    "dovetail.testing.pseudodynamic.gate",
    "dovetail.testing.schedule",
}  # of every test, used by this one or not


@pytest.mark.parametrize(
    ("settings", "code", "besides"),
    [
        ([], 0, set()),
        (
            ["--set", "rig.actuator.delay=3 kg"],
            2,
            {"pint", "scipy"},
        ),  # pint says what kg are, and needs scipy
        (["--set", "rig.specimen.kind=sprign"], 2, set()),
    ],
)
def test_a_check_loads_the_parts_that_the_file_names_and_no_others(settings, code, besides):
    told = LOADED.format(arguments=["check", "substructuring/cs1", *settings])
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
    ended, loaded = done.stdout.splitlines()[-2:]
    assert int(ended) == code, done.stderr
    assert {name for name in loaded.split() if name in WIDE} == besides
    have_parts = {entry.module for entry in entries().values()} & set(loaded.split())
    assert have_parts - SLOTS <= {entries()[kind].module for kind in NAMED}
