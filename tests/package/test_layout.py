"""Every source module has a test file of the same name, and tracked files hold no traces of one machine."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# module: the test file that proves it, where that is not the one of its own name
TESTED_ELSEWHERE: dict[str, str] = {}

TRACES = {
    "a folder of one machine": re.compile(r"(?<![\w.])/(?:work|root|farm|home|tmp|opt|mnt|Users)/\w"),
    "an address of one network": re.compile(
        r"\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}\b"
    ),
    "a package index": re.compile(r"--(?:extra-)?index-url|--find-links|--trusted-host"),
    "how it was written": re.compile(r"\b(?:chatgpt|claude|copilot|language model|as an ai)\b", re.I),
    "a working file": re.compile(r"shared/(?:physics|design|seeds)"),
}


def tracked() -> list[Path]:
    """Tracked text files; all files of a copy that is no repository."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in done.stdout.splitlines()]
    return [file for file in files if file.is_file()]


@pytest.mark.parametrize("trace", TRACES)
def test_tracked_files_hold_no_trace_of(trace):
    found = []
    for file in tracked():
        if file == Path(__file__) or file.suffix in {".png", ".nc"}:
            continue
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if TRACES[trace].search(line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    assert not found, "\n".join(found)


def modules() -> list[str]:
    source = ROOT / "src" / "dovetail"
    return sorted(
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if path.stem not in ("__init__", "__main__")
    )


@pytest.mark.parametrize("module", modules())
def test_a_module_has_a_test_file_of_its_name(module):
    path = Path(module)
    expected = TESTED_ELSEWHERE.get(module, str(path.parent / f"test_{path.name}"))
    assert (ROOT / "tests" / expected).is_file(), f"src/dovetail/{module} wants tests/{expected}"


def test_every_module_tested_elsewhere_still_exists():
    assert set(TESTED_ELSEWHERE) <= set(modules())


def test_no_module_outgrows_one_idea():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "src").rglob("*.py")
        if (lines := len(path.read_text("utf-8").splitlines())) > 450
    }
    assert not long, f"look for a second idea in {long}"
