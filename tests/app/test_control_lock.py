"""Control lock: several viewers, one user with control, absent users are removed."""

from dovetail.app.control_lock import ControlLock


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def held(*people):
    clock = Clock()
    holding = ControlLock(timeout=15.0, clock=clock)
    for who in people:
        holding.join(who)
    return holding, clock


def test_the_first_user_has_control_and_the_second_watches():
    holding, _ = held("Ada", "Ben")
    assert holding.holds("Ada")
    assert not holding.holds("Ben")
    assert "Ada" in holding.take("Ben")
    assert holding.holds("Ada")
    assert "Ada" in holding.status_text("Ben")
    assert "1 viewer" in holding.status_text("Ada")


def test_released_control_is_free_for_any_user():
    holding, _ = held("Ada", "Ben")
    holding.release("Ben")
    assert holding.holds("Ada")
    holding.release("Ada")
    assert holding.holder is None
    assert "No one" in holding.status_text("Ben")
    assert holding.take("Ben") == ""
    assert holding.holds("Ben")


def test_any_user_can_take_control():
    holding, _ = held("Ada", "Ben")
    assert holding.take("Ben", over=True) == ""
    assert holding.viewers() == ["Ben", "Ada"]
    holding.release("Ada")
    assert holding.holds("Ben")


def test_a_silent_user_loses_control():
    holding, clock = held("Ada", "Ben")
    clock.now = 10.0
    holding.join("Ben")
    assert holding.holds("Ada")
    clock.now = 20.0
    assert holding.holder is None
    assert holding.take("Ben") == ""
    assert holding.viewers() == ["Ben"]


def test_closing_a_page_frees_control_for_the_next_user():
    holding, _ = held("Ada")
    holding.leave("Ada")
    holding.leave("nobody")
    holding.join("Cem")
    assert holding.holds("Cem")
