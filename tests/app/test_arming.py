"""Arming: a rig is read before it moves, and an armed test starts once, unchanged, by the user who armed it."""

from types import SimpleNamespace

import pytest

from dovetail.app import Action, Arming, Document, Jobs
from dovetail.app.rig_reading import RigReading
from dovetail.core.errors import LinkError, ParameterError

CS1, RIG = "substructuring/cs1", "udp://localhost:7001"
READING = RigReading("rig", "answers", "0 m", "0 m", "0 m in 1 s", ())


class Started(Jobs):
    """Jobs that only count what is started."""

    def start(self, action):
        self.actions = [*getattr(self, "actions", []), action]
        return action


@pytest.fixture
def clock():
    return SimpleNamespace(now=0.0)


@pytest.fixture
def arming(tmp_path, clock):
    return Arming(Started(tmp_path), lambda action: READING, timeout=60.0, clock=lambda: clock.now)


@pytest.fixture
def action():
    return Action("realtime", Document.open(CS1), address=RIG)


def test_a_second_click_starts_nothing(arming, action):
    arming.arm(action, "Ada")
    assert arming.armed.reading is READING
    arming.start("Ada")
    with pytest.raises(ParameterError, match="no rig is armed"):
        arming.start("Ada")
    assert arming.jobs.actions == [action]


def test_another_user_cannot_start_and_nothing_starts_unarmed(arming, action):
    with pytest.raises(ParameterError, match="no rig is armed"):
        arming.start("Ada")
    arming.arm(action, "Ada")
    with pytest.raises(ParameterError, match="Ada has armed"):
        arming.start("Ben")
    arming.disarm()
    with pytest.raises(ParameterError, match="no rig is armed"):
        arming.start("Ada")


def test_a_changed_test_and_an_old_reading_are_not_armed(arming, action, clock):
    arming.arm(action, "Ada")
    action.document.set("duration", "0.5 s")
    assert arming.armed is None
    arming.arm(action, "Ada")
    clock.now = 61.0
    assert arming.armed is None
    with pytest.raises(ParameterError, match="no rig is armed"):
        arming.start("Ada")


def test_a_rig_that_does_not_answer_is_not_armed(tmp_path, action):
    def read(action):
        raise LinkError("no rig answers")

    arming = Arming(Started(tmp_path), read)
    with pytest.raises(LinkError):
        arming.arm(action, "Ada")
    assert arming.armed is None
    with pytest.raises(ParameterError, match="address"):
        arming.arm(Action("realtime", action.document), "Ada")
