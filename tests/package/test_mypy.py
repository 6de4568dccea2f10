"""Type checks: no error code is disabled, every ignored error has a reason, and mistakes are found."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RIGHT = re.compile(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]  # \w")


def test_no_type_check_is_disabled():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert not {"disable_error_code", "overrides", "exclude", "ignore_errors"} & set(told)


def test_ignored_type_errors_state_code_and_reason():
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in sorted((ROOT / "src").rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if "type: ignore" in line and not RIGHT.search(line)
    ]
    assert not found, "\n".join(["give the code and, after it, the reason:", *found])
