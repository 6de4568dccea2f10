"""What the tests of all studies share."""

import pytest

from dovetail.studies.targets import compute_target, load_targets


@pytest.fixture
def meets():
    """A target of a study, by name, is computed again and met; else the test fails with what was got."""

    def check(study, name):
        target = next(target for target in load_targets(study) if target.id == name)
        result = compute_target(target)
        assert result.status == "met", f"{name}: got {result.value}, expected {target.expected}"

    return check


@pytest.fixture
def as_said():
    """A target is computed again and comes out as its row says: met, or missed where its note begins so."""

    def check(target):
        result = compute_target(target)
        said = "missed" if target.note.startswith("missed") else "met"
        assert result.status == said, result.record()

    return check
