import pytest

from dovetail.studies.reproduction import judge, targets

OURS = {t.id: t for t in targets("shipboard") if t.compute.startswith("reproduce_contact:")}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(OURS))
def test_targets_are_met(name):
    result = judge(OURS[name])
    assert result.status == "met", f"{name}: got {result.got}, expected {OURS[name].expected}"
