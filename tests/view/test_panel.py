"""The operator panel sends requests and shows the recorded events."""

from types import SimpleNamespace

import pytest

from dovetail.testing import Operator, Tunable
from dovetail.testing.operator import LIVE
from dovetail.view.panel import Panel


class Handle:
    def __init__(self, value=None):
        self.value, self.content, self.disabled, self.act = value, "", False, None

    def on_click(self, act):
        self.act = act

    on_update = on_click


class Gui:
    """As much of a page as the panel needs."""

    def add_button(self, label):
        return Handle()

    def add_markdown(self, text):
        return Handle()

    def add_slider(self, label, min, max, step, initial_value):
        return Handle(initial_value)


@pytest.fixture
def panel(tmp_path):
    (tmp_path / LIVE).mkdir()
    return Panel(Gui(), tmp_path, {"numerical.c": Tunable(min=5.0, max=30.0)}, {"numerical.c": 15.0})


def test_a_button_sends_a_request_and_the_panel_shows_its_result(panel):
    operator = Operator(panel.folder)
    operator.tunables, operator.values = {"numerical.c": Tunable(min=5.0, max=30.0)}, {"numerical.c": 15.0}
    event = SimpleNamespace(client=object(), client_id=3)
    panel.buttons["hold"].act(event)
    panel.tunables["numerical.c"].value = 20.0
    panel.tunables["numerical.c"].act(event)
    assert not operator.held
    operator.update(2.0)
    assert operator.held
    assert operator.values["numerical.c"] == 20.0
    panel.update()
    assert "numerical.c from 15 to 20" in panel.log.content.replace("\\", "")
    assert "window 3" in panel.log.content.replace("\\", "")


def test_a_slider_set_by_the_page_sends_no_request(panel):
    panel.tunables["numerical.c"].act(SimpleNamespace(client=None, client_id=0))
    operator = Operator(panel.folder)
    operator.update(0.0)
    assert operator.events == []


def test_a_held_run_can_only_be_resumed_or_stopped_and_says_so(panel):
    rig = Operator(panel.folder)
    panel.update()
    assert (panel.buttons["hold"].disabled, panel.buttons["resume"].disabled) == (False, True)
    rig.hold()
    panel.update()
    assert "HELD" in panel.state.content
    assert (panel.buttons["hold"].disabled, panel.buttons["resume"].disabled) == (True, False)
    rig.hold(False)
    panel.update()
    assert panel.state.content == ""
    rig.stop()
    panel.update()
    assert "STOPPING" in panel.state.content
    assert panel.buttons["hold"].disabled
    assert panel.buttons["resume"].disabled
    assert not panel.buttons["stop"].disabled


def test_a_slider_follows_the_value_that_another_window_requested(panel):
    operator = Operator(panel.folder)
    operator.tunables, operator.values = {"numerical.c": Tunable(min=5.0, max=30.0)}, {"numerical.c": 15.0}
    operator.set_tunable("numerical.c", 22.0, "another window")
    panel.update()
    assert panel.tunables["numerical.c"].value == 22.0
    panel.tunables["numerical.c"].value = 25.0  # the user moves it; the earlier request does not move it back
    panel.update()
    assert panel.tunables["numerical.c"].value == 25.0


def test_after_the_run_all_buttons_are_disabled(panel):
    panel.close()
    assert all(button.disabled for button in panel.buttons.values())
    (panel.folder / LIVE).rmdir()
    panel.buttons["stop"].act(SimpleNamespace(client=object(), client_id=1))  # too late, and no error
