"""Readers of files and folders, and what each of them is given: good files of ours with damage in them."""

from __future__ import annotations

import io
import json
import random
import re
import tempfile
import tomllib
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
from scipy.io import savemat

import dovetail as dv
from dovetail import campaign as campaigns
from dovetail.air.wake import GriddedWake
from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.plan import Campaign
from dovetail.campaign.store import Store
from dovetail.campaign.subject_base import ChunkResult, Values
from dovetail.core.errors import OutputError
from dovetail.core.kinds import all_kinds
from dovetail.fidelity import read_traces
from dovetail.links.address import read_key
from dovetail.links.live_run import find_live_run
from dovetail.links.ring import Ring, RingReader
from dovetail.mechanics.geometry.mesh import read_stl
from dovetail.sea.recorded_deck import read_motion
from dovetail.sea.response import TabulatedResponse
from dovetail.testing import Outcome, Run, run_folder
from dovetail.testing import test_file as test_files
from dovetail.testing.excitation.record_file import read_record
from dovetail.testing.operator import Operator, read_events
from dovetail.testing.outcome import Trip
from dovetail.testing.pseudodynamic.cell import MoveReply, MoveRequest
from dovetail.testing.pseudodynamic.journal import Journal
from dovetail.testing.run import recording_of
from dovetail.testing.saved_run import recording

from .harness import Reader
from .mutation import damaged, torn

STUDIES = Path(dv.__file__).parent / "studies"
# one of each sort, quick to build, for the few seconds that the tests take
QUICK = ("cs1", "cs2", "hil-1dof", "swing", "contact-laws", "rths-benchmark", "cell", "drop", "delay-damping")
ODD = (
    "9" * 5000,
    "[" * 2000 + "]" * 2000,
    "1e999",
    "{a.b.c = {}}",
    "1_0",
    "0b11",
    "'''",
    "07:32:00",
    "-0",
    '"""\n"""',
)


def written(case: Any, path: Path) -> Path:
    """A case as the file that it is."""
    path.write_bytes(case if isinstance(case, bytes) else case.encode("utf-8", "surrogatepass"))
    return path


def as_text(data: bytes) -> str | bytes:
    """Text where it can be, so that people can read a case."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


# tests, simulations, charts, cells and campaigns


@cache
def texts(shelf: str, quick: bool) -> dict[str, list[str]]:
    """Our own files by what they are."""
    found: dict[str, list[str]] = {}
    for path in sorted(STUDIES.glob(f"*/{shelf}/*.toml")):
        if not quick or path.stem in QUICK:
            text = path.read_text("utf-8")
            table = tomllib.loads(text)
            kind = table.get("kind", "test" if "rig" in table else "simulation")
            kind = kind if shelf == "tests" else "campaign"
            found.setdefault(kind, []).append(text)
    return found


def damaged_text(text: str, rng: random.Random) -> str | bytes:
    """A file in TOML with damage: mostly in its values, now and then in its letters."""
    act = rng.randrange(10)
    if act < 8:
        return tomli_w.dumps(damaged(tomllib.loads(text), rng, tuple(all_kinds())))
    if act == 8:
        spots = [m.end() for m in re.finditer(r" = ", text)]
        at = rng.choice(spots)
        end = text.find("\n", at)
        return text[:at] + rng.choice(ODD) + text[end:]
    return as_text(torn(text.encode(), rng))


def read_test(case: dict[str, Any], at: Path) -> None:
    """Read, check, and write out as `dovetail check` does."""
    test = test_files.load(written(case["text"], at / "test.toml"), case.get("changes"))
    tomli_w.dumps(test_files.dump(test))


def toml_reader(kind: str, quick: bool) -> Reader:
    """A reader of our files of one kind."""
    shelf = "campaigns" if kind == "campaign" else "tests"

    def draw(rng: random.Random) -> dict[str, Any]:
        text = rng.choice(texts(shelf, quick)[kind])
        if rng.random() < 0.9:
            return {"text": damaged_text(text, rng)}
        path = rng.choice(
            ("rate", "rig.actuator.delay", "a.b", "numerical.m.x", "axes.0", "rig", "", "..", "kind")
        )
        value = rng.choice((1, -1.0, 10**400, "x", [], [[1.0]], {}, True, float("nan"), "1e400 s"))
        return {"text": text, "changes": {path: value}}

    def read_campaign(case: dict[str, Any], at: Path) -> None:
        plan = campaigns.load(written(case["text"], at / "campaign.toml"), case.get("changes"))
        plan.points()
        Campaign.from_dict(plan.to_dict())

    return Reader(
        kind if kind == "campaign" else f"{kind} file",
        draw,
        read_campaign if kind == "campaign" else read_test,
    )


# folders


def as_files(root: Path) -> dict[str, bytes]:
    """All files of a folder by their path in it."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def placed(files: dict[str, Any], root: Path) -> Path:
    """A folder with these files; None leaves one out, and `folder` makes one where a file belongs."""
    for name, data in files.items():
        path = root / name
        if data is None:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if data == "folder":
            path.mkdir()
        else:
            written(data, path)
    return root


def hurt(files: dict[str, bytes], others: dict[str, bytes], rng: random.Random) -> dict[str, Any]:
    """What of a folder is no longer as it was: a file missing, cut, garbage, of another sort, exchanged."""
    name = rng.choice(sorted(files))
    data = files[name]
    act = rng.randrange(8)
    if act == 0:
        return {name: None}
    if act == 1:
        return {name: data[: rng.randrange(len(data) + 1)]}
    if act == 2:
        return {
            name: rng.choice(
                (b"", b"\x00" * 100, rng.randbytes(200), "folder", b"{}", b"[]", b"null", b"1\n")
            )
        }
    if act == 3:
        other = rng.choice(sorted(files))
        return {name: files[other], other: data}
    if act == 4 and name in others:
        return {name: others[name]}
    if name.endswith((".json", ".jsonl")) and act < 7:
        lines = data.decode().splitlines() if name.endswith(".jsonl") else [data.decode()]
        at = rng.randrange(len(lines))
        try:
            lines[at] = json.dumps(damaged(json.loads(lines[at]), rng), default=str)
        except ValueError:
            lines[at] = lines[at][::-1]
        return {name: "\n".join(lines) + "\n"}
    if name.endswith(".toml") and act < 7:
        return {name: damaged_text(data.decode(), rng)}
    return {name: torn(data, rng)}


def small_test(axes: int = 1) -> dv.Test:
    """A test of ten ticks."""
    several = {"axes": ("a", "b")} if axes == 2 else {}
    k = 2250.0 if axes == 1 else [2250.0, 900.0]
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=k),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=k)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=1000.0,
        duration=0.01,
        title="small",
        **several,
    )


@cache
def run_files(mode: str, axes: int = 1) -> dict[str, bytes]:
    """The folder of a run that nobody ran: numbers at random, everything else as it is written."""
    test, rng = small_test(axes), np.random.default_rng(7)
    names = ("displacement", "velocity", "command", "achieved_displacement", "measured_displacement")
    names += ("specimen_force", "measured_force", "excitation")
    shape = (11,) if axes == 1 else (11, axes)
    records = {name: rng.normal(size=shape) for name in names}
    times, attributes = np.arange(11) * 1e-3, {"mode": mode, "title": "small", "seed": 0}
    data = recording_of(test, times, records, attributes)
    outcome = Outcome.FORCE if mode == "realtime" else Outcome.FINISHED
    trip = Trip("measured_force", 200.0, 100.0, 0.01, "N") if mode == "realtime" else None
    run = Run(test, mode, data, outcome, trip, data if mode == "realtime" else None)
    with tempfile.TemporaryDirectory() as place:
        root = run.save(Path(place) / "run")
        if mode == "pseudodynamic":
            log = Journal.create(root / "journal.jsonl", "00ff", "mark")
            for i in range(1, 4):
                log.write_request(MoveRequest(i, np.zeros(1), 1.0, 0.0))
                log.write_reply(MoveReply(i, np.zeros(1), np.ones(1), 0.1 * i))
            log.write_tunable(3, "feedback.measured_fraction", 0.5)
        operator = Operator(root)
        operator.hold(True, "somebody")
        return as_files(root)


def draw_run(rng: random.Random) -> dict[str, Any]:
    mode = rng.choice(("rehearse", "realtime", "pseudodynamic"))
    return {"mode": mode, "files": hurt(run_files(mode), run_files("rehearse", 2), rng)}


def read_run(case: dict[str, Any], at: Path) -> None:
    """All that commands read of a run's folder."""
    root = placed({**run_files(case["mode"]), **case["files"]}, at)
    read_events(root)
    find_live_run(root)
    str(run_folder.read_run(root))


def draw_recording(rng: random.Random) -> dict[str, Any]:
    """Only the recording is damaged, and nothing beside it says what it should be."""
    return {"data": torn(run_files("rehearse")["result.nc"], rng)}


def read_recording(case: dict[str, Any], at: Path) -> None:
    recording(written(case["data"], at / "result.nc"))


def draw_journal(rng: random.Random) -> dict[str, Any]:
    """A journal with its checksums right where its lines are not torn."""
    data = run_files("pseudodynamic")["journal.jsonl"]
    return {"data": as_text(torn(data, rng)) if rng.random() < 0.5 else as_text(resigned(data, rng))}


def resigned(data: bytes, rng: random.Random) -> bytes:
    """One line with other values, signed as if it were right."""
    with tempfile.TemporaryDirectory() as place:
        lines = data.decode().splitlines()
        at = rng.randrange(len(lines))
        table = json.loads(lines[at])
        del table["sum"]
        path = Path(place) / "line"
        Journal(path, "")._write(json.loads(json.dumps(damaged(table, rng), default=str)))
        lines[at] = path.read_text("utf-8").strip("\n")
    return ("\n".join(lines) + "\n").encode()


def read_journal(case: dict[str, Any], at: Path) -> None:
    Journal.open(written(case["data"], at / "journal.jsonl"), "mark")


@cache
def store_files() -> dict[str, bytes]:
    """The folder of a campaign with one of its chunks computed."""
    parameters = (VariedParameter("a", ("a",), (1.0, 2.0)), VariedParameter("b", ("b",), ("x", "y")))
    analysis = {"kind": "largest-admissible", "parameter": "a", "measure": "m", "limit": 1.0}
    plan = Campaign("evaluate", "math:hypot", parameters, analyses=(analysis,))
    with tempfile.TemporaryDirectory() as place:
        store = Store.create(Path(place) / "store", plan, 2, 2)
        store.write(
            0, ChunkResult({"m": Values((), np.array([0.5, 2.0]), {"units": "1"})}, {1: "not finite"})
        )
        return as_files(store.folder)


def draw_store(rng: random.Random) -> dict[str, Any]:
    return {"files": hurt(store_files(), {}, rng)}


def read_store(case: dict[str, Any], at: Path) -> None:
    root = placed({**store_files(), **case["files"]}, at)
    campaigns.open_results(root)
    campaigns.analyse(root)


# other files


DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="frame" guid="{1}">
  <CoSimulation modelIdentifier="frame"/>
  <ModelVariables>
    <ScalarVariable name="force" valueReference="0" causality="input" variability="continuous"><Real start="0.0"/>
    </ScalarVariable>
    <ScalarVariable name="displacement" valueReference="1" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>
"""


def draw_fmu(rng: random.Random) -> dict[str, Any]:
    """A zip file with damage, or a whole one with a damaged description."""
    text = as_text(torn(DESCRIPTION.encode(), rng))
    for _ in range(rng.randrange(2)):
        for old, new in (
            ("2.0", "3.0"),
            ("1", "x"),
            ("Real", "Float64"),
            ("force", ""),
            ("CoSimulation", "ModelExchange"),
        ):
            if isinstance(text, str) and rng.random() < 0.3:
                text = text.replace(old, new, 1)
    names = {"modelDescription.xml": text, "binaries/linux64/frame.so": "no program"}
    if rng.random() < 0.2:
        names[rng.choice(("../outside.txt", "/absolute.txt", "modelDescription.xml/x", "resources/"))] = "x"
    if rng.random() < 0.3:
        names.pop(rng.choice(sorted(names)))
    return {"names": names, "torn": rng.randrange(2**32) if rng.random() < 0.3 else None}


def read_fmu(case: dict[str, Any], at: Path) -> None:
    from dovetail.links.fmi.model import Slave

    path = at / "frame.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in case["names"].items():
            archive.writestr(name, text)
    if case["torn"] is not None:
        path.write_bytes(torn(path.read_bytes(), random.Random(case["torn"])))
    Slave(str(path), (("force", 1.0),)).close()


def draw_key(rng: random.Random) -> dict[str, Any]:
    return {"data": as_text(torn(b"00112233445566778899aabbccddeeff\n", rng))}


MOTION = "time,heave,roll_deg\n0.0,0.1,1\n0.5,0.2,2\n1.0,0.1,-1\n"
RECORD = "# station\n0.00 0.1\n0.01 0.2\n0.02 -0.1\n0.03 0.0\n"


def draw_record(rng: random.Random) -> dict[str, Any]:
    which = rng.choice((MOTION, RECORD))
    return {"data": as_text(torn(which.encode(), rng))}


def read_records(case: dict[str, Any], at: Path) -> None:
    path = written(case["data"], at / "record.csv")
    for read in (read_motion, read_record):
        try:
            read(path)
        except OutputError:
            continue


TRACES = "time [s],measured_force [N],penetration [mm]\n0.0,1.0,0.1\n0.1,2.0,0.2\n0.2,3.0,0.1\n"
CORNERS = ((0, 0, 0), (0, 1, 0), (1, 0, 0)), ((0, 0, 0), (1, 0, 0), (0, 0, 1))
CORNERS += ((0, 0, 0), (0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@cache
def tables() -> dict[str, bytes]:
    """Good files of tables by the reader they are for: traces, a tetrahedron, a wake, a ship's operators."""
    x, found = np.linspace(0.0, 1.0, 3), {"traces": TRACES.encode()}
    grids = {
        "wake": {
            "x": x,
            "y": x,
            "z": x,
            "velocity": np.ones((2, 3, 3, 3, 3)),
            "attack": np.array([0.0, 0.1]),
        },
        "response": {"omega": x, "heading": x, "amplitude": np.ones((6, 3, 3)), "phase": np.zeros((6, 3, 3))},
    }
    for name, arrays in grids.items():
        with io.BytesIO() as file:
            np.savez(file, **arrays)
            found[name] = file.getvalue()
    corner = "".join(f"vertex {a} {b} {c}\n" for triangle in CORNERS for a, b, c in triangle)
    return {**found, "stl": f"solid a\n{corner}endsolid\n".encode()}


def draw_table(rng: random.Random) -> dict[str, Any]:
    name = rng.choice(sorted(tables()))
    return {"name": name, "data": as_text(torn(tables()[name], rng))}


def read_table(case: dict[str, Any], at: Path) -> None:
    path = written(case["data"], at / "table.npz")
    if case["name"] == "traces":
        read_traces(path)
    elif case["name"] == "stl":
        read_stl(path)
    elif case["name"] == "wake":
        GriddedWake(file=str(path)).check_cover(1.0)
    else:
        TabulatedResponse(file=str(path))


@cache
def laboratory() -> dict[str, bytes]:
    """Good recordings of a laboratory by their names; those in HDF5 are read as our own are."""
    t = np.arange(8) / 100
    arrays = {"t": t, "command": t**2, "measured": t}
    with io.BytesIO() as five, io.BytesIO() as npz:
        savemat(five, {"rec": arrays, "note": "by hand"})
        np.savez(npz, **arrays)
        found = {"a.mat": five.getvalue(), "a.npz": npz.getvalue()}
    rows = "".join(f"{a};{b};{c}\n" for a, b, c in zip(*arrays.values(), strict=True))
    return {**found, "a.csv": ("\ufeff# a sweep\nt [s];command [mm];measured\n" + rows).encode()}


def draw_laboratory(rng: random.Random) -> dict[str, Any]:
    name = rng.choice(sorted(laboratory()))
    return {"name": name, "data": as_text(torn(laboratory()[name], rng))}


def read_laboratory(case: dict[str, Any], at: Path) -> None:
    dv.testing.read_recording(written(case["data"], at / case["name"]))


@cache
def window_bytes() -> bytes:
    with tempfile.TemporaryDirectory() as place:
        ring = Ring({"displacement": (), "force": (2,)}, 8, 1e-3, Path(place) / "loop.dvw")
        for i in range(5):
            ring.show(np.full(3, float(i)))
        return (Path(place) / "loop.dvw").read_bytes()


def draw_window(rng: random.Random) -> dict[str, Any]:
    data = window_bytes()
    head = torn(data[:150], rng) if rng.random() < 0.7 else data[:150]
    return {"data": head + data[150:] if rng.random() < 0.8 else torn(data, rng)}


def read_window(case: dict[str, Any], at: Path) -> None:
    with RingReader(written(case["data"], at / "loop.dvw")) as window:
        window.latest(10)


def draw_requests(rng: random.Random) -> dict[str, Any]:
    lines = (
        {"user": "x", "action": "hold"},
        {"user": "x", "action": "set", "path": "a", "value": 1.0},
    )
    requests = [json.dumps(damaged(dict(rng.choice(lines)), rng), default=str) for _ in range(3)]
    about = damaged({"mode": "realtime", "process": 1, "window": "loop.dvw"}, rng)
    return {
        "requests": as_text(torn(("\n".join(requests) + "\n").encode(), rng)),
        "about": json.dumps(about, default=str),
    }


def read_requests(case: dict[str, Any], at: Path) -> None:
    """Requests of a viewer, and the description of a live run."""
    (at / "live").mkdir()
    written(case["requests"], at / "live" / "operator_requests.jsonl")
    written(case["about"], at / "live" / "about.json")
    Operator(at).update(0.1)
    read_events(at)
    found = find_live_run(at)
    if found is not None:
        _ = found.alive
        found.open_ring()


def readers(quick: bool) -> list[Reader]:
    """All of them."""
    files = [toml_reader(kind, quick) for kind in ("test", "simulation", "map", "cell", "campaign")]
    return [
        *files,
        Reader("run folder", draw_run, read_run),
        Reader("recording", draw_recording, read_recording, every=20),
        Reader("journal", draw_journal, read_journal),
        Reader("store", draw_store, read_store),
        Reader("FMU", draw_fmu, read_fmu),
        Reader("key", draw_key, lambda case, at: read_key(written(case["data"], at / "key"))),
        Reader("record", draw_record, read_records),
        Reader("table", draw_table, read_table),
        Reader("laboratory", draw_laboratory, read_laboratory, every=20),
        Reader("window", draw_window, read_window),
        Reader("requests", draw_requests, read_requests),
    ]
