"""What the studio holds after an hour of use: openings, values, sliders, maps, runs, reports and scenes.

The hour is compressed: as many actions as a person does in one, each as soon as the page shows the answer to the last.
"""

from pathlib import Path

import pytest

TESTS = ("substructuring/cs1", "refuelling/drop-real-time", "docking/hil-1dof")
ROUNDS = 6  # of ten minutes: a test is opened, changed, felt, mapped, run twice, reported and seen
VALUES = ("0.3 s", "0.4 s", "0.25 s", "0.2 s")  # of the duration, typed in a round
SLIDES = 120  # of a slider in a round, each answered
ANSWERED = "before => Number(document.querySelector('#chart-response').dataset.number) > before"
SLIDE = """share => {
  const range = document.querySelector("[data-slider] input[type=range]");
  range.value = Number(range.min) + share * (Number(range.max) - Number(range.min));
  range.dispatchEvent(new Event("input", { bubbles: true }));
}"""
ENDED = "name => document.querySelector(`[data-job='${name}'] [data-state]:not([data-state=runs])`)"
MOST = 1.5e9  # [bytes] that an hour of use may come to
GROWTH = 150e6  # [bytes] by which the second half may hold more: pieces of the heap that are not given back


def resident(pid):
    """Bytes that a process has for itself, and those that it shares with others."""
    rows = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]]
    sizes = {row[0]: 1024 * int(row[1]) for row in rows}
    own = sizes["Private_Clean:"] + sizes["Private_Dirty:"]
    return own, sizes["Rss:"] - own


def held(pid):
    """Bytes of the server, and of it with all processes that it has started; what they share is counted once."""
    found, todo = {}, [pid]
    while todo:
        one = todo.pop()
        try:
            found[one] = resident(one)
            todo += [
                int(child)
                for task in Path(f"/proc/{one}/task").iterdir()
                for child in (task / "children").read_text("ascii").split()
            ]
        except (OSError, KeyError):
            found.pop(one, None)  # it has ended meanwhile
    own, shared = zip(*found.values(), strict=True)
    return sum(found[pid]), sum(own) + max(shared)


def ten_minutes(page, go, until):
    """What a person does with a test that was just opened."""
    page.locator("#others button", has_text="Test").click()
    field = page.locator("input[data-value='duration']")
    for value in VALUES:
        field.fill(value)
        field.press("Enter")
        until(
            page,
            "value => document.querySelector('#difference').textContent.includes(`+duration = \"${value}\"`)",
            value,
        )
    go(page, "Explore")
    until(page, "document.querySelector('#tile-stable .result').textContent !== ''")  # of this test
    until(page, "document.querySelector('#explore-state').textContent === ''")
    for i in range(SLIDES):
        before = int(page.locator("#chart-response").get_attribute("data-number"))
        page.evaluate(SLIDE, 0.1 + 0.8 * ((7 * i) % SLIDES) / SLIDES)
        until(page, ANSWERED, before)
    page.locator("#draw-map").click()
    until(page, "!['', 'computing'].includes(document.querySelector('#map-state').textContent)")
    go(page, "Run")
    for name in ("Rehearse", "Reference"):
        count = page.locator("[data-job]").count()
        page.get_by_role("button", name=name, exact=True).click()
        until(page, "count => document.querySelectorAll('[data-job]').length > count", count)
        job = page.locator("[data-job]").first
        until(page, ENDED, job.get_attribute("data-job"))
        job.get_by_role("button", name="Report").click()
        page.frame_locator("iframe.report").locator("h1").first.wait_for()
    job.get_by_role("button", name="3-D view", exact=True).click()
    page.locator("iframe.scene").wait_for()


@pytest.mark.slow
def test_after_an_hour_of_use_it_holds_less_than_a_limit_and_does_not_grow(
    tmp_path, serve, look, choose, until, go, capsys
):
    served = serve(tmp_path)
    page = look(served)
    seen = []
    for i in range(ROUNDS):
        choose(page, TESTS[i % len(TESTS)])
        ten_minutes(page, go, until)
        seen.append(held(served.process.pid))
    with capsys.disabled():
        told = ", ".join(
            f"{server / 1e6:.0f} ({all_ / 1e6:.0f} with what it has started)" for server, all_ in seen
        )
        print(f"\nthe studio holds [MB], every ten minutes: {told}")
    assert max(all_ for _, all_ in seen) < MOST
    assert seen[-1][0] - seen[ROUNDS // 2 - 1][0] < GROWTH
