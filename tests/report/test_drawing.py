import xml.etree.ElementTree as ET

import pytest

from dovetail.report import drawing


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter("text")]


def test_the_drawing_of_the_loop_has_every_part(late):
    shown = texts(drawing.loop(late.given))
    for word in (
        "Excitation",
        "Numerical substructure",
        "Compensator",
        "Transfer system",
        "Specimen",
        "Sensor",
    ):
        assert word in shown
    assert {"oscillator", "delay", "spring", "sine"} <= set(shown)


def test_missing_parts_are_drawn_as_none(late):
    shown = texts(drawing.loop(late.given))
    assert "none" in shown  # compensator
    assert "ideal" in shown  # sensor: a series of nothing
    perfect = {"rig": {"actuator": {"kind": "series", "parts": []}, "specimen": {"kind": "spring"}}}
    assert "not named" not in texts(drawing.loop({**late.given, **perfect}))


def test_several_parts_in_series_are_listed():
    inner = [{"kind": "lag", "tau": 0.01}, {"kind": "delay", "delay": 0.003}]
    shown = texts(drawing.loop({"rig": {"actuator": {"kind": "series", "parts": inner}}}))
    assert "2 in series" in shown
    assert any(text.startswith("lag") for text in shown)


def test_an_empty_test_can_be_drawn():
    assert "unnamed" in texts(drawing.loop({}))


def test_markup_and_long_names_remain_text_inside_their_box():
    shown = texts(drawing.loop({"numerical": {"kind": "<script>alert(1)</script>" * 5}}))
    assert any(text.startswith("<script>") and text.endswith("…") for text in shown)
    assert all(len(text) <= drawing.LONGEST for text in shown)


@pytest.mark.parametrize("draw", [drawing.loop, drawing.upright])
def test_text_of_a_part_is_inside_its_box_and_labels_of_signals_are_outside_all_boxes(late, draw):
    svg = ET.fromstring(draw(late.given))
    boxes = []
    for group in (e for e in svg.iter("g") if e.get("class") == "part"):
        x, y, wide, tall = (float(group.find("rect").get(name)) for name in ("x", "y", "width", "height"))
        boxes.append((x, x + wide, y, y + tall))
        for text in group.iter("text"):
            assert x < float(text.get("x")) < x + wide
            assert y < float(text.get("y")) < y + tall
    assert len(boxes) == 6
    for text in (e for e in svg.iter("text") if e.get("class") == "signal"):
        x, y = float(text.get("x")), float(text.get("y"))
        assert not any(left <= x <= right and top <= y <= low for left, right, top, low in boxes), text.text


def test_two_drawings_share_no_ids():
    first, second = drawing.loop({}), drawing.loop({})
    ids = [{e.attrib["id"] for e in ET.fromstring(svg).iter() if "id" in e.attrib} for svg in (first, second)]
    assert not ids[0] & ids[1]


def test_every_block_has_its_path_in_the_test(late):
    groups = [e for e in ET.fromstring(drawing.loop(late.given)).iter("g") if e.get("class") == "part"]
    assert [group.get("data-path") for group in groups] == [path for _, path, _ in drawing.BOXES.values()]
    assert all(group.find("rect") is not None for group in groups)


def test_a_phone_has_the_same_loop_in_two_columns(late):
    wide, slim = ET.fromstring(drawing.loop(late.given)), ET.fromstring(drawing.upright(late.given))
    paths = [[e.get("data-path") for e in svg.iter("g") if e.get("class") == "part"] for svg in (wide, slim)]
    assert paths[0] == paths[1]
    width = float(slim.get("viewBox").split()[2])
    assert 13.2 * 372 / width >= 11.0  # its smallest letters on a phone, as page.css has them
    edges = [(float(r.get("x")), float(r.get("x")) + float(r.get("width"))) for r in slim.iter("rect")]
    assert len(set(edges)) == 2
    assert max(right for _, right in edges) <= width
