"""A quantity has one number: command line, report, comparison, studio, notebook and 3-D view are compared by name."""

import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

from dovetail import fidelity
from dovetail.app import Explorer
from dovetail.app.loading import parse_settings
from dovetail.cli.report import compare
from dovetail.cli.run import run_test
from dovetail.core.quantities import QUANTITIES
from dovetail.report import notebook, run_page, sections
from dovetail.scene import build_scene
from dovetail.studies.registry import find_test
from dovetail.testing import run_folder
from dovetail.testing.test_file import read_table

NAMES = sorted((quantity.name for quantity in QUANTITIES.values()), key=len, reverse=True)
WRITTEN = {
    "growth rate of the sampled loop": r"sampled loop (?:un)?stable: growth rate"
}  # on the command line
UNIT = r"%|1/s|Hz|N s|[nµmkM]?(?:m/s|m|N|J|s)"
VALUE = rf"(not determined|unlimited|late|early|in phase|(?:< )?[-+]?\d+(?:\.\d+)?(?: (?:{UNIT}))?)"
TEXT = re.compile(
    "|".join(
        rf"(?<![\w-])(?P<_{i}>{re.escape(name)}{'|' + WRITTEN[name] if name in WRITTEN else ''})"
        for i, name in enumerate(NAMES)
    ),
    re.IGNORECASE,
)


def in_text(text):
    """Quantities in running text: a name, then its value."""
    numbers = {}
    for match in TEXT.finditer(text):
        values = re.match(rf"(?: of)?:? +{VALUE}(?!\w)((?: {{2,}}{VALUE})*)", text[match.end() :])
        if values:
            name = NAMES[int(match.lastgroup[1:])]
            each = [values[1], *re.split(r" {2,}", values[2].strip())] if values[2] else [values[1]]
            numbers.setdefault(name, set()).update(value.removeprefix("+") for value in each)
    return numbers


def on_command_line(text):
    """Quantities in the output of a command: running text, and the table of contacts."""
    numbers, head = in_text(text), []
    for line in text.splitlines():
        cells = re.split(r" {2,}", line.strip())
        if cells[0] == "contacts":
            head = cells
        elif head and len(cells) == len(head):
            for name, value in zip(head, cells, strict=True):
                if name in NAMES:
                    numbers.setdefault(name, set()).add(value)
    return numbers


class Tables(HTMLParser):
    """Tables of a page, and the text outside of them."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.texts, self.skipped, self.cell = [], [], 0, None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.skipped += tag in ("style", "script", "pre", "svg")
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        self.skipped -= tag in ("style", "script", "pre", "svg")
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None
        elif tag in ("p", "h2", "figcaption"):
            self.texts.append("; ")

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        elif not self.skipped:
            self.texts.append(data)


def in_page(html):
    """Quantities in a page: first cells and heads of tables, tiles and paragraphs."""
    page = Tables(html)
    numbers = in_text("".join(page.texts).replace("\N{NO-BREAK SPACE}", " "))
    for head, *rows in filter(None, page.tables):
        for row in [head, *rows]:
            if row[0] in NAMES:
                values = row[1:2] if "definition" in head else row[1:]
                numbers.setdefault(row[0], set()).update(values)
        for i, name in enumerate(head):
            if i and name in NAMES:
                numbers.setdefault(name, set()).update(row[i] for row in rows)
    return numbers


def places(name, settings, folder, capsys, monkeypatch):
    """Quantities by name of each place that shows a run."""
    monkeypatch.setattr(sections, "pictures", lambda view: [])
    monkeypatch.setattr(run_page, "key_frame", lambda run: None)
    run_test(name, None, settings, folder / "run", None, report=True, live=False)
    found = {"command line": on_command_line(capsys.readouterr().out)}
    found["report"] = in_page((folder / "run/report.html").read_text("utf-8"))
    shutil.copytree(folder / "run", folder / "copy")
    compare([folder / "run", folder / "copy"], folder / "comparison.html", pdf=False)
    capsys.readouterr()
    found["comparison"] = in_page((folder / "comparison.html").read_text("utf-8"))
    run = run_folder.read_run(folder / "run")
    if run.test.rig is not None:
        reference = run_folder.read_run(folder / "run/reference")
        found["notebook"] = in_page(notebook.comparison_html(fidelity.compare(run, reference)))
        result = Explorer(read_table(find_test(name), parse_settings(settings)), []).compute({})
        assert not result.fault
        found["studio"] = {key: {text} for key, text in result.texts().items()}
    scene = build_scene(run)
    sizes = [[np.linalg.norm(arrow.vector(k)) for k in range(len(scene.times))] for arrow in scene.arrows]
    if len(sizes) == 1 and "measured_force" in run.recording:
        label = scene.arrows[0].label_text(int(np.argmax(sizes[0]))).partition(": ")[2].partition(",")[0]
        found["view"] = {QUANTITIES["measured_force"].name: {label}}
    return found


def assert_one_number(found):
    """Every place shows values that the command line or, if that is silent, the report shows."""
    compared = 0
    for name in NAMES:
        shown = {place: values[name] for place, values in found.items() if name in values}
        if len(shown) > 1:
            first, *others = shown
            compared += 1
            for place in others:
                assert shown[place] <= shown[first], f"{name}: {place} {shown[place]}, {first} {shown[first]}"
    return compared


RANDOM = {  # test: settings with numbers drawn between two limits
    "substructuring/cs1": [
        "rig.actuator.delay={0:.4f} ms",
        (0.5, 10.0),
        "duration=3 s",
        "numerical.c={1:.2f}",
        (8.0, 20.0),
    ],
    "substructuring/cs1-afp": ["excitation.frequency={0:.2f}", (2.0, 5.0), "duration=3 s"],
    "substructuring/cs2": ["excitation.frequency={0:.2f}", (1.0, 3.0), "duration=3 s"],
    "docking/hil-1dof": ["rig.actuator.delay={0:.3f} ms", (0.2, 1.0), "rate=100 kHz"],
    "docking/impact-1dof": ["numerical.speed={0:.4f}", (0.05, 0.12), "rate=50 kHz", "duration=0.25"],
    "refuelling/drop": ["numerical.mass={0:.3f}", (3.0, 9.0)],
    "docking/six-dof": ["rig.actuator.delay={0:.3f} ms", (0.1, 1.0), "duration=1.6 s"],
    "substructuring/lag-damper": ["duration=2 s", "rig.actuator.parts[1].delay={0:.3f} ms", (0.3, 0.9)],
    "capture/support-pulse": ["duration={0:.1f} s", (1.0, 3.0)],
    "shipboard/case-1": ["duration={0:.1f} s", (0.5, 1.0)],
}


def drawn_settings(words, seed):
    random = np.random.default_rng(seed)
    limits = [random.uniform(*each) for each in words if isinstance(each, tuple)]
    return [word.format(*limits) for word in words if isinstance(word, str)]


@pytest.mark.parametrize(
    ("name", "settings", "least"),
    [
        ("substructuring/cs1", ["duration=1.5 s", "rig.actuator.delay=5 ms", "record_every=3"], 12),
        ("substructuring/cs1-late", ["duration=1.5 s"], 12),
    ],
)
def test_every_place_shows_one_number(name, settings, least, tmp_path, capsys, monkeypatch):
    found = places(name, settings, tmp_path, capsys, monkeypatch)
    assert assert_one_number(found) >= least
    assert all(found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_random_test_has_one_number_everywhere(seed, tmp_path, capsys, monkeypatch):
    name = list(RANDOM)[seed % len(RANDOM)]
    found = places(name, drawn_settings(RANDOM[name], seed), tmp_path, capsys, monkeypatch)
    assert assert_one_number(found) >= 2


def test_two_numbers_for_one_name_are_found():
    found = {
        "command line": in_text("  response error   5.21 %\n  tracking error   < 0.001 %"),
        "report": in_page("<p>Response error 5.2 % rms, tracking error &lt; 0.001 %.</p>"),
    }
    assert found["report"] == {"response error": {"5.2 %"}, "tracking error": {"< 0.001 %"}}
    with pytest.raises(AssertionError, match="response error"):
        assert_one_number(found)
