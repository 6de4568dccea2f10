"""What the tests of all studies share."""

import pytest

from dovetail.studies.reproduction import judge, targets


@pytest.fixture
def meets():
    """A target of a study, by name, is computed again and met; else the test fails with what was got."""

    def check(study, name):
        target = next(target for target in targets(study) if target.id == name)
        result = judge(target)
        assert result.status == "met", f"{name}: got {result.got}, expected {target.expected}"

    return check
