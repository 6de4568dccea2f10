"""What the studio holds after much use: openings, moves of sliders, runs and reports, one after another."""

from pathlib import Path

import pytest

TESTS = ("substructuring/cs1", "refuelling/drop-real-time")
ROUNDS = 6
SLIDES = 60  # of a slider in a round
ANSWERED = "before => Number(document.querySelector('#chart-response').dataset.number) > before"
SLIDE = """share => {
  const range = document.querySelector("[data-knob] input[type=range]");
  range.value = Number(range.min) + share * (Number(range.max) - Number(range.min));
  range.dispatchEvent(new Event("input", { bubbles: true }));
}"""
MOST = 1.5e9  # [bytes] that an hour of use may come to
GROWTH = 150e6  # [bytes] by which the second half may hold more: pieces of the heap that are not given back


def resident(pid):
    """Bytes that a process has in memory."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    return 1024 * next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)


def held(pid):
    """Bytes of the server, and of the server with the processes beside it."""
    below = [
        child
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]
    return resident(pid), resident(pid) + sum(resident(child) for child in below)


@pytest.mark.slow
def test_after_much_use_it_holds_less_than_a_limit_and_does_not_grow(opened, studio, until, go, capsys):
    seen = []
    for i in range(ROUNDS):
        page = opened(TESTS[i % len(TESTS)], "Feel")
        until(page, ANSWERED, 0)
        for j in range(SLIDES):
            before = int(page.locator("#chart-response").get_attribute("data-number"))
            page.evaluate(SLIDE, 0.1 + 0.8 * ((7 * j) % SLIDES) / SLIDES)
            until(page, ANSWERED, before)
        go(page, "Do")
        count = page.locator("[data-job]").count()
        page.get_by_role("button", name="Rehearse", exact=True).click()
        until(page, "count => document.querySelectorAll('[data-job]').length > count", count)
        until(page, "!['', 'runs'].includes(document.querySelector('[data-job] [data-state]').textContent)")
        page.locator("[data-job]").first.get_by_role("button", name="Report").click()
        page.frame_locator("iframe.report").locator("h1").first.wait_for()
        seen.append(held(studio.process.pid))
        page.context.close()
    with capsys.disabled():
        told = ", ".join(
            f"{server / 1e6:.0f} ({all_ / 1e6:.0f} with what is beside)" for server, all_ in seen
        )
        print(f"\nthe studio holds [MB], round by round: {told}")
    assert max(all_ for _, all_ in seen) < MOST
    assert seen[-1][0] - seen[ROUNDS // 2 - 1][0] < GROWTH
