"""Make the clips of the documentation and the README, one for each study: `make clips`.

Each clip is a run and a film of the command line, which readers can repeat.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "_static" / "clips"
SMALL = ("--fps", "12", "--size")
CLIPS = {  # study: arguments of run and film
    "substructuring": (
        ("substructuring/cs1", "--set", "duration=6 s", "--set", "rig.actuator.delay=6 ms"),
        ("--reference", *SMALL, "640x280"),
    ),
    "docking": (("docking/six-dof",), ("--reference", "--speed", "0.8", *SMALL, "640x280")),
    "refuelling": (("refuelling/full-scale",), ("--camera", "follow", *SMALL, "640x280")),
    "capture": (("capture/deploy",), ("--camera", "follow", *SMALL, "480x280")),
    "shipboard": (
        ("shipboard/case-8",),
        ("--camera", "follow", "--speed", "6", *SMALL, "480x280", "--fps", "10"),
    ),
}


def make(name: str, folder: Path) -> Path:
    """Run and film one study."""
    run, film = CLIPS[name]
    out, clip = folder / name, FOLDER / f"{name}.webp"
    command = [sys.executable, "-m", "dovetail"]
    subprocess.run([*command, "run", *run, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*command, "film", str(out), str(clip), *film], check=True)
    return clip


def main(*names: str) -> None:
    """Make all clips, or the named ones."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in names or CLIPS:
            print(f"{make(name, Path(scratch)).stat().st_size / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
