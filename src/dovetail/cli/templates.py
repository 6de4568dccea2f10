"""What `dovetail new` writes: files to begin a part, a test or a study with, each commented and each with its test.

Words in them are those of `string.Template`: `$name` is the name that was given, `$title` the same as a class has it.
"""

from __future__ import annotations

PART = '''"""$title: a part of our own.

In a test file: `parts = ["$name.py"]` and `kind = "$name:$title"`.
"""

import jax

from dovetail.core import parameter
from dovetail.specimens.base import Memoryless


class $title(Memoryless):  # a specimen without memory; `dovetail parts` tells what else there is to derive from
    r"""Spring that hardens, :math:`F = -k x - k_3 x^3`; write here what it is, its equation, source and limit."""

    # each parameter with its SI unit, meaning and range; a test file may write k = "2.25 kN/m"
    k: jax.Array = parameter("N/m", "stiffness", above=0.0)
    cubic: jax.Array = parameter("N/m^3", "cubic stiffness", default=0.0, at_least=0.0)

    def output(self, t, x, u):
        """Force [N] on the numerical substructure; `u` holds displacement [m], velocity and acceleration.

        Use jax.numpy, jnp.where instead of `if` on values, and keep nothing on self.
        """
        z = u["displacement"]
        return {"force": -self.k * z - self.cubic * z**3}
'''
TEST_OF_PART = '''"""What $title claims; run it with: python -m pytest test_$name.py"""

import dovetail as dv
import numpy as np
from $name import $title


def test_the_force_is_that_of_the_equation():
    part = $title(k=2000.0, cubic=1e6)
    for z in (-0.02, 0.0, 0.01):
        force = part.output(0.0, part.init(), {"displacement": z})["force"]
        np.testing.assert_allclose(force, -2000.0 * z - 1e6 * z**3)


def test_it_works_in_a_hybrid_test():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=$title(k=2000.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        duration=0.1,
    )
    assert test.rehearse().outcome.completed
'''
FILE = """# A hybrid test to begin with: every value may be changed, a quantity with any unit of its kind.
# dovetail check $name.toml     prints it with every default, or says what is wrong and where
# dovetail run $name.toml       rehearses it on its virtual rig and writes a folder with a report
# dovetail design $name.toml    proposes a compensator and says go or no-go
# dovetail parts                lists what each `kind` can be; `dovetail parts delay` tells of one

title = "$title"
rate = "1 kHz"        # of the control loop: a tick is 1 ms
duration = "2 s"
seed = 1              # of all that is random: the same seed gives the same run
# parts = ["my_parts.py"]    # parts of your own, from this folder: kind = "my_parts:CLASS" (dovetail new part NAME)

[numerical]           # what is simulated: here one mass on a spring and a damper, whose support moves
kind = "oscillator"
m = "2.2 kg"
c = "15 N s/m"
k = "2250 N/m"

[rig.actuator]        # what moves the specimen; identify yours from a recording: dovetail rig identify FILE.csv
kind = "delay"
delay = "3 ms"

[rig.specimen]        # what is tested, as far as it is known beforehand; the laboratory has the real one
kind = "spring"
k = "2250 N/m"

[compensator]         # makes up for the delay; `none` leaves it as it is
kind = "forward-prediction"
delay = "3 ms"
order = 3
window = 4

[excitation]          # what happens to the structure; kind = "ground-record" takes a recorded earthquake
kind = "sine"
amplitude = "12 mm"
frequency = "3 Hz"

[limits]              # a run that passes one is stopped
displacement = "50 mm"
force = "100 N"
"""
TEST_OF_FILE = '''"""What the test $name.toml claims; run it with: python -m pytest test_$name.py"""

from pathlib import Path

import dovetail as dv

TEST = dv.testing.load(Path(__file__).with_name("$name.toml"))


def test_the_loop_is_stable_with_a_margin_of_a_tick():
    assert TEST.stability().margin > TEST.dt


def test_a_rehearsal_runs_to_its_end_and_is_near_the_ideal():
    run = TEST.rehearse()
    assert run.outcome.completed, str(run)
    assert dv.fidelity.compare(run, TEST.emulate()).rms["e1"] < 0.05  # of the motion without a rig
'''
OWN_FILE = """# The first test of this study; its specimen is $title of ../$name.py.
title = "$title: a first test"
parts = ["../$name.py"]    # run when this file is read, and carried along with every run
rate = "1 kHz"
duration = "1 s"
seed = 1

[numerical]
kind = "oscillator"
m = "2.2 kg"
c = "15 N s/m"
k = "2250 N/m"

[rig.actuator]
kind = "delay"
delay = "3 ms"

[rig.specimen]
kind = "$name:$title"
k = "2 kN/m"
cubic = 1e6

[excitation]
kind = "sine"
amplitude = "12 mm"
frequency = "3 Hz"

[limits]
displacement = "50 mm"
force = "200 N"
"""
CAMPAIGN = """# How much delay the first test bears: dovetail campaign campaigns/delay.toml
title = "$title: delay and damping"
test = "../tests/first.toml"
modes = ["emulate", "rehearse"]                # the ideal and the rehearsal, side by side
measures = ["rms e1", "stability.margin"]      # error against the ideal; the delay that the loop still bears

[[axis]]                                       # what is varied: any parameter of the test
path = "rig.actuator.delay"
from = "1 ms"
to = "5 ms"
count = 3

[[axis]]
path = "numerical.c"
name = "damping"
values = ["10 N s/m", "20 N s/m"]

[[answers]]                                    # what is asked of the results; may be changed later
kind = "largest"
of = "delay"
measure = "rms_e1"
below = 0.5
"""
TEST_OF_STUDY = '''"""What the study $name claims; run it with: python -m pytest test_$name.py"""

from pathlib import Path

import dovetail as dv
import numpy as np
import pytest
from $name import $title

FOLDER = Path(__file__).parent


def test_the_force_is_that_of_the_equation():
    part = $title(k=2000.0, cubic=1e6)
    for z in (-0.02, 0.0, 0.01):
        force = part.output(0.0, part.init(), {"displacement": z})["force"]
        np.testing.assert_allclose(force, -2000.0 * z - 1e6 * z**3)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("tests/*.toml")), ids=lambda file: file.stem)
def test_every_test_of_the_study_runs_to_its_end(file):
    assert dv.testing.load(file).rehearse().outcome.completed


def test_a_longer_delay_costs_margin_and_accuracy(tmp_path):
    plan = dv.campaign.load(FOLDER / "campaigns" / "delay.toml")
    assert dv.campaign.run(plan, tmp_path / "delay").failed == 0
    found = dv.campaign.open_results(tmp_path / "delay")
    assert (found.stability_margin.diff("delay") < 0).all()
    assert (found.rms_e1.diff("delay") > 0).all()
'''
ABOUT = """# $title

Write here what is tested, what is published of it, and what this study should reach.

| file | holds |
|---|---|
| `$name.py` | parts of our own: `kind = "$name:$title"` |
| `tests/first.toml` | a test: `dovetail run tests/first.toml` |
| `campaigns/delay.toml` | many of them: `dovetail campaign campaigns/delay.toml` |
| `test_$name.py` | what all this claims: `python -m pytest` |
"""

WRITTEN: dict[str, dict[str, str]] = {  # what is begun: its files by name
    "part": {"$name.py": PART, "test_$name.py": TEST_OF_PART},
    "test": {"$name.toml": FILE, "test_$name.py": TEST_OF_FILE},
    "study": {
        "$name/README.md": ABOUT,
        "$name/$name.py": PART,
        "$name/tests/first.toml": OWN_FILE,
        "$name/campaigns/delay.toml": CAMPAIGN,
        "$name/test_$name.py": TEST_OF_STUDY,
    },
}
SAID = {  # and what to do with it
    "part": 'in a test file: parts = ["$name.py"] and kind = "$name:$title"; or --parts $name.py',
    "test": "rehearse it: dovetail run $name.toml",
    "study": "in the folder $name: dovetail run tests/first.toml, dovetail campaign campaigns/delay.toml",
}
