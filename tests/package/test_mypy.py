"""Type checks: none is disabled, six packages are checked strictly, and every ignored error has a reason."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RIGHT = re.compile(r"# type: ignore\[[a-z-]+(, ?[a-z-]+)*\]  # \w")


STRICT = (  # what `mypy --strict` adds and can be set for a package; the other flags are set for all
    "disallow_any_generics",
    "disallow_subclassing_any",
    "disallow_untyped_calls",
    "disallow_untyped_decorators",
    "disallow_untyped_defs",
    "no_implicit_reexport",
    "warn_return_any",
)


def test_no_type_check_is_disabled_and_six_packages_are_strict():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert not {"disable_error_code", "exclude", "ignore_errors"} & set(settings)
    assert settings["untyped_calls_exclude"] == ["jax", "equinox", "scipy"]
    (strict,) = settings["overrides"]
    packages = ("core", "testing", "transfer", "specimens", "compensation", "mechanics")
    assert strict == {"module": [f"dovetail.{name}.*" for name in packages], **dict.fromkeys(STRICT, True)}


def test_ignored_type_errors_state_code_and_reason():
    found = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in sorted((ROOT / "src").rglob("*.py"))
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if "type: ignore" in line and not RIGHT.search(line)
    ]
    assert not found, "\n".join(["give the code and, after it, the reason:", *found])
