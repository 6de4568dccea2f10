"""Command line, report, comparison, design, rig check, studio and campaign quote one assessment."""

import html
import re
from pathlib import Path
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
import tomli_w

import dovetail as dv
from dovetail.app import Explorer
from dovetail.assess import DesignOptions, design
from dovetail.campaign import open_results, parse, run
from dovetail.cli.rig import _is_fast_enough
from dovetail.core import Parameter, kind_names, kinds, parameter
from dovetail.core.quantities import QUANTITIES
from dovetail.core.si_prefix import value_text
from dovetail.specimens.base import Memoryless, Specimen

DELAY = "rig.actuator.delay"


class Hardening(Memoryless):
    """F = -k z (1 + (z/x0)^2)."""

    k: Parameter = parameter("N/m", "stiffness at rest")
    x0: Parameter = parameter("m", "displacement at which the spring is twice as stiff")

    def output(self, t, x, u):
        z = u["displacement"]
        return {"force": -self.k * z * (1.0 + (z / self.x0) ** 2)}


class BoucWen(Specimen):
    """F = -k (a z + (1 - a) s) with s' = v - |s/x0| (v + |v| sign s)/2."""

    k: Parameter = parameter("N/m", "stiffness at rest")
    x0: Parameter = parameter("m", "yield displacement")

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        v = u["velocity"]
        return v - jnp.abs(x / self.x0) * (v + jnp.abs(v) * jnp.sign(x)) / 2

    def output(self, t, x, u):
        return {"force": -self.k * (0.2 * u["displacement"] + 0.8 * x)}


KINDS = {"own-hardening": Hardening, "own-bouc-wen": BoucWen}


@pytest.fixture
def own_kinds(monkeypatch, tmp_path):
    """Two specimens that a test file may name."""
    monkeypatch.chdir(tmp_path)
    for name, cls in KINDS.items():
        monkeypatch.setitem(kinds._kinds, name, cls)
        monkeypatch.setitem(kind_names._names, cls, name)


def drawn(number):
    """Table of a random test: linear, hardening or Bouc-Wen specimen, and sometimes a predictor or a limit."""
    rng = np.random.default_rng([40, number])
    kind = ("spring", *KINDS)[number % 3]
    delay = float(np.exp(rng.uniform(np.log(1e-3), np.log(15e-3))))
    specimen = {"kind": kind, "k": float(rng.uniform(300.0, 3000.0))}
    if kind in KINDS:
        specimen["x0"] = float(rng.uniform(0.003, 0.03))
    table = {
        "rate": "1 kHz",
        "duration": "1 s",
        "numerical": {"kind": "oscillator", "m": 2.2, "c": float(rng.uniform(3.0, 30.0)), "k": 2250.0},
        "excitation": {"kind": "sine", "amplitude": 0.01, "frequency": float(rng.uniform(2.0, 5.0))},
        "rig": {"actuator": {"kind": "delay", "delay": delay}, "specimen": specimen},
    }
    if rng.random() < 0.3:
        table["compensator"] = {"kind": "forward-prediction", "delay": delay, "order": 2, "window": 10}
    if rng.random() < 0.3:
        table["limits"] = {"displacement": 0.05}
    return table


def words_of(page):
    """Text of a page, without pictures and tags."""
    text = re.sub(r"<(style|script|svg).*?</\1>", "", Path(page).read_text(), flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


def compare_places(table, dovetail, capsys):
    """Compare word and margin of a test in each place with its assessment."""
    Path("one.toml").write_text(tomli_w.dumps(table))
    test = dv.testing.parse(table)
    assessment = test.stability()
    margin, number = assessment.margin, QUANTITIES["margin"].text(assessment.margin)

    code, out, err = dovetail("run", "one.toml", "--out", "run")
    assert code in (0, 3), err
    assert out.startswith(assessment.verdict), out
    pages = {"report": words_of("run/report.html")}
    code, out, err = dovetail("compare", "run", "run", "--out", "both.html")
    assert code == 0, err
    pages["comparison"] = words_of("both.html")
    for name, page in pages.items():
        assert number in page, (name, number)
        unstable = re.search(r"(?<!at rest: )(?<!loop )\bUnstable\b", page)
        assert bool(unstable) == (assessment.word.startswith("Unstable")), (name, assessment.word)

    _is_fast_enough(test, SimpleNamespace(max_rate=np.inf, median=0.0))
    printed = capsys.readouterr().out
    assert (value_text(abs(margin), "s") if np.isfinite(margin) else assessment.verdict) in printed
    assert ("exceeds the delay margin" in printed) == (margin <= 0)

    shown = Explorer(table, [DELAY]).compute({})
    assert (shown.word, shown.margin) == (assessment.word, pytest.approx(margin, abs=2e-5))
    assert shown.stable == assessment.stable

    plan = parse(
        {
            "test": str(Path("one.toml").absolute()),
            "measures": ["stability.margin"],
            "parameter": [{"path": DELAY, "values": [table["rig"]["actuator"]["delay"]]}],
        }
    )
    assert run(plan, Path("campaign")).failed == 0
    found = float(open_results(Path("campaign")).stability_margin.values[0])
    assert found == pytest.approx(margin, abs=2e-5)


NUMBERS = [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 50))]


@pytest.mark.parametrize("number", NUMBERS)
def test_all_places_say_the_same(number, own_kinds, dovetail, capsys):
    compare_places(drawn(number), dovetail, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_a_design_says_the_same(number, own_kinds):
    test = dv.testing.parse(drawn(number))
    options = DesignOptions(
        compensator="keep" if "compensator" in drawn(number) else "none", robustness="none"
    )
    made, assessment = design(test, options), test.stability()
    assert made.assessment.margin == pytest.approx(assessment.margin, abs=2e-5)
    assert made.assessment.word == assessment.word
    assert not made.go or assessment.stable
