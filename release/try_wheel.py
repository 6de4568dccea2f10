"""Test of a wheel in an empty environment outside the clone, without compiler and package index.

`try_wheel.py DIST` installs the wheel in DIST with its extras from the pinned wheels only, and runs the first commands
of the documentation, up to a real-time run against a served rig. `--tests` also runs the test suite against the wheel.
`--any` takes the wheel without compiled libraries, whose real-time runs use the tick in Python.
`--root FOLDER` does this inside the root of another system with Python only (as root, with /proc and /dev mounted):
debootstrap --variant=minbase --include=python3,python3-venv bookworm FOLDER
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
ANY = "-py3-none-any.whl"
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
    """Environment in a separate folder; its commands have no access to the clone or a compiler."""

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
        """Return a path as the commands see it."""
        return f"/{path.relative_to(self.root)}" if self.root else str(path)

    def command(self, *words: str) -> list[str]:
        """Return the command line of a program of the environment, run in its folder."""
        line = [self.inside(self.bin / words[0]), *words[1:]]
        env = ["/usr/bin/env", "-C", self.inside(self.folder)]
        return ["/usr/sbin/chroot", str(self.root), *env, *line] if self.root else line

    def install(self, extras: str, *requirements: str) -> None:
        """Install the wheel and its extras from pinned wheels, which are downloaded first."""
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
        limits = self.folder / "limits.txt"  # versions without hashes, which the new wheel cannot have
        limits.write_text("\n".join(re.findall(r"^[^\s=]+==[^\s]+", locked, re.M)), "utf-8")
        wheel = f"{self.inside(self.wheel)}[{extras}]"
        self("python", "-m", "pip", "install", "--quiet", "-c", self.inside(limits), wheel)

    def __call__(self, *words: str, text: str = "", statuses: tuple[int, ...] = (0,)) -> str:
        """Return the output of a command; its exit status must be one of `statuses`, and the output contain `text`."""
        start = time.monotonic()
        result = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        title = " ".join(words)[:100].replace("\n", " ")
        if result.returncode not in statuses or text not in result.stdout:
            sys.exit(
                f"{title}: exit status {result.returncode}, expected text {text!r}\n{result.stdout}"
                f"{result.stderr[-3000:]}"
            )
        print(f"{time.monotonic() - start:6.1f} s  {title}", flush=True)
        return result.stdout

    @contextmanager
    def serving(self, pattern: str, *words: str) -> Iterator[str]:
        """Context of a running server; yields its address."""
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
                output = ""
                for line in process.stdout:
                    output += line
                    if match := re.search(pattern, line):
                        yield match[1]
                        break
                else:
                    sys.exit(f"{' '.join(words)}: ended without an address\n{output}")
            finally:
                process.terminate()


def walk(trial: Trial) -> None:
    """Run each kind of command once."""
    native = not trial.wheel.name.endswith(ANY)
    trial("dovetail", "--version", text="dovetail 0.")
    trial("python", "-m", "dovetail", "--version", text="dovetail 0.")
    trial("python", "-c", "import shutil, sys; sys.exit(bool(shutil.which('cc') or shutil.which('c++')))")
    trial("dovetail", "doctor", text="from the package" if native else "real-time runs use Python")
    trial("dovetail", "list", text="substructuring")
    trial("dovetail", "demo", "--out", "demo")
    trial("dovetail", "check", "substructuring/cs1", text="delay")
    trial("dovetail", "run", "substructuring/cs1", "--out", "cs1")
    trial("dovetail", "report", "cs1")
    (trial.folder / "few.toml").write_text(CAMPAIGN, "utf-8")
    trial("dovetail", "campaign", "few.toml", "--out", "few")
    # status 1 is a complete table with a missed target
    trial("dovetail", "reproduce", "substructuring", text="targets met, by origin", statuses=(0, 1))
    with trial.serving(r"(http://\S+)", "dovetail", "view", "cs1", "--port", "0") as address:
        with urllib.request.urlopen(address, timeout=120) as page:
            assert page.status == 200
        print(f"          dovetail view cs1: answers at {address.partition('?')[0]}")
    if native:
        trial("python", "-c", FMU)
        version = "import fmpy; print(fmpy.read_model_description('oscillator.fmu').fmiVersion)"
        trial("python", "-c", version, text="3.0")
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
    read_tick = "import xarray; print(xarray.open_dataset('real-time/result.nc').attrs['tick'])"
    trial("python", "-c", read_tick, text="native, from the package" if native else "python")


def main(dist: str, *options: str) -> None:
    """Install the wheel and run the commands; with `--tests` also the test suite."""
    (wheel,) = (file for file in Path(dist).glob("*.whl") if file.name.endswith(ANY) == ("--any" in options))
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
