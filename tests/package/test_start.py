"""The command line answers at once: asking for help does not wait for JAX."""

import subprocess
import sys

import pytest

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
