"""Try a wheel as a stranger would: an empty environment outside the clone, no compiler, no index, everything once.

`trial.py DIST` installs the wheel in DIST with its extras from the pinned wheels alone, and runs the commands that the
documentation begins with, up to a real-time run against a served rig. `--tests` then runs the test suite against it.
`--root FOLDER` does it inside the root of another system, which has nothing but Python (as root; its /proc and /dev are
to be mounted): debootstrap --variant=minbase --include=python3,python3-venv bookworm FOLDER
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = "view,studio,fmi,cluster"
FMU = """
import dovetail as dv
from dovetail.links.fmi import export
export(dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0), "oscillator.fmu", version="3.0")
"""
CAMPAIGN = """
title = "A few delays"
test = "substructuring/cs1"
measures = ["peak displacement"]
[[parameter]]
path = "rig.actuator.delay"
min = "1 ms"
max = "9 ms"
count = 5
"""


class Trial:
    """An environment of its own in a folder of its own; commands there see neither the clone nor a compiler."""

    def __init__(self, wheel: Path, folder: Path, root: Path | None = None):
        self.folder, self.root = folder, root
        self.wheel = Path(shutil.copy(wheel, folder))
        self.bin = folder / "environment" / "bin"
        self.wheels = ROOT / "build" / "wheelhouse"
        self.environment = {
            "PATH": self.inside(self.bin),
            "HOME": self.inside(folder),
            "LANG": "C.UTF-8",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": self.inside(folder / "wheels") if root else str(self.wheels),
        }

    def inside(self, path: Path) -> str:
        """A path as the commands see it."""
        return f"/{path.relative_to(self.root)}" if self.root else str(path)

    def command(self, *words: str) -> list[str]:
        """The command line of a program of the environment, run in its folder."""
        line = [self.inside(self.bin / words[0]), *words[1:]]
        there = ["/usr/bin/env", "-C", self.inside(self.folder)]
        return ["/usr/sbin/chroot", str(self.root), *there, *line] if self.root else line

    def install(self, extras: str, *requirements: str) -> None:
        """The wheel and its extras, from pinned wheels alone; they are downloaded first, once."""
        pins = [word for name in requirements for word in ("-r", str(ROOT / name))]
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--only-binary=:all:",
            "-d",
            str(self.wheels),
        ]
        subprocess.run([*pip, *pins], check=True)
        maker = [sys.executable]
        if self.root:
            maker = ["/usr/sbin/chroot", str(self.root), "/usr/bin/python3"]
            shutil.copytree(self.wheels, self.folder / "wheels")
        subprocess.run([*maker, "-m", "venv", self.inside(self.bin.parent)], check=True)
        locked = "".join((ROOT / name).read_text("utf-8") for name in requirements)
        limits = (
            self.folder / "limits.txt"
        )  # the versions without hashes, which a wheel of our own cannot have
        limits.write_text("\n".join(re.findall(r"^[^\s=]+==[^\s]+", locked, re.M)), "utf-8")
        wheel = f"{self.inside(self.wheel)}[{extras}]"
        self("python", "-m", "pip", "install", "--quiet", "-c", self.inside(limits), wheel)

    def __call__(self, *words: str, told: str = "", well: tuple[int, ...] = (0,)) -> str:
        """What a command says; it must end well, with one of these statuses, and say what is expected."""
        begun = time.monotonic()
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        shown = " ".join(words)[:100].replace("\n", " ")
        if done.returncode not in well or told not in done.stdout:
            sys.exit(
                f"{shown}: exit status {done.returncode}, without {told!r}\n{done.stdout}{done.stderr[-3000:]}"
            )
        print(f"{time.monotonic() - begun:6.1f} s  {shown}", flush=True)
        return done.stdout

    @contextmanager
    def serving(self, pattern: str, *words: str) -> Iterator[str]:
        """What a server says of its address, while it serves."""
        with subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            env=self.environment | {"PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            assert process.stdout
            try:
                said = ""
                for line in process.stdout:
                    said += line
                    if match := re.search(pattern, line):
                        yield match[1]
                        break
                else:
                    sys.exit(f"{' '.join(words)}: ended without an address\n{said}")
            finally:
                process.terminate()


def walk(trial: Trial) -> None:
    """Every kind of command, once."""
    trial("dovetail", "--version", told="dovetail 0.")
    trial("python", "-m", "dovetail", "--version", told="dovetail 0.")
    trial("python", "-c", "import shutil, sys; sys.exit(bool(shutil.which('cc') or shutil.which('c++')))")
    trial("dovetail", "doctor", told="came with the package")
    trial("dovetail", "list", told="substructuring")
    trial("dovetail", "demo", "--out", "demo")
    trial("dovetail", "check", "substructuring/cs1", told="delay")
    trial("dovetail", "run", "substructuring/cs1", "--out", "cs1")
    trial("dovetail", "report", "cs1")
    (trial.folder / "few.toml").write_text(CAMPAIGN, "utf-8")
    trial("dovetail", "campaign", "few.toml", "--out", "few")
    # a published number that is missed is said by the status 1, of a table that is whole
    trial("dovetail", "reproduce", "substructuring", told="targets met, by origin", well=(0, 1))
    with trial.serving(r"(http://\S+)", "dovetail", "view", "cs1", "--port", "0") as address:
        with urllib.request.urlopen(address, timeout=120) as page:
            assert page.status == 200
        print(f"          dovetail view cs1: answers at {address.partition('?')[0]}")
    trial("python", "-c", FMU)
    trial(
        "python",
        "-c",
        "import fmpy; print(fmpy.read_model_description('oscillator.fmu').fmiVersion)",
        told="3.0",
    )
    serve = ("dovetail", "rig", "serve", "substructuring/cs1", "--port", "0")
    with trial.serving(r"(udp://[^\s,]+)", *serve) as address:
        trial(
            "dovetail",
            "run",
            "substructuring/cs1",
            "--mode",
            "realtime",
            "--address",
            address,
            "--out",
            "real-time",
        )
    told = "import xarray; print(xarray.open_dataset('real-time/result.nc', engine='h5netcdf').attrs['tick'])"
    trial("python", "-c", told, told="native, came with the package")


def main(dist: str, *options: str) -> None:
    """Install and walk; with `--tests` the suite too."""
    (wheel,) = Path(dist).glob("*.whl")
    root = Path(options[options.index("--root") + 1]).resolve() if "--root" in options else None
    with tempfile.TemporaryDirectory(dir=root / "srv" if root else None) as scratch:
        trial = Trial(wheel, Path(scratch), root)
        if "--tests" in options:
            trial.install("all", "requirements.txt", "requirements-dev.txt")
            walk(trial)
            trial("python", "-m", "pip", "install", "--quiet", "-r", str(ROOT / "requirements-dev.txt"))
            suite = [
                str(trial.bin / "python"),
                "-m",
                "pytest",
                "-n",
                "2",
                "-m",
                "not slow",
                str(ROOT / "tests"),
            ]
            subprocess.run(suite, cwd=scratch, check=True)
        else:
            trial.install(EXTRAS, "requirements.txt", "requirements-dev.txt")
            walk(trial)
    print(f"{wheel.name} works in an empty environment without a compiler")


if __name__ == "__main__":
    main(*sys.argv[1:])
