"""A monitor that checks nothing counts the samples and leaves them as they are."""

from dovetail.core.monitor import NoMonitor


def test_an_empty_monitor_checks_and_adds_nothing():
    shown = {"x": float("nan")}
    state, first = NoMonitor().start(shown)
    assert (int(state.code), int(state.sample), first) == (0, 0, shown)
    state, later = NoMonitor().step(0.1, 0.1, state, shown)
    assert (int(state.code), int(state.sample), later) == (0, 1, shown)
