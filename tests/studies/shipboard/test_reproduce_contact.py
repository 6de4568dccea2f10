import pytest

from dovetail.studies.targets import judge, load_targets

OURS = {t.id: t for t in load_targets("shipboard") if t.compute.startswith("reproduce_contact:")}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OURS))
def test_targets_are_met(name):
    result = judge(OURS[name])
    assert result.status == "met", f"{name}: got {result.got}, expected {OURS[name].expected}"
