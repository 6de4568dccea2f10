"""Every source module has a test file of the same name; tracked files contain no paths of one machine."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

TRACES = {
    "a folder of one machine": re.compile(r"(?<![\w.])/(?:work|root|farm|home|tmp|opt|mnt|Users)/\w"),
    "an address of one network": re.compile(
        r"\b(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}\b"
    ),
    "a package index": re.compile(r"--(?:extra-)?index-url|--find-links|--trusted-host"),
    "a working file": re.compile(r"shared/(?:physics|design|seeds)"),
}


def tracked() -> list[Path]:
    """Tracked text files; all files of a copy that is no repository."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in done.stdout.splitlines()]
    return [file for file in files if file.is_file()]


def test_tracked_files_contain_no_path_of_one_machine():
    found = [
        f"{file.relative_to(ROOT)}:{number}: {what}: {line.strip()[:100]}"
        for file in tracked()
        if file != Path(__file__) and file.suffix not in {".png", ".jpg", ".webp", ".nc"}
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        for what, trace in TRACES.items()
        if trace.search(line)
    ]
    assert not found, "\n".join(found)


def modules() -> list[str]:
    source = ROOT / "src" / "dovetail"
    return sorted(
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if path.stem not in ("__init__", "__main__")
    )


def test_every_module_has_a_test_file_of_its_name():
    wanted = {module: str(Path(module).parent / f"test_{Path(module).name}") for module in modules()}
    without = [
        f"src/dovetail/{module} wants tests/{test}"
        for module, test in wanted.items()
        if not (ROOT / "tests" / test).is_file()
    ]
    assert not without, "\n".join(without)


def test_no_module_exceeds_450_lines():
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / "src").rglob("*.py")
        if (lines := len(path.read_text("utf-8").splitlines())) > 450
    }
    assert not long, f"look for a second idea in {long}"


LONGEST = 60  # lines of code that a reader can hold at once


def lines_of_code(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    first = function.body[0]
    told = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if told else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_no_function_exceeds_60_lines():
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} has {lines} lines; let it read as steps"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := lines_of_code(node)) > LONGEST
    ]
    assert not long, "\n".join(long)


def test_a_docstring_does_not_count_as_code():
    two = ast.parse('def f(x):\n    """One\n\n    Two.\n    """\n    return x\n').body[0]
    assert isinstance(two, ast.FunctionDef)
    assert lines_of_code(two) == 2
