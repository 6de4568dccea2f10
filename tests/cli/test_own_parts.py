"""User parts are stored with test file, command line, run folder and campaign workers."""

import json
import tomllib

import numpy as np
import pytest
import tomli_w

from dovetail import testing
from dovetail.campaign import execute, plan
from dovetail.core import user_parts
from dovetail.core.errors import TestFileError

TEST = """
duration = 0.05
rate = 1000
{parts}
numerical = {{ kind = "oscillator", m = 2.2, c = 15.0, k = 2250.0 }}
excitation = {{ kind = "sine", amplitude = 0.012, frequency = 3.0 }}

[rig]
actuator = {{ kind = "delay", delay = "2 ms" }}
specimen = {{ kind = "{kind}", k = "2 kN/m" }}
"""
PART = '''
"""A spring of my own."""

import jax

from dovetail.core import Parameter, parameter
from dovetail.specimens.base import Memoryless


class Mine(Memoryless):
    """A spring, so and so stiff."""

    k: Parameter = parameter("N/m", "stiffness", above=0.0)

    def output(self, t, x, u):
        return {"force": -FACTOR * self.k * u["displacement"]}


class Softer(Mine):
    """Half of it."""

    share: Parameter = parameter("1", "of the stiffness", default=0.5)

    def output(self, t, x, u):
        return {"force": -self.share * self.k * u["displacement"]}
'''


@pytest.fixture(autouse=True)
def no_user_parts(monkeypatch):
    monkeypatch.setattr(user_parts, "_modules", {})
    monkeypatch.setattr(user_parts, "_command_line", {})


def written(folder, factor=1.0, kind="mine:Mine", parts='parts = ["lab/mine.py"]'):
    """A test file and its file of parts, which it names from where it is."""
    (folder / "lab").mkdir(parents=True, exist_ok=True)
    (folder / "lab" / "mine.py").write_text(PART.replace("FACTOR", repr(factor)))
    (folder / "test.toml").write_text(TEST.format(kind=kind, parts=parts))
    return folder / "test.toml"


def forget(folder):
    """As if in another process, on another machine: no file, and nothing brought."""
    (folder / "lab" / "mine.py").unlink()
    user_parts._modules.clear()


def test_a_resolved_test_and_a_runs_folder_hold_the_parts(tmp_path):
    test = testing.load(written(tmp_path))
    spring = testing.load(written(tmp_path / "plain", kind="spring", parts=""))
    run = test.rehearse()
    np.testing.assert_array_equal(run.data.measured_force, spring.rehearse().data.measured_force)
    testing.save_run(run, tmp_path / "run")
    forget(tmp_path)
    again = testing.read_run(tmp_path / "run").test
    assert testing.dump(again) == testing.dump(test)
    assert type(again.rig.specimen) is type(test.rig.specimen)  # the same text is run once


def test_runs_with_two_versions_of_a_file_are_read_side_by_side(tmp_path):
    rng = np.random.default_rng(24)
    factors = rng.uniform(0.5, 2.0, 2).tolist()
    for i, factor in enumerate(factors):
        table = testing.dump(testing.load(written(tmp_path, factor)))
        (tmp_path / f"{i}.toml").write_text(tomli_w.dumps(table))
    forget(tmp_path)
    for i in (0, 1, 0):
        test = testing.load(tmp_path / f"{i}.toml")
        force = test.rig.specimen.output(0.0, (), {"displacement": 0.1})["force"]
        assert float(force) == pytest.approx(-factors[i] * 200.0)
        assert f"{factors[i]!r}" in "\n".join(testing.dump(test)["parts"]["mine"])


def test_a_campaign_sends_user_parts_to_its_workers(tmp_path, monkeypatch):
    written(tmp_path, kind="spring")
    (tmp_path / "campaign.toml").write_text(
        'test = "test.toml"\nmeasures = ["peak displacement"]\n'
        '[[parameter]]\nname = "law"\npath = "rig.specimen.kind"\nvalues = ["mine:Mine", "mine:Softer"]\n'
    )
    campaign = plan.load(tmp_path / "campaign.toml")
    fingerprint, spec = campaign.fingerprint, json.dumps(campaign.to_dict())
    forget(tmp_path)
    monkeypatch.setattr(execute, "_subjects", {})
    found = execute.evaluate_chunk(json.loads(spec), campaign.points()).values
    (peak,) = (values.array for name, values in found.items() if name.startswith("peak"))
    assert peak[0] != peak[1]
    written(tmp_path, factor=3.0, kind="spring")
    assert plan.load(tmp_path / "campaign.toml").fingerprint != fingerprint  # other parts, other results


def test_the_command_line_brings_a_file(dovetail, tmp_path):
    written(tmp_path, parts="")
    code, _, err = dovetail("check", "test.toml")
    assert code == 2
    assert 'no file of parts "mine.py"' in err
    assert "--parts mine.py" in err
    code, out, err = dovetail(
        "check", "test.toml", "--full", "--parts", "lab/mine.py", "--set", "rig.specimen.kind=mine:Softer"
    )
    assert code == 0, err
    table = tomllib.loads(out)
    assert table["rig"]["specimen"] == {"kind": "mine:Softer", "k": 2000.0, "share": 0.5}
    assert "\n".join(table["parts"]["mine"]).strip() == PART.replace("FACTOR", "1.0").strip()
    code, out, _ = dovetail("parts", "mine:Softer", "--parts", "lab/mine.py")
    assert "of the stiffness" in out


@pytest.mark.parametrize(
    ("parts", "kind", "words"),
    [
        (
            'parts = ["lab/none.py"]',
            "mine:Mine",
            r"parts .*none.py: cannot be read \(no such file or directory\)",
        ),
        ("parts = 3", "mine:Mine", "parts .*got 3; needs a list of files"),
        ('parts = ["test.toml"]', "mine:Mine", "parts .*is not a Python file"),
        (
            'parts = ["lab/mine.py"]',
            "mine:Min",
            'rig.specimen .*no Specimen in mine.py "Min"; did you mean "Mine"',
        ),
        (
            'parts = ["lab/mine.py"]',
            "sprong",
            r'rig.specimen .*no kind "sprong"; .*`dovetail parts`.* user part',
        ),
    ],
)
def test_errors_are_reported_with_their_path(tmp_path, parts, kind, words):
    with pytest.raises(TestFileError, match=words):
        testing.load(written(tmp_path, kind=kind, parts=parts))


def test_a_failing_file_is_reported_with_its_line(tmp_path):
    path = written(tmp_path)
    (tmp_path / "lab" / "mine.py").write_text("import jax\n\n\nclass Mine(\n")
    with pytest.raises(
        TestFileError, match=r"parts +mine.py, line 4: cannot be run \('\(' was never closed\)"
    ):
        testing.load(path)


def test_real_time_and_its_folder_carry_them(tmp_path):
    """The served rig and the loop that runs against it each have a part of their own; neither needs the file later."""
    import threading

    from dovetail.links import Address, RealTimeSettings, RigServer, VirtualPlant

    patient = {
        "rate": 100,
        "duration": 0.3,
        "numerical.c": 150.0,
        "limits.link_timeout": 1000,
    }  # whatever the load
    test = testing.load(written(tmp_path), patient)
    server = RigServer(VirtualPlant(test), Address("localhost", 0), test.rate, max_link_timeout=60.0)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    forget(tmp_path)
    try:
        run = test.run_realtime(
            str(server.address), real_time=RealTimeSettings(native=False, priority=0, lock=False, wait=20.0)
        )
    finally:
        server.stop()
        thread.join(60)
    force = test.rig.specimen.output(0.0, (), {"displacement": run.data.measured_displacement.values})[
        "force"
    ]
    np.testing.assert_allclose(run.data.measured_force, force)  # of the served part, whenever it answered
    testing.save_run(run, tmp_path / "run")
    user_parts._modules.clear()
    again = testing.read_run(tmp_path / "run")
    assert testing.dump(again.test) == testing.dump(test)
    assert again.mode == "realtime"


@pytest.mark.slow
def test_processes_of_a_cluster_have_them(tmp_path):
    pytest.importorskip("distributed")
    from dovetail.campaign.cluster import connect

    written(tmp_path)
    table = {
        "test": str(tmp_path / "test.toml"),
        "measures": ["peak displacement"],
        "parameter": [{"path": "rig.specimen.k", "values": [1000.0, 2000.0]}],
    }
    campaign = plan.parse(table)
    forget(tmp_path)
    with connect(workers=1) as cluster:
        done = execute.run(campaign, tmp_path / "by-worker", executor=cluster)
    assert (done.done, done.failed) == (2, 0)
