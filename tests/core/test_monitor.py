"""A monitor that checks nothing counts the samples and leaves them as they are."""

from dovetail.core.monitor import NoMonitor


def test_nothing_is_checked_and_nothing_added():
    shown = {"x": float("nan")}
    state, first = NoMonitor().start(shown)
    assert (int(state.code), int(state.sample), first) == (0, 0, shown)
    state, later = NoMonitor().step(0.1, 0.1, state, shown)
    assert (int(state.code), int(state.sample), later) == (0, 1, shown)
