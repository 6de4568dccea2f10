"""The operator's buttons and dials, and the record of every press."""

import json

import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError, TestFileError, UnknownNameError
from dovetail.testing import Dial, Operator
from dovetail.testing.operator import LIVE, WISHES, apply, faults, presses, wish


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
    operator.allow(made(dials={"numerical.c": Dial(least=5.0, most=30.0)}))
    return operator


def test_every_press_is_kept_with_who_when_and_both_values(operator):
    operator.now = 1.5
    operator.hold(who="ann")
    operator.hold(False, who="ann")
    operator.turn("numerical.c", 20.0, who="bob")
    operator.stop()
    kept = presses(operator.folder)
    assert kept == operator.presses
    assert [press.what for press in kept] == ["hold", "resume", "turn", "stop"]
    assert [press.who for press in kept] == ["ann", "ann", "bob", "program"]
    assert (kept[2].path, kept[2].old, kept[2].new, kept[2].time) == ("numerical.c", 15.0, 20.0, 1.5)
    assert json.loads(operator.told())[0]["what"] == "hold"
    assert str(kept[2]) == "1.500 s turn numerical.c from 15 to 20 (bob)"


def test_a_wish_of_another_process_is_fulfilled_by_whoever_attends(operator):
    wish(operator.folder, "turn", "view", "numerical.c", 6.0)
    wish(operator.folder, "hold", "view")
    assert not operator.held
    operator.attend(0.25)
    assert operator.held
    assert operator.values == {"numerical.c": 6.0}
    operator.attend(0.5)
    assert len(operator.presses) == 2  # each once
    assert operator.presses[0].time == 0.25


def test_half_a_line_waits_for_its_other_half(operator):
    file = operator.folder / LIVE / WISHES
    file.write_text('{"what": "st')
    operator.attend(0.0)
    assert operator.presses == []
    file.write_text('{"what": "stop", "who": "view"}\n')
    operator.attend(0.0)
    assert operator.stopped


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"what": "explode", "who": "x"}',
        '{"what": "turn", "who": "x", "path": "limits.force", "value": 1}',
        '{"what": "turn", "who": "x", "path": "numerical.c", "value": 1e9}',
        '{"what": "turn", "who": "x", "path": "numerical.c", "value": NaN}',
        '["hold"]',
    ],
)
def test_a_wish_that_cannot_be_is_refused_and_noted(operator, line):
    (operator.folder / LIVE / WISHES).write_text(line + "\n")
    operator.attend(0.0)
    assert not operator.stopped
    assert operator.values == {"numerical.c": 15.0}
    assert [press.what for press in operator.presses] == ["refused"]


def test_only_what_the_test_allows_can_be_turned(operator):
    with pytest.raises(UnknownNameError, match="numerical.c"):
        operator.turn("numerical.k", 1.0)
    with pytest.raises(ParameterError, match="the test allows 5 to 30"):
        operator.turn("numerical.c", 31.0)


def test_a_full_disk_stops_no_test(operator, monkeypatch):
    (operator.folder / "operator.jsonl").mkdir()  # no file can be written there
    operator.hold()
    assert operator.held
    assert len(operator.presses) == 1


def test_a_turn_is_a_ramp_within_the_range():
    dial = Dial(least=0.0, most=10.0, over=2.0)
    assert float(dial.follow(jnp.asarray(4.0), jnp.asarray(9.0), 0.1)) == pytest.approx(4.5)
    assert float(dial.follow(jnp.asarray(4.0), jnp.asarray(4.1), 0.1)) == pytest.approx(4.1)
    assert float(dial.follow(jnp.asarray(9.9), jnp.asarray(99.0), 1.0)) == pytest.approx(10.0)
    assert float(dial.follow(jnp.asarray(4.0), jnp.asarray(jnp.nan), 0.1)) == 4.0


def test_dials_are_put_into_the_test():
    test = made(dials={"numerical.c": Dial(least=5.0, most=30.0), "numerical.k": Dial(least=0.0, most=1e4)})
    turned = apply(test, jnp.array([7.0, 99.0]))
    assert (float(turned.numerical.c), float(turned.numerical.k)) == (7.0, 99.0)


def test_what_a_dial_may_not_be_is_told():
    wrong = {
        "rig.actuator.delay": Dial(least=0.0, most=1.0),
        "numerical.q": Dial(least=0.0, most=1.0),
        "numerical.c": Dial(least=20.0, most=30.0),
        "method": Dial(least=0.0, most=1.0),
    }
    said = {fault.place: fault.text for fault in faults(made(dials=wrong))}
    assert "stay as they are while a test runs" in said["dials.rig.actuator.delay"]
    assert "dials.numerical.q" in said
    assert "the dial goes from 20 to 30" in said["dials.numerical.c"]
    assert "is no numeric parameter" in said["dials.method"]
    with pytest.raises(TestFileError, match="the dial goes from 20 to 30"):
        made(dials=wrong).prepared()


def test_a_file_names_its_dials_and_they_come_back():
    table = dv.testing.dump(made())
    table["dials"] = {"numerical.c": {"least": 5, "most": 30, "over": "500 ms"}}
    test = dv.testing.parse(table)
    assert float(test.dials["numerical.c"].over) == 0.5
    assert dv.testing.dump(test)["dials"]["numerical.c"] == {"least": 5.0, "most": 30.0, "over": 0.5}
    table["dials"]["numerical.c"]["lesat"] = 1
    with pytest.raises(TestFileError, match='did you mean "least"'):
        dv.testing.parse(table)
