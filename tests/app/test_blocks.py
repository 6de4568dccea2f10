"""Block views contain the declarations of their parameters."""

from dovetail.app import Document
from dovetail.core.parameter import declared_parameters
from dovetail.report.drawing import BOXES


def test_blocks_of_the_drawing_come_first_and_the_test_last():
    found = Document.open("substructuring/cs1").blocks()
    assert [block.path for block in found[:6]] == [path for _, path, _ in BOXES.values()]
    assert found[-1].path == ""
    assert {"rig", "limits", "method", "feedback"} <= {block.path for block in found}


def test_a_value_has_unit_range_meaning_and_text_of_the_file():
    document = Document.open("substructuring/cs1")
    actuator = next(block for block in document.blocks() if block.path == "rig.actuator")
    assert (actuator.kind, actuator.exchangeable) == ("delay", True)
    delay = actuator.values[0]
    about = declared_parameters(type(document.test.rig.actuator))["delay"]
    assert (delay.path, delay.file_text, delay.text, delay.unit) == ("rig.actuator.delay", "3 ms", "3", "ms")
    assert (delay.number, delay.si_unit) == (0.003, "s")
    assert (delay.allowed, delay.meaning) == (about.allowed, about.about)
    assert delay.traced
    assert not delay.default
    word = next(value for value in actuator.values if value.name == "interpolation")
    assert (word.default, word.choices, word.traced, word.number) == (True, ("linear", "cubic"), False, None)


def test_nested_parts_are_inner_blocks_with_their_index():
    document = Document.open("substructuring/lag-damper")
    actuator = next(block for block in document.blocks() if block.path == "rig.actuator")
    assert [block.path for block in actuator.inner] == ["rig.actuator.parts[0]", "rig.actuator.parts[1]"]
    assert document.set("rig.actuator.parts[1].delay", "1 ms") == ""
    ramp = next(block for block in document.blocks() if block.path.startswith("schedule"))
    assert {value.path for value in ramp.values} >= {'schedule."feedback.measured_fraction".end'}
    assert document.set('schedule."feedback.measured_fraction".end', "12 s") == ""


def test_a_simulation_and_a_map_have_blocks_too():
    for name in ("capture/tow", "docking/delay-by-mass"):
        found = Document.open(name).blocks()
        assert found[-1].path == ""
        assert any(value.name == "title" for value in found[-1].values)


def test_a_choice_lists_the_kinds_of_the_family_with_descriptions():
    found = Document.open("substructuring/cs1").choices("compensator")
    assert [choice.kind for choice in found if choice.current] == ["none"]
    assert {"forward-prediction", "adaptive-forward-prediction"} <= {choice.kind for choice in found}
    assert all(choice.about for choice in found)
    for path in ("limits", "no-such-part", "no-such-part.specimen", "limits.force", "limits.force.unit"):
        assert Document.open("substructuring/cs1").choices(path) == []
