"""A deed is the words of the command line."""

from pathlib import Path

from dovetail.app import Deed, Document
from dovetail.app.actions import deeds

CS1 = "substructuring/cs1"
OUT = Path("runs/x")


def test_what_was_set_is_said_by_set_and_what_was_written_by_a_file(edited):
    words = Deed("rehearse", edited).words(OUT)
    sets = ["--set", "duration=0.5 s", "--set", "rig.actuator.delay=2 ms"]
    assert words == ["run", CS1, *sets, "--mode", "rehearse", "--out", "runs/x"]
    other = Document.open(CS1)
    other.write(other.text.replace('force = "100 N"\n', ""))
    assert Deed("", other).words(OUT, Path("my.toml")) == ["run", "my.toml", "--out", "runs/x"]


def test_each_mode_has_its_options():
    document = Document.open(CS1)
    assert Deed("run", document, rig="udp://localhost:7001", key="k").words(OUT)[2:8] == [
        "--mode",
        "run",
        "--rig",
        "udp://localhost:7001",
        "--key",
        "k",
    ]
    assert Deed("design", document, options={"--tolerance": "0.05"}).words(OUT)[:4] == [
        "design",
        CS1,
        "--tolerance",
        "0.05",
    ]
    sweep = Deed("campaign", campaign="docking/chapter-5", settings=("seeds=[1]",))
    assert sweep.words(OUT) == ["campaign", "docking/chapter-5", "--set", "seeds=[1]", "--out", "runs/x"]
    assert sweep.stem == "chapter-5-campaign"
    assert Deed("rehearse", document).command_line(Path("a b")).endswith("--out 'a b'")


def test_what_cannot_be_done_is_told_before_it_is_begun():
    document = Document.open(CS1)
    assert "needs the address of a rig" in Deed("run", document).fault()
    assert "is a hybrid test, no simulation" in Deed("simulate", document).fault()
    assert "no test" in Deed("rehearse").fault()
    assert "name a campaign" in Deed("campaign").fault()
    assert "dovetail run docking/map" in Deed("rehearse", Document.open("docking/map")).fault()
    assert "dovetail rig serve" in Deed("rehearse", Document.open("refuelling/cell")).fault()
    document.write("[")
    assert Deed("rehearse", document).fault() == document.fault


def test_what_can_be_done_depends_on_what_the_file_holds():
    names = (CS1, "capture/settle", "docking/map", "refuelling/cell")
    assert [deeds(Document.open(name).test)[:1] for name in names] == [
        ("rehearse",),
        ("simulate",),
        ("map",),
        (),
    ]
    assert Deed("map", Document.open("docking/map")).words(OUT) == ["run", "docking/map", "--out", "runs/x"]
