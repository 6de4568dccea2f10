import pytest

from dovetail.studies.targets import compute_target, load_targets

OURS = {t.id: t for t in load_targets("shipboard") if t.compute.startswith("reproduce_flight:")}

NOT_REPRODUCED = ("RT-37a",)  # its note says why


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(OURS) - set(NOT_REPRODUCED)))
def test_targets_are_met(name):
    result = compute_target(OURS[name])
    assert result.status == "met", f"{name}: got {result.value}, expected {OURS[name].expected}"
