"""Commands on hysteretic specimens (Bouc-Wen) and specimens without slope at rest: correct verdict."""

import html
import re
import threading
from pathlib import Path

import equinox as eqx
import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core import Parameter, kinds, parameter
from dovetail.links.address import Address
from dovetail.links.rig_program import VirtualPlant
from dovetail.links.serve import RigServer
from dovetail.specimens.base import Memoryless, Specimen

K = 1e5  # [N/m] of the hysteretic specimen at rest
FRAME = """
rate = "1 kHz"
duration = "1 s"
excitation = { kind = "sine", amplitude = 2.0, frequency = "1 Hz" }

[numerical]
kind = "frame"
mass = [100.0, 100.0]
stiffness = [[4e5, -2e5], [-2e5, 2e5]]
damping_ratio = 0.02
specimen_storey = 1

[rig]
actuator = { kind = "delay", delay = "2 ms" }
specimen = { kind = "%s" }
"""
REMARK = {"own-bouc-wen": "a pole is neutral", "own-orifice": "no slope at rest"}


class BoucWen(Specimen):
    """F = -k (a x + (1 - a) z) with z' = v - b |v| z - g v |z|."""

    shape: tuple[int, ...] = eqx.field(default=(), static=True)

    def init(self):
        return jnp.zeros(self.shape)

    def derivative(self, t, x, u):
        v = u["velocity"]
        return v - 200.0 * (0.5 * jnp.abs(v) * x + 0.5 * v * jnp.abs(x))

    def output(self, t, x, u):
        return {"force": -K * (0.2 * u["displacement"] + 0.8 * x)}


class Orifice(Memoryless):
    """F = -c |v|^0.5 sign v."""

    c: Parameter = parameter("N", "force at 1 m/s", default=800.0)

    def output(self, t, x, u):
        v = u["velocity"]
        return {"force": -self.c * jnp.sqrt(jnp.abs(v)) * jnp.sign(v)}


@pytest.fixture(
    params=[name if name == "own-bouc-wen" else pytest.param(name, marks=pytest.mark.slow) for name in REMARK]
)
def kind(request, monkeypatch):
    """A kind that a test file may name while the test lasts."""
    monkeypatch.setitem(kinds._kinds, "own-bouc-wen", BoucWen)
    monkeypatch.setitem(kinds._kinds, "own-orifice", Orifice)
    return request.param


def words_of(page):
    """What a page says, without pictures and tags."""
    text = re.sub(r"<(style|script|svg).*?</\1>", "", Path(page).read_text(), flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


@pytest.mark.slow
def test_report_and_comparison_distinguish_stable_and_unstable_runs(dovetail, kind):
    Path("frame.toml").write_text(FRAME % kind)
    said, errors = {}, {}
    for name, delay in (("early", "2 ms"), ("late", "40 ms")):
        settings = ("--set", f"rig.actuator.delay={delay}", "--out", name, "--no-report")
        code, out, err = dovetail("run", "frame.toml", *settings)
        assert code == 0, err
        assert REMARK[kind] in out
        said[name] = re.search(r"sampled loop (stable|unstable): growth rate ([+-])", out).groups()
        errors[name] = float(re.search(r"\n  response error +([\d.]+) %", out)[1])
        critical = float(re.search(r"critical delay ([\d.]+) ms", out)[1])
        assert 2.0 + 0.5 < critical < 40.0  # with what holding the force adds
    assert said == {"early": ("stable", "-"), "late": ("unstable", "+")}
    assert errors["early"] < 5 < 100 < errors["late"]  # as the runs show
    if kind == "own-bouc-wen":  # at rest it is a spring
        numerical = dv.load("frame.toml").numerical
        rig = dv.Rig(dv.transfer.Delay(2e-3), dv.specimens.Spring(k=K))
        spring = dv.Test(numerical, rig, duration=1.0).stability()
        assert critical == pytest.approx(1e3 * spring.critical_delay, abs=0.006)

    assert dovetail("report", "early")[0] == 0
    page = words_of("early/report.html")
    assert REMARK[kind] in page
    assert not re.search(r"Unstable|no rig can|\bnan\b", page)
    assert dovetail("compare", "early", "late", "--out", "both.html")[0] == 0
    page = words_of("both.html")
    assert re.search(r"“early”: stable; “late”: [a-z, ]*unstable", page)
    assert not re.search(r"\bnan\b", page)


def test_the_remaining_delay_is_the_margin_minus_the_round_trip(dovetail, kind):
    """However long the round trip is on a busy machine."""
    Path("frame.toml").write_text(FRAME % kind)
    test = dv.load("frame.toml")
    server = RigServer(
        VirtualPlant(test), Address("127.0.0.1", 0), test.rate, report=lambda _: None, native=False
    )
    # as fast as it is asked
    server.clock = lambda: (server.session.reader.newest + 1) * server.session.tick
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        code, out, err = dovetail(
            "rig", "check", str(server.address), "--test", "frame.toml", "--count", "50"
        )
    finally:
        server.stop()
        thread.join(300)
    assert "Traceback" not in err
    if "was answered in time" in out:  # the machine is too busy to be asked at this rate
        pytest.skip(out)
    trip = 1e-6 * float(re.search(r"round trip .*?([\d.]+)", out)[1])
    margin = test.stability().margin
    assert 0 < margin < 0.1
    left = re.search(r"delay margin +(?:(\S+) ms, after|none: .* by (\S+) ms)", out)
    found = float(left[1]) if left[1] else -float(left[2])
    assert found == pytest.approx(1e3 * (margin - trip), abs=0.02)
    assert code == (0 if found > 0 and "fast enough" in out else 1)
