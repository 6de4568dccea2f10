"""Published systems, each with its parameters, its tests and its reproduction targets as data.

Depends on: core, mechanics, air, sea, specimens, transfer, compensation, stability, testing, fidelity, assess,
campaign. A study assembles their parts with the numbers of its source.

Functions that list studies, tests and capabilities only read files; they do not import JAX.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.studies.capabilities import Capability, capabilities
    from dovetail.studies.registry import Study, TestEntry, all_tests, find_study, find_test, load, studies
    from dovetail.studies.targets import Result, Target, load_targets, reproduce

lazily(__name__)


__all__ = [
    "Capability",
    "Result",
    "Study",
    "Target",
    "TestEntry",
    "all_tests",
    "capabilities",
    "find_study",
    "find_test",
    "load",
    "load_targets",
    "reproduce",
    "studies",
]
