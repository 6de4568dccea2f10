"""Template files of `dovetail new`: commented files for a part, a test or a study, each with a pytest file.

The placeholders are those of `string.Template`: `$name` is the given name, `$title` the same in class spelling.
"""

from __future__ import annotations

PART = r'''"""$title: user part.

In a test file: `parts = ["$name.py"]` and `kind = "$name:$title"`.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, State, Time, Parameter, parameter
from dovetail.specimens import Specimen


class $title(Specimen):  # specimen with memory; `dovetail parts` lists the other families
    r"""Elastoplastic spring, :math:`F = -k (x - x_p)`. Describe the part here: equation, source, limits.

    The plastic displacement :math:`x_p` changes when the yield force is reached, with linear kinematic hardening:
    :math:`|k (x - x_p) - h x_p| \le F_y`.
    """

    # each parameter has an SI unit, a meaning and a range; a test file may write k = "2 kN/m"
    k: Parameter = parameter("N/m", "elastic stiffness", above=0.0)
    yield_force: Parameter = parameter("N", "force at first yield", above=0.0)
    hardening: Parameter = parameter("N/m", "hardening modulus h", default=0.0, at_least=0.0)
    shape: tuple[int, ...] = eqx.field(default=(), static=True)  # of the interface: () for one axis, (n,) for n axes

    def init(self) -> State:
        """Initial state: plastic displacement [m]. A part without memory derives from Memoryless instead."""
        return jnp.zeros(self.shape)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        """Rate of the state. Here zero, because only `jump` changes it; a creep law would return its rate."""
        return jnp.zeros_like(x)

    def jump(self, t: Time, x: State, u: Input) -> State:
        """State at the end of a step: the return mapping. A rate from `derivative` would leave the yield surface."""
        excess = self.k * (u["displacement"] - x) - self.hardening * x
        beyond = jnp.maximum(jnp.abs(excess) - self.yield_force, 0.0)
        return x + jnp.sign(excess) * beyond / (self.k + self.hardening)

    def output(self, t: Time, x: State, u: Input) -> Output:
        """Force [N] on the numerical substructure; `u` contains displacement [m], velocity and acceleration.

        Use jax.numpy, use jnp.where instead of `if` on values, and store nothing in self.
        """
        return {"force": -self.k * (u["displacement"] - self.jump(t, x, u))}
'''
TEST_OF_PART = '''"""Tests of $title; run them with: python -m pytest test_$name.py"""

import dovetail as dv
import numpy as np
from $name import $title

PART = $title(k=2000.0, yield_force=8.0, hardening=500.0)


def test_a_cycle_follows_the_bilinear_closed_form():
    x, tangent = PART.init(), 2000.0 * 500.0 / 2500.0  # k h / (k + h) [N/m] beyond yield, here at 4 mm
    expected = {0.010: 8.0 + tangent * 0.006, 0.002: 8.0 + tangent * 0.006 - 16.0, -0.010: -8.0 - tangent * 0.006}
    for displacement, force in expected.items():
        motion = {"displacement": displacement}
        x = PART.jump(0.0, x, motion)
        np.testing.assert_allclose(PART.output(0.0, x, motion)["force"], -force)


def test_a_rehearsal_and_its_reference_dissipate_energy():
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(1e-3), specimen=PART),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        duration=1.0,
    )
    for run in (test.rehearse(), test.reference()):
        assert run.outcome.completed
        force, motion = run.data.specimen_force, run.data.achieved_displacement
        assert -np.trapezoid(force, motion) > 0


def test_each_axis_has_its_own_state():
    part = PART.with_sample_time(1e-3, (2,))
    x = part.jump(0.0, part.init(), {"displacement": np.array([0.010, 0.001])})
    assert x.shape == (2,)
    assert x[0] > x[1] == 0
'''
FILE = """# Hybrid test. Change any value; a quantity may have any unit of its dimension.
# dovetail check $name.toml     prints the test with all defaults, or its errors
# dovetail run $name.toml       rehearses the test with its simulated rig and writes a run folder with a report
# dovetail design $name.toml    proposes a compensator and decides go or no-go
# dovetail parts                lists the kinds of parts; `dovetail parts delay` shows one with its parameters

title = "$title"
rate = "1 kHz"        # of the control loop: a tick is 1 ms
duration = "2 s"
seed = 1              # of all random signals: the same seed gives the same run
# parts = ["my_parts.py"]    # user parts in this folder: kind = "my_parts:CLASS" (dovetail new part NAME)

[numerical]           # simulated part: one mass on a spring and a damper, excited at the support
kind = "oscillator"
m = "2.2 kg"
c = "15 N s/m"
k = "2250 N/m"

[rig.actuator]        # moves the specimen; identify it from a recording: dovetail rig identify FILE.csv
kind = "delay"
delay = "3 ms"

[rig.specimen]        # model of the tested part; in the laboratory it is real
kind = "spring"
k = "2250 N/m"

[compensator]         # compensates the delay; `none` applies no compensation
kind = "forward-prediction"
delay = "3 ms"
order = 3
window = 4

[excitation]          # load on the structure; kind = "ground-record" uses a recorded earthquake
kind = "sine"
amplitude = "12 mm"
frequency = "3 Hz"

[limits]              # the run stops if a signal reaches its limit
displacement = "50 mm"
force = "100 N"
"""
TEST_OF_FILE = '''"""Tests of $name.toml; run them with: python -m pytest test_$name.py"""

from pathlib import Path

import dovetail as dv

TEST = dv.testing.load(Path(__file__).with_name("$name.toml"))


def test_the_loop_is_stable_with_a_margin_of_a_tick():
    assert TEST.stability().margin > TEST.dt


def test_a_rehearsal_finishes_and_is_close_to_the_reference():
    run = TEST.rehearse()
    assert run.outcome.completed, str(run)
    assert dv.fidelity.compare(run, TEST.reference()).rms["e1"] < 0.05  # fraction of the reference motion
'''
FIRST_TEST = """# First test of this study. Its specimen is $title in ../$name.py.
title = "$title: a first test"
parts = ["../$name.py"]    # loaded with this file and saved with every run
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
yield_force = "8 N"
hardening = "500 N/m"

[excitation]
kind = "sine"
amplitude = "12 mm"
frequency = "3 Hz"

[limits]
displacement = "50 mm"
force = "200 N"
"""
CAMPAIGN = """# Delay margin of the first test: dovetail campaign campaigns/delay.toml
title = "$title: delay and damping"
test = "../tests/first.toml"
modes = ["reference", "rehearse"]                # reference solution and rehearsal
measures = ["rms e1", "stability.margin"]      # response error; delay margin of the loop

[[parameter]]                                       # varied parameter: any parameter of the test
path = "rig.actuator.delay"
min = "1 ms"
max = "5 ms"
count = 3

[[parameter]]
path = "numerical.c"
name = "damping"
values = ["10 N s/m", "20 N s/m"]

[[analysis]]                                    # analysis of the results; may be changed later
kind = "largest-admissible"
parameter = "delay"
measure = "rms_e1"
limit = 0.5
"""
TEST_OF_STUDY = '''"""Tests of the study $name; run them with: python -m pytest test_$name.py"""

from pathlib import Path

import dovetail as dv
import numpy as np
import pytest
from $name import $title

FOLDER = Path(__file__).parent


def test_the_force_is_elastic_below_yield():
    part = $title(k=2000.0, yield_force=8.0)
    for z in (-0.003, 0.0, 0.002):
        force = part.output(0.0, part.init(), {"displacement": z})["force"]
        np.testing.assert_allclose(force, -2000.0 * z, atol=1e-12)


@pytest.mark.parametrize("file", sorted(FOLDER.glob("tests/*.toml")), ids=lambda file: file.stem)
def test_every_test_of_the_study_finishes(file):
    assert dv.testing.load(file).rehearse().outcome.completed


def test_a_longer_delay_reduces_margin_and_accuracy(tmp_path):
    plan = dv.campaign.load(FOLDER / "campaigns" / "delay.toml")
    assert dv.campaign.run(plan, tmp_path / "delay").failed == 0
    results = dv.campaign.open_results(tmp_path / "delay")
    assert (results.stability_margin.diff("delay") < 0).all()
    assert (results.rms_e1.diff("delay") > 0).all()
'''
ABOUT = """# $title

Describe here the tested system, published results, and the aim of this study.

| file | content |
|---|---|
| `$name.py` | user parts: `kind = "$name:$title"` |
| `tests/first.toml` | a test: `dovetail run tests/first.toml` |
| `campaigns/delay.toml` | a parameter study: `dovetail campaign campaigns/delay.toml` |
| `test_$name.py` | tests of this study: `python -m pytest` |
"""

TEMPLATES: dict[str, dict[str, str]] = {  # files of each template by name
    "part": {"$name.py": PART, "test_$name.py": TEST_OF_PART},
    "test": {"$name.toml": FILE, "test_$name.py": TEST_OF_FILE},
    "study": {
        "$name/README.md": ABOUT,
        "$name/$name.py": PART,
        "$name/tests/first.toml": FIRST_TEST,
        "$name/campaigns/delay.toml": CAMPAIGN,
        "$name/test_$name.py": TEST_OF_STUDY,
    },
}
NEXT_STEPS = {  # next step, printed for each template
    "part": 'in a test file: parts = ["$name.py"] and kind = "$name:$title"; or --parts $name.py',
    "test": "rehearse it: dovetail run $name.toml",
    "study": "in the folder $name: dovetail run tests/first.toml, dovetail campaign campaigns/delay.toml",
}
