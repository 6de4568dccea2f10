"""A copy of the source and its tests, in which one mutation at a time is tried."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .changes import Mutation

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("src", "tests")
NOT_COPIED = ("__pycache__", ".pytest_cache")
ONE_CORE = {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
QUICKLY = "--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1"
NO_TESTS = 5  # exit status of pytest: nothing collected
FACTOR, SPARE = (
    4.0,
    60.0,
)  # a mutant may take this many times as long as the unchanged source, and this [s] more


def mirrored(file: str) -> list[str]:
    """Tests that should notice a mutation of a file: the file of its name, then the folder of that file.

    >>> mirrored("transfer/delay.py")
    ['tests/transfer/test_delay.py', 'tests/transfer']
    """
    path = Path("tests") / file
    folder = [] if len(path.parts) == 2 else [str(path.parent)]
    return [str(path.with_name(f"test_{path.name}")), *folder]


@dataclass(frozen=True)
class Baseline:
    """Tests of a file or folder with the unchanged source: how long they take [s], and which of them fail."""

    seconds: float
    status: int
    failing: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        """Leave out what fails without a mutation."""
        return [f"--deselect={test}" if "::" in test else f"--ignore={test}" for test in self.failing]


class Trees:
    """The unchanged copy, and a linked copy of it for each mutation."""

    def __init__(
        self, root: Path = ROOT, python: str = sys.executable, factor: float = FACTOR, spare: float = SPARE
    ):
        self.python, self.factor, self.spare = python, factor, spare
        self.place = Path(tempfile.mkdtemp(prefix="mutations-"))
        self.base = self.place / "unchanged"
        self.base.mkdir()
        for name in COPIED:
            shutil.copytree(root / name, self.base / name, ignore=shutil.ignore_patterns(*NOT_COPIED))
        for other in root.iterdir():  # read only: tests look at documents, examples and benchmarks
            if other.name not in (*COPIED, "build", "dist", "runs") and not other.name.startswith("."):
                (self.base / other.name).symlink_to(other.resolve())
        self.baselines: dict[str, Baseline] = {}
        self.locks: dict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()
        self.ended = threading.Event()

    def close(self) -> None:
        self.ended.set()
        shutil.rmtree(self.place, ignore_errors=True)

    def check(self) -> None:
        """Make sure that the tests import the copy, not an installed package."""
        command = [self.python, "-c", "import dovetail; print(dovetail.__file__)"]
        environment = os.environ | {"PYTHONPATH": str(self.base / "src")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        if not done.stdout.startswith(str(self.base)):
            raise RuntimeError(f"the tests would import {done.stdout.strip()}, not the copy in {self.base}")

    def pytest(self, tree: Path, arguments: list[str], limit: float | None) -> tuple[int | None, str]:
        """Exit status of pytest in a tree, None if it took longer than the limit [s]; and what it printed."""
        programs = self.base / ".pytest_cache"  # what is compiled in one tree is there for all
        environment = os.environ | ONE_CORE
        environment |= {"PYTHONPATH": str(tree / "src"), "JAX_PLATFORMS": "cpu"}
        environment |= {"XLA_FLAGS": f"{QUICKLY} {os.environ.get('XLA_FLAGS', '')}".strip()}
        environment.setdefault("DOVETAIL_PROGRAM_CACHE", str(programs / "programs"))
        environment.setdefault("DOVETAIL_CACHE", str(programs))
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [self.python, "-m", "pytest", "-m", "not slow", "--tb=no", "-p", "no:benchmark", *arguments]
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(
                command, cwd=tree, env=environment, stdout=out, stderr=out, text=True, start_new_session=True
            )
            status = self._wait(process, limit)
            out.seek(0)
            return status, out.read()

    def _wait(self, process: subprocess.Popen, limit: float | None) -> int | None:
        begin = time.monotonic()
        try:
            while True:
                try:
                    return process.wait(0.5)
                except subprocess.TimeoutExpired:
                    over = limit is not None and time.monotonic() - begin > limit
                    if over or self.ended.is_set():
                        return None
        finally:  # with all that it started
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def baseline(self, target: str) -> Baseline:
        """Run the tests of a file or folder with the unchanged source, once."""
        with self._lock:
            lock = self.locks[target]
        with lock:
            if target not in self.baselines:
                cache = self.place / "failing" / target.replace("/", "-")
                begin = time.monotonic()
                status, out = self.pytest(
                    self.base, [target, "--continue-on-collection-errors", "-o", f"cache_dir={cache}"], None
                )
                if self.ended.is_set():
                    raise InterruptedError
                seconds = time.monotonic() - begin
                failed = cache / "v" / "cache" / "lastfailed"
                names = tuple(json.loads(failed.read_text("utf-8"))) if failed.exists() else ()
                if status not in (0, 1, NO_TESTS) and not names:
                    raise RuntimeError(f"the tests of {target} do not run without a mutation:\n{out}")
                self.baselines[target] = Baseline(seconds, status or 0, names)
            return self.baselines[target]

    def run(self, mutation: Mutation) -> str:
        """What became of a mutation: `killed by ...`, `survived`, or `untested` where no tests are there for it."""
        tree = Path(tempfile.mkdtemp(dir=self.place))
        try:
            for name in COPIED:
                shutil.copytree(self.base / name, tree / name, copy_function=os.link)
            for other in self.base.iterdir():
                if other.is_symlink():
                    (tree / other.name).symlink_to(other.readlink())
            file = tree / "src" / "dovetail" / mutation.file
            written = file.stat().st_mtime
            text = mutation.apply(file.read_text("utf-8"))
            file.unlink()  # a link: the unchanged file stays
            file.write_text(text, "utf-8")
            os.utime(file, (written + 10, written + 10))  # what was compiled of it is out of date
            return self._run(tree, mutation)
        finally:
            shutil.rmtree(tree, ignore_errors=True)

    def _run(self, tree: Path, mutation: Mutation) -> str:
        ran = False
        for target in mirrored(mutation.file):
            if not (self.base / target).exists():
                continue
            baseline = self.baseline(target)
            limit = self.factor * baseline.seconds + self.spare
            arguments = [target, "-x", "-p", "no:cacheprovider", *baseline.arguments]
            status, _ = self.pytest(tree, arguments, limit)
            if self.ended.is_set():
                raise InterruptedError
            if status is None:
                return "killed by time limit"
            if status not in (0, NO_TESTS):
                return "killed by file" if target.endswith(".py") else "killed by package"
            ran |= status == 0
        return "survived" if ran else "untested"
