import pytest

from dovetail.studies.reproduction import judge, targets

OURS = {t.id: t for t in targets("shipboard") if t.compute.startswith("reproduce_contact:")}


# -0.332 rad, printed -0.372: the second foot follows the first at once. A lag of the friction from 0.2 to 20 ms, and a
# start without the strain of landing, change it by 0.006; sign and limit of the source's bristle damper are unknown
# and 0.16 mm at the left foot of an aircraft that was secured from beside: friction keeps the last of the way, and how
# far beside it stood is not printed
NOT_REPRODUCED = ("RT-17", "RT-33")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(OURS) - set(NOT_REPRODUCED)))
def test_targets_are_met(name):
    result = judge(OURS[name])
    assert result.status == "met", f"{name}: got {result.got}, expected {OURS[name].expected}"
