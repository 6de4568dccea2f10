"""Tests that a user names, with changed values, as the command line and the studio load them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

from dovetail import testing
from dovetail.core.errors import Fault, ParameterError, TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing.test import Test


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """Read `path=value` pairs. A value that is valid TOML is read as TOML, any other value as text."""
    changes, faults = {}, []
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path.strip():
            faults.append(Fault(setting, "expected path=value, for example rig.actuator.delay=0.007"))
            continue
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text
        changes[path.strip()] = value
    if faults:
        raise TestFileError("--set", faults)
    return changes


def require_test(name: str, loaded: Any, mode: str | None = None) -> Any:
    """Return the loaded test or simulation if it can be run in the mode.

    Raises
    ------
    ParameterError
        If it cannot; the message states the reason and the possible modes or command.
    """
    if isinstance(loaded, testing.MapFile):
        raise ParameterError(
            f"{name}: this is a parameter map, not a test; compute it with: dovetail run {name}"
        )
    if not isinstance(loaded, Test):
        raise ParameterError(
            f"{name}: this is a robot cell, not a test; serve it with: dovetail rig serve {name}"
        )
    if mode is not None and (why := loaded.mode_faults(mode)):
        modes = ", ".join(each for each, reason in loaded.modes().items() if not reason)
        raise ParameterError(f"{name}: {why}. Possible modes: {modes}; got {mode}")
    return loaded


def load_test(name: str, settings: Sequence[str] = (), mode: str | None = None) -> Any:
    """Return the test or simulation with this name if it can be run in the mode."""
    return require_test(name, testing.load(find_test(name), parse_settings(settings)), mode)
