"""Drawing of the loop of a test: simulated part above the interface, rig below it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from dovetail.report.parameters import summary

WIDE, TALL = 208, 104  # size of a box
COLUMNS = (8, 306, 604)  # left edge of each column
TOP, BOTTOM = 30, 236  # upper edge of each row
LONGEST = 26  # characters of a line in a box
UPRIGHT, SLIM, SHORTER = (6, 270), 164, 20  # phone: left edge of each column, width of a box, its characters
BOXES = {  # role, path in a test, text if the part is missing
    "excitation": ("Excitation", "excitation", "none"),
    "numerical": ("Numerical substructure", "numerical", "unnamed"),
    "compensator": ("Compensator", "compensator", "none"),
    "transfer": ("Transfer system", "rig.actuator", "unnamed"),
    "specimen": ("Specimen", "rig.specimen", "unnamed"),
    "sensor": ("Sensor", "rig.sensor", "ideal"),
}
_numbers = itertools.count(1)


@dataclass(frozen=True)
class LoopBox:
    """Part in the loop: role, name, a few of its parameters, path in the test."""

    role: str
    name: str
    lines: Sequence[str] = ()
    path: str = ""


def loop(test: Mapping[str, Any]) -> str:
    """Return the drawing of the loop as an SVG element, from the nested table of a test."""
    return draw(_boxes(test))


def upright(test: Mapping[str, Any]) -> str:
    """Return the drawing for a phone: simulated part on the left, rig on the right."""
    return draw_upright(_boxes(test))


def _boxes(test: Mapping[str, Any]) -> dict[str, LoopBox]:
    rig = _table(test, "rig")
    boxes = {}
    for name, (role, path, nothing) in BOXES.items():
        table = rig if path.startswith("rig.") else test
        boxes[name] = replace(_box(role, table, path.removeprefix("rig."), nothing), path=path)
    return boxes


def draw(boxes: Mapping[str, LoopBox]) -> str:
    """Draw the six boxes of `BOXES` as a loop; each is a group with its path in the test."""
    left, middle, right = COLUMNS
    up, down = TOP + TALL / 2, BOTTOM + TALL / 2
    between = (TOP + TALL + BOTTOM) / 2
    parts = [
        f'<line class="interface" x1="8" y1="{between}" x2="812" y2="{between}"/>',
        _text(8, 16, "SIMULATED (each tick)", "side"),
        _text(8, 358, "RIG (real or simulated)", "side"),
        _text(812, between - 8, "interface", "side", "end"),
        _wire(left + WIDE, up, middle, up),
        _text((left + WIDE + middle) / 2, up - 10, "r", "signal", "middle"),
        _wire(middle + WIDE, up, right, up),
        _text((middle + WIDE + right) / 2, up - 10, "demand z", "signal", "middle"),
        _wire(right + WIDE / 2, TOP + TALL, right + WIDE / 2, BOTTOM),
        _text(right + WIDE / 2 + 8, between + 18, "command zₚ", "signal"),
        _wire(right, down, middle + WIDE, down),
        _text((middle + WIDE + right) / 2, down - 10, "imposed", "signal", "middle"),
        _text((middle + WIDE + right) / 2, down + 22, "displ. x", "signal", "middle"),
        _wire(middle, down, left + WIDE, down),
        _text((left + WIDE + middle) / 2, down - 10, "force", "signal", "middle"),
        # the measured force enters the numerical substructure from below
        _path(f"M{left + WIDE / 2} {BOTTOM} V{between - 26} H{middle + 0.3 * WIDE} V{TOP + TALL}", "wire"),
        _text(left + WIDE / 2 + 8, between + 18, "measured force F", "signal"),
        # the measured displacement is the input of an adaptive compensator
        _path(
            f"M{middle + 0.8 * WIDE} {BOTTOM} V{between - 26} H{right + 0.2 * WIDE} V{TOP + TALL}",
            "wire thin",
        ),
        _text(middle + 0.8 * WIDE + 8, between + 18, "measured x", "signal"),
    ]
    places = {
        "excitation": (left, TOP, "simulated"),
        "numerical": (middle, TOP, "simulated"),
        "compensator": (right, TOP, "simulated"),
        "transfer": (right, BOTTOM, "rig"),
        "specimen": (middle, BOTTOM, "rig"),
        "sensor": (left, BOTTOM, "rig"),
    }
    parts += [_svg_box(boxes[name], *place) for name, place in places.items()]
    return _svg_frame("loop", 820, 366, parts)


def draw_upright(boxes: Mapping[str, LoopBox]) -> str:
    """Draw the six boxes in two columns."""
    left, right = UPRIGHT
    near, far, middle = left + SLIM, right, (left + SLIM + right) / 2
    tops = [TOP + 150 * i for i in range(3)]
    first, second, third = (top + TALL / 2 for top in tops)
    last = tops[2] + TALL
    down, up = left + SLIM / 2, right + SLIM / 2
    parts = [
        f'<line class="interface" x1="{middle}" y1="{TOP}" x2="{middle}" y2="{last}"/>',
        _text(left, 16, "SIMULATED (each tick)", "side"),
        _text(right + SLIM, 16, "RIG (real or simulated)", "side", "end"),
        _text(middle, last + 16, "interface", "side", "middle"),
        _wire(down, tops[0] + TALL, down, tops[1]),
        _text(down + 8, tops[1] - 18, "r", "signal"),
        _wire(down, tops[1] + TALL, down, tops[2]),
        _text(down + 8, tops[2] - 18, "demand z", "signal"),
        _wire(near, third + 20, far, third + 20),
        _text(middle, third + 10, "command zₚ", "signal", "middle"),
        _wire(up, tops[2], up, tops[1] + TALL),
        _text(up + 8, tops[2] - 27, "imposed", "signal"),
        _text(up + 8, tops[2] - 9, "displ. x", "signal"),
        _wire(up, tops[1], up, tops[0] + TALL),
        _text(up + 8, tops[1] - 18, "force", "signal"),
        _path(f"M{far} {first} H{middle + 14} V{second - 18} H{near}", "wire"),
        _text(middle, first - 10, "measured F", "signal", "middle"),
        _path(f"M{far} {second + 18} H{middle - 14} V{third - 20} H{near}", "wire thin"),
        _text(middle, second + 8, "measured x", "signal", "middle"),
    ]
    places = {
        "excitation": (left, tops[0], "simulated"),
        "numerical": (left, tops[1], "simulated"),
        "compensator": (left, tops[2], "simulated"),
        "transfer": (right, tops[2], "rig"),
        "specimen": (right, tops[1], "rig"),
        "sensor": (right, tops[0], "rig"),
    }
    parts += [_svg_box(boxes[name], *place, SLIM, SHORTER) for name, place in places.items()]
    return _svg_frame("loop narrow", right + SLIM + left, last + 24, parts)


def _svg_frame(name: str, wide: float, tall: float, parts: Sequence[str]) -> str:
    head = f"loop-head-{next(_numbers)}"  # unique id of the arrowhead on a page
    opening = [
        f'<svg class="{name}" viewBox="0 0 {wide:g} {tall:g}" role="img" aria-label="Loop of the test: excitation, '
        'numerical substructure, compensator, transfer system, specimen, sensor, numerical substructure">',
        f'<defs><marker id="{head}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path class="head" d="M0 0 10 5 0 10z"/></marker></defs>',
    ]
    return "\n".join([*opening, *parts, "</svg>"]).replace("url(#loop-head)", f"url(#{head})")


def _svg_box(box: LoopBox, x: float, y: float, side: str, wide: float = WIDE, longest: int = LONGEST) -> str:
    absent = " absent" if not box.lines and box.name in ("none", "ideal") else ""
    role = box.role if len(box.role) <= longest else box.role.split()[0]
    lines = [_text(x + 12, y + 22, role, "role"), _text(x + 12, y + 41, _short(box.name, longest), "")]
    lines += [
        _text(x + 12, y + 59 + 17 * i, _short(line, longest), "detail")
        for i, line in enumerate(box.lines[:3])
    ]
    frame = f'<rect class="box {side}{absent}" x="{x}" y="{y}" width="{wide}" height="{TALL}" rx="7"/>'
    return "\n".join([f'<g class="part" data-path="{escape(box.path)}">', frame, *lines, "</g>"])


def _box(role: str, table: Mapping[str, Any], name: str, nothing: str) -> LoopBox:
    part = table.get(name)
    if isinstance(part, str):
        return LoopBox(role, part.replace("_", " ") or nothing)
    if not isinstance(part, Mapping):
        return LoopBox(role, nothing)
    inner = part.get("parts")
    if (
        isinstance(inner, Sequence)
        and not isinstance(inner, str)
        and all(isinstance(p, Mapping) for p in inner)
    ):
        if not inner:
            return LoopBox(role, "ideal")
        if len(inner) > 1:
            return LoopBox(role, f"{len(inner)} in series", [_line(entry) for entry in inner])
        part = inner[0]
    kind, numbers = summary(part)
    return LoopBox(role, kind or nothing, numbers)


def _line(part: Mapping[str, Any]) -> str:
    kind, numbers = summary(part, count=1)
    return " ".join([kind, *numbers])


def _table(test: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = test.get(name)
    return value if isinstance(value, Mapping) else {}


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _text(x: float, y: float, text: str, style: str, anchor: str = "start") -> str:
    if not text:
        return ""
    return f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _wire(x1: float, y1: float, x2: float, y2: float) -> str:
    return _path(f"M{x1:g} {y1:g} L{x2:g} {y2:g}", "wire")


def _path(d: str, style: str) -> str:
    return f'<path class="{style}" d="{d}" marker-end="url(#loop-head)"/>'
