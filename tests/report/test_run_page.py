import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.cli.report import BROWSERS, print_pdf
from dovetail.core.errors import ParameterError
from dovetail.core.recording import Recording
from dovetail.report import RunView, rehearsal_page, rehearsals_page, write, write_run
from dovetail.report.html import render, write_page
from dovetail.report.page_subject import Reported
from dovetail.report.verdict import Margins
from dovetail.studies.registry import find_test
from dovetail.testing import dump
from dovetail.testing.outcome import Outcome


def text_of(html):
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.parts = []

        def handle_data(self, data):
            self.parts.append(data)

    reader = Reader()
    reader.feed(html)
    return " ".join(" ".join(reader.parts).split())


@pytest.fixture(name="page", scope="module")
def _page(late, reference):
    margins = Margins(
        critical_delay=6.77e-3, rig_delay=3e-3, loop_delay=3e-3, margin=3.77e-3, critical_frequency=7.116
    )
    return rehearsal_page(late, reference, margins)


@pytest.fixture(name="html", scope="module")
def _html(page):
    return render(page)


def test_one_run_has_every_section(page, html):
    assert [section.title for section in page.blocks] == [
        "Test",
        "Outcome",
        "Stability",
        "Error introduced by the rig",
        "Figures",
        "Parameters",
        "Provenance",
    ]
    text = text_of(html)
    assert "Stable Delay margin 3.77 ms of the critical delay of 6.77 ms (rig delay 3 ms)." in text
    assert "Finished: the run reached its end time." in text


@pytest.mark.slow
def test_three_delays_on_one_page(late, unstable, reference, make, tmp_path):
    near = make.run(6e-3)
    views = [
        RunView(late, reference, make.stability(3e-3), "comfortable"),
        RunView(near, reference, make.stability(6e-3), "near critical"),
        RunView(unstable, reference, make.stability(9e-3), "beyond"),
    ]
    path = write(tmp_path / "report.html", "CS1 at three delays", views)
    text = text_of(path.read_text("utf-8"))
    assert "“comfortable”: stable; “near critical”: small margin; “beyond”: unstable" in text
    assert "rig.actuator.delay 3 ms 6 ms 9 ms" in text  # what differs between them
    assert path.stat().st_size < 2_000_000


def test_a_comparison_starts_with_the_largest_difference(late, reference, make):
    free = Reported(reference.data, mode="reference", outcome=reference.outcome, given=reference.given)
    views = [
        RunView(late, reference, make.stability(3e-3), "late"),
        RunView(free, None, make.stability(3e-3), "free"),
    ]
    page = rehearsals_page("CS1", views)
    z, other = (
        late.data.displacement.values,
        reference.data.displacement.values,
    )
    away = np.abs(other - z).max()
    away = f"{1e6 * away:.3g} µm ({100 * away / np.abs(z).max():.3g} % of the peak there)."
    assert page.verdict.sentence.startswith("2 runs: “late”: stable; “free”: reference solution.")
    assert f"Displacement: largest difference to late {away}" in page.verdict.sentence
    assert page.subtitle == "Virtual hybrid test (simulated rig); reference solution"


def test_tests_of_other_interfaces_are_not_laid_over_each_other(late, two_axes, make):
    """What they share is no motion of theirs, and the critical delay of one is not that of the other."""
    views = [
        RunView(late, None, make.stability(3e-3), "one"),
        RunView(two_axes, None, make.stability(3e-3, critical_delay=1e-3), "two"),
    ]
    page = rehearsals_page("two tests", views)
    over = next(section for section in page.blocks if section.title == "Overlay")
    assert "No common signals" in over.blocks[0].text
    assert "critical delay" not in page.verdict.sentence


def test_markup_in_a_test_file_appears_as_typed(late, reference):
    nasty = "<script>alert(1)</script>"
    table = {**late.given, "title": nasty, "numerical": {"kind": nasty, nasty: 1.0}, "source": nasty}
    outcome = SimpleNamespace(value=nasty, completed=True)
    run = Reported(late.data, nasty, nasty, outcome, nasty, given=table)
    html = render(rehearsals_page(nasty, [RunView(run, reference, Margins(remarks=(nasty,)), nasty)] * 2))
    assert "<script" not in html
    assert text_of(html).count("<script>alert(1)</script>") > 8


def test_the_page_loads_nothing_from_the_network(html):
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#|data:image/)""", html)
    assert not re.search(r"url\((?!#)", html)
    assert "<script" not in html


def test_a_run_without_reference_and_stability_has_a_page(late):
    text = text_of(render(rehearsal_page(late)))
    assert "Stability was not analysed." in text
    assert "No reference solution for this test" in text


def test_two_axes_have_a_page(two_axes):
    assert "axis 2" in text_of(render(rehearsal_page(two_axes, two_axes)))


def test_a_run_of_a_few_samples_has_a_page(late, reference):
    for count in (1, 2, 5):
        run = replace(late, recording=Recording.from_dataset(late.data.isel(time=slice(0, count))))
        assert (
            "No comparison with the reference" in text_of(render(rehearsal_page(run, reference)))
            or count == 5
        )


LETTERS = """[...document.querySelectorAll('svg.plot text')].filter(t => t.getClientRects().length).map(t => {
    const m = t.getScreenCTM();  // a box would not do: a letter that is turned is as high as it is wide
    return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.a, m.b);
})"""


@pytest.mark.slow
def test_six_axes_are_printed_on_eight_pages_without_clipping(late, make, tmp_path):
    """Every axis moves, and the test has as many parameters as a docking in space."""
    if not any(map(shutil.which, BROWSERS)):
        pytest.skip("no browser to print with")
    data, axes = late.data, ["x", "y", "z", "roll", "pitch", "yaw"]
    scales = np.array([1.0, 0.3, 0.7, 0.2, 0.5, 0.4])
    six = make.recording(
        data.time.values, **{n: y.values[:, None] * scales for n, y in data.data_vars.items()}
    )
    table = dump(dv.load(find_test("docking/six-dof")))
    six = six.assign_coords(axis=axes)
    run = replace(late, recording=Recording.from_dataset(six), given=table)
    page = write_page(rehearsal_page(run, Reported(six), make.stability(3e-3)), tmp_path / "report.html")
    assert print_pdf(page).read_bytes().count(b"/Type /Page\n") <= 8
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS))), args=["--no-sandbox"]
        )
        for width in (1400, 1000, 420):
            window = browser.new_page(viewport={"width": width, "height": 900})
            window.goto(page.as_uri())
            assert window.evaluate("document.documentElement.scrollWidth") <= width
            tiles = window.evaluate(
                "[...document.querySelectorAll('.tile')].map(t => t.getBoundingClientRect().bottom)"
            )
            assert len(tiles) == 3
            letters = window.evaluate(LETTERS)
            assert letters
            assert min(letters) >= 11
            if width > 420:
                still = window.evaluate("document.querySelector('.still img').getBoundingClientRect().bottom")
                assert max(*tiles, still) <= 900
        window.emulate_media(media="print")
        window.set_viewport_size({"width": 680, "height": 960})  # what A4 leaves between its margins
        assert window.evaluate(
            "[...document.querySelectorAll('table, svg')].every(e => e.clientWidth <= 681)"
        )
        browser.close()


def test_a_page_needs_a_run():
    with pytest.raises(ParameterError, match="no runs given"):
        rehearsals_page("nothing", [])


@pytest.mark.slow
def test_a_long_run_gives_a_small_page(make):
    t = np.arange(600_000) / 1e4  # 60 s at 10 kHz
    rng = np.random.default_rng(0)
    noise = lambda: 1e-4 * rng.standard_normal(len(t))  # noqa: E731
    z, x = 0.01 * np.sin(6 * np.pi * t) + noise(), 0.01 * np.sin(6 * np.pi * (t - 3e-3)) + noise()
    traces = {"displacement": z, "measured_displacement": x, "feedback_force": -2250.0 * x}
    data = make.recording(t, **traces)
    data = data.assign({f"extra_{i}": ("time", noise()) for i in range(17)})  # 20 signals in all
    reference = xr.Dataset(
        {"displacement": ("time", z), "feedback_force": ("time", -2250.0 * z)}, coords={"time": t}
    )
    run = Reported(data, outcome=Outcome.FINISHED)
    html = render(rehearsal_page(run, reference, make.stability(3e-3)))
    assert len(html.encode()) < 5_000_000  # [bytes] asked for; about 0.4 MB


def test_a_real_run_writes_its_report(tmp_path):
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        rate=1000.0,
        duration=2.0,
        title="CS1",
    )
    text = text_of(write_run(test.rehearse(), tmp_path / "report.html").read_text("utf-8"))
    assert (
        "margin 3.27 ms of the critical delay of 6.77 ms" in text
    )  # with the half tick of holding the force
    assert "numerical.m 2.2 kg mass" in text
    assert "critical delay 6.77 ms" in text  # on the curve that the page drew by itself
