"""Actions and their command lines."""

from pathlib import Path

from dovetail.app import Action, Document
from dovetail.app.actions import available_actions

CS1 = "substructuring/cs1"
OUT = Path("runs/x")


def test_set_values_appear_as_set_and_edited_text_as_a_file(edited):
    words = Action("rehearse", edited).arguments(OUT)
    sets = ["--set", "duration=0.5 s", "--set", "rig.actuator.delay=2 ms"]
    assert words == ["run", CS1, *sets, "--mode", "rehearse", "--out", "runs/x"]
    other = Document.open(CS1)
    other.write(other.text.replace('force = "100 N"\n', ""))
    assert Action("", other).arguments(OUT, Path("my.toml")) == ["run", "my.toml", "--out", "runs/x"]


def test_each_mode_has_its_options():
    document = Document.open(CS1)
    assert Action("realtime", document, address="udp://localhost:7001", key="k").arguments(OUT)[2:8] == [
        "--mode",
        "realtime",
        "--address",
        "udp://localhost:7001",
        "--key",
        "k",
    ]
    assert Action("design", document, options={"--max-error": "0.05"}).arguments(OUT)[:4] == [
        "design",
        CS1,
        "--max-error",
        "0.05",
    ]
    sweep = Action("campaign", campaign="docking/chapter-5", settings=("seeds=[1]",))
    assert sweep.arguments(OUT) == ["campaign", "docking/chapter-5", "--set", "seeds=[1]", "--out", "runs/x"]
    assert sweep.stem == "chapter-5-campaign"
    assert Action("rehearse", document).command_line(Path("a b")).endswith("--out 'a b'")


def test_an_impossible_action_is_reported_before_it_starts():
    document = Document.open(CS1)
    assert "needs the address of a rig" in Action("realtime", document).fault()
    assert "hybrid test, not a simulation" in Action("simulate", document).fault()
    assert "no test is open" in Action("rehearse").fault()
    assert "no campaign" in Action("campaign").fault()
    assert "dovetail run docking/map" in Action("rehearse", Document.open("docking/map")).fault()
    assert "dovetail rig serve" in Action("rehearse", Document.open("refuelling/cell")).fault()
    document.write("[")
    assert Action("rehearse", document).fault() == document.fault


def test_available_actions_depend_on_the_kind_of_file():
    names = (CS1, "capture/settle", "docking/map", "refuelling/cell")
    assert [available_actions(Document.open(name).test)[:1] for name in names] == [
        ("rehearse",),
        ("simulate",),
        ("map",),
        (),
    ]
    assert Action("map", Document.open("docking/map")).arguments(OUT) == [
        "run",
        "docking/map",
        "--out",
        "runs/x",
    ]
