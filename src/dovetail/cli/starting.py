"""`dovetail new part`: a commented file to begin with, and its test."""

from __future__ import annotations

import keyword
from pathlib import Path

from dovetail.core.errors import OutputError, ParameterError

PART = '''"""{title}: a part of our own.

In a test file: `parts = ["{name}.py"]` and `kind = "{name}:{title}"`.
"""

import jax

from dovetail.core import parameter
from dovetail.specimens.base import Memoryless


class {title}(Memoryless):  # a specimen without memory; `dovetail parts` tells what else there is to derive from
    r"""Spring that hardens, :math:`F = -k x - k_3 x^3`; write here what it is, its equation, source and limit."""

    # each parameter with its SI unit, meaning and range; a test file may write k = "2.25 kN/m"
    k: jax.Array = parameter("N/m", "stiffness", above=0.0)
    cubic: jax.Array = parameter("N/m^3", "cubic stiffness", default=0.0, at_least=0.0)

    def output(self, t, x, u):
        """Force [N] on the numerical substructure; `u` holds displacement [m], velocity and acceleration.

        Use jax.numpy, jnp.where instead of `if` on values, and keep nothing on self.
        """
        z = u["displacement"]
        return {{"force": -self.k * z - self.cubic * z**3}}
'''
TEST = '''"""What {title} claims; run it with: python -m pytest test_{name}.py"""

import dovetail as dv
import numpy as np
from {name} import {title}


def test_the_force_is_that_of_the_equation():
    part = {title}(k=2000.0, cubic=1e6)
    for z in (-0.02, 0.0, 0.01):
        force = part.output(0.0, part.init(), {{"displacement": z}})["force"]
        np.testing.assert_allclose(force, -2000.0 * z - 1e6 * z**3)


def test_it_works_in_a_hybrid_test():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen={title}(k=2000.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        duration=0.1,
    )
    assert test.rehearse().outcome.completed
'''


def start_part(name: str, folder: Path = Path()) -> list[Path]:
    """Write NAME.py and test_NAME.py; the files.

    Raises
    ------
    ParameterError
        If a module cannot be called so.
    OutputError
        If one of them is there already, or the folder cannot be written.
    """
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise ParameterError(
            f'got "{name}"; a file of parts is called by letters, digits and _, as my_damper is'
        )
    title = "".join(word[:1].upper() + word[1:] for word in name.split("_")) or "Part"
    files = {folder / f"{name}.py": PART, folder / f"test_{name}.py": TEST}
    there = [path for path in files if path.exists()]
    if there:
        raise OutputError(f"{there[0]}: is already there; choose another name or remove it")
    for path, text in files.items():
        try:
            path.write_text(text.format(name=name, title=title), "utf-8")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(f"{path}: cannot be written ({reason}); go to another folder") from error
    print(f"written   {', '.join(map(str, files))}")
    print(f'in a test file: parts = ["{name}.py"] and kind = "{name}:{title}"; or --parts {name}.py')
    return list(files)
