"""The operator's buttons and dials, and the record of every press."""

import json

import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError, TestFileError, UnknownNameError
from dovetail.testing import Operator, Tunable
from dovetail.testing.operator import (
    LIVE,
    REQUESTS_FILE,
    apply,
    faults,
    is_held,
    is_stopping,
    read_events,
    requested_values,
    send_request,
)


def made(**fields):
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        duration=0.1,
        **fields,
    )


@pytest.fixture
def operator(tmp_path):
    (tmp_path / LIVE).mkdir()
    operator = Operator(tmp_path)
    operator.register_tunables(made(tunable={"numerical.c": Tunable(min=5.0, max=30.0)}))
    return operator


def test_operator_events_record_user_time_old_and_new_value(operator):
    operator.now = 1.5
    operator.hold(user="ann")
    operator.hold(False, user="ann")
    operator.set_tunable("numerical.c", 20.0, user="bob")
    operator.stop()
    kept = read_events(operator.folder)
    assert kept == operator.events
    assert [event.action for event in kept] == ["hold", "resume", "set", "stop"]
    assert [event.user for event in kept] == ["ann", "ann", "bob", "program"]
    assert (kept[2].path, kept[2].old, kept[2].new, kept[2].time) == ("numerical.c", 15.0, 20.0, 1.5)
    assert json.loads(operator.events_json())[0]["action"] == "hold"
    assert str(kept[2]) == "1.500 s set numerical.c from 15 to 20 (bob)"


def test_requests_of_other_processes_are_applied_by_the_run(operator):
    send_request(operator.folder, "set", "view", "numerical.c", 6.0)
    send_request(operator.folder, "hold", "view")
    assert not operator.held
    operator.update(0.25)
    assert operator.held
    assert operator.values == {"numerical.c": 6.0}
    operator.update(0.5)
    assert len(operator.events) == 2  # each once
    assert operator.events[0].time == 0.25


def test_events_state_whether_the_run_is_held_and_what_is_requested(operator):
    assert not is_held(operator.events)
    operator.hold()
    operator.set_tunable("numerical.c", 20.0)
    operator.set_tunable("numerical.c", 6.0)
    assert is_held(operator.events)
    assert requested_values(operator.events) == {"numerical.c": 6.0}
    operator.hold(False)
    assert not is_held(operator.events)
    assert not is_stopping(operator.events)
    operator.hold()
    operator.stop()
    assert is_stopping(operator.events)
    assert not is_held(operator.events)


def test_half_a_line_waits_for_its_other_half(operator):
    file = operator.folder / LIVE / REQUESTS_FILE
    file.write_text('{"action": "st')
    operator.update(0.0)
    assert operator.events == []
    file.write_text('{"action": "stop", "user": "view"}\n')
    operator.update(0.0)
    assert operator.stopped


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"action": "explode", "user": "x"}',
        '{"action": "set", "user": "x", "path": "limits.force", "value": 1}',
        '{"action": "set", "user": "x", "path": "numerical.c", "value": 1e9}',
        '{"action": "set", "user": "x", "path": "numerical.c", "value": NaN}',
        '["hold"]',
    ],
)
def test_an_impossible_request_is_rejected_and_recorded(operator, line):
    (operator.folder / LIVE / REQUESTS_FILE).write_text(line + "\n")
    operator.update(0.0)
    assert not operator.stopped
    assert operator.values == {"numerical.c": 15.0}
    assert [event.action for event in operator.events] == ["refused"]


def test_only_tunable_parameters_can_be_changed(operator):
    with pytest.raises(UnknownNameError, match="numerical.c"):
        operator.set_tunable("numerical.k", 1.0)
    with pytest.raises(ParameterError, match="from 5 to 30"):
        operator.set_tunable("numerical.c", 31.0)


def test_a_full_disk_does_not_stop_a_run(operator, monkeypatch):
    (operator.folder / "operator_events.jsonl").mkdir()  # no file can be written there
    operator.hold()
    assert operator.held
    assert len(operator.events) == 1


def test_a_turn_is_a_ramp_within_the_range():
    dial = Tunable(min=0.0, max=10.0, ramp_time=2.0)
    assert float(dial.step_towards(jnp.asarray(4.0), jnp.asarray(9.0), 0.1)) == pytest.approx(4.5)
    assert float(dial.step_towards(jnp.asarray(4.0), jnp.asarray(4.1), 0.1)) == pytest.approx(4.1)
    assert float(dial.step_towards(jnp.asarray(9.9), jnp.asarray(99.0), 1.0)) == pytest.approx(10.0)
    assert float(dial.step_towards(jnp.asarray(4.0), jnp.asarray(jnp.nan), 0.1)) == 4.0


def test_tunable_values_are_set_in_the_test():
    test = made(tunable={"numerical.c": Tunable(min=5.0, max=30.0), "numerical.k": Tunable(min=0.0, max=1e4)})
    turned = apply(test, jnp.array([7.0, 99.0]))
    assert (float(turned.numerical.c), float(turned.numerical.k)) == (7.0, 99.0)


def test_invalid_tunable_parameters_are_reported():
    wrong = {
        "rig.actuator.delay": Tunable(min=0.0, max=1.0),
        "numerical.q": Tunable(min=0.0, max=1.0),
        "numerical.c": Tunable(min=20.0, max=30.0),
        "method": Tunable(min=0.0, max=1.0),
    }
    said = {fault.path: fault.text for fault in faults(made(tunable=wrong))}
    assert "cannot change during a run" in said["tunable.rig.actuator.delay"]
    assert "tunable.numerical.q" in said
    assert "its range from 20 to 30" in said["tunable.numerical.c"]
    assert "is not a numeric parameter" in said["tunable.method"]
    with pytest.raises(TestFileError, match="its range from 20 to 30"):
        made(tunable=wrong).prepare()


def test_tunable_parameters_are_saved_and_restored():
    table = dv.testing.dump(made())
    table["tunable"] = {"numerical.c": {"min": 5, "max": 30, "ramp_time": "500 ms"}}
    test = dv.testing.parse(table)
    assert float(test.tunable["numerical.c"].ramp_time) == 0.5
    assert dv.testing.dump(test)["tunable"]["numerical.c"] == {"min": 5.0, "max": 30.0, "ramp_time": 0.5}
    table["tunable"]["numerical.c"]["mim"] = 1
    with pytest.raises(TestFileError, match='did you mean "min"'):
        dv.testing.parse(table)
