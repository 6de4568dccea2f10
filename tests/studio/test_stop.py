"""Stop in two windows, timed where the machine is: a rig and a cell that note when they are told to stop."""

import threading
import time

import numpy as np
import pytest
from tests.links.conftest import Bench, Served

from dovetail.links.address import Address
from dovetail.links.serve import RigServer
from dovetail.testing import Outcome

LIMIT = 0.5  # [s] from the click to the reaction of the machine
RATE = 100.0
TEST = f"""title = "Stopped"
rate = {RATE}
duration = "600 s"
numerical = {{ kind = "oscillator", m = "2.2 kg", c = "60 N s/m", k = "2250 N/m" }}
excitation = {{ kind = "step", amplitude = "10 mm" }}
limits = {{ link_timeout = 400, approach_time = "0.1 s", return_time = "1 s" }}
[rig]
actuator = {{ kind = "delay", delay = "10 ms" }}
specimen = {{ kind = "spring", k = "100 N/m" }}
[pseudodynamic]
move_time = "1 s"
settling_time = "1 s"
"""
PHASE = "phase => document.querySelector('[data-rig] [data-phase]')?.textContent === phase"
IDLE = "!document.querySelector('[data-rig]')"


class Spring:
    """A spring that notes when it gets which command."""

    axes, signals = 1, (("measured_displacement", 1), ("measured_force", 1))

    def __init__(self):
        self.commands = []

    def reset(self):
        self.commands.clear()
        return np.zeros(2)

    def step(self, command):
        self.commands.append((time.monotonic(), float(command[0])))
        return np.array([command[0], -100.0 * command[0]])

    def is_steady(self):
        last = [value for _, value in self.commands[-50:]]
        return len(last) == 50 and abs(last[-1]) > 1e-3 and np.ptp(last) < 1e-9

    def first_change(self, after):
        """When the command began to leave its constant value, the path to rest."""
        held = next(value for at, value in reversed(self.commands) if at <= after)
        return next(at for at, value in self.commands if at > after and abs(value - held) > 1e-6)


@pytest.fixture
def windows(tmp_path, serve, look):
    """The window with control, and one that looks on."""
    (tmp_path / "stopped.toml").write_text(TEST, "utf-8")
    studio = serve(tmp_path, "stopped.toml")
    return look(studio, "Run"), look(studio, "Model")


def stop_in(window):
    """Click Stop in the bar of a window; when."""
    button = window.locator("[data-rig]").get_by_role("button", name="Stop", exact=True)
    button.wait_for()
    at = time.monotonic()
    button.click()
    return at


@pytest.mark.slow
def test_a_rig_begins_to_return_within_half_a_second_also_when_held_and_for_who_looks_on(
    windows, until, arm_and_start
):
    page, viewer = windows
    spring = Spring()
    rig = RigServer(spring, Address("127.0.0.1", 0), RATE, native=False, max_link_timeout=60.0)
    thread = threading.Thread(target=rig.serve, daemon=True)
    thread.start()
    seconds = []
    for window, held in ((viewer, False), (viewer, True), (page, False)):
        arm_and_start(page, "rig", str(rig.address))
        until(viewer, PHASE, "RUNNING")
        while not spring.is_steady():
            time.sleep(0.1)
        if held:
            page.locator("[data-job]").first.get_by_role("button", name="Hold", exact=True).click()
            until(viewer, PHASE, "HELD")
        at = stop_in(window)
        until(page, IDLE)
        seconds.append(spring.first_change(at) - at)
        assert abs(spring.commands[-1][1]) < 1e-6  # at rest
        state = page.locator("[data-job] [data-state]").first
        assert state.inner_text() == Outcome.INTERRUPTED.value
    rig.stop()
    thread.join(300)
    assert min(seconds) < LIMIT, seconds  # on a machine that others use, one of three


class Noted(Bench):
    """A cell whose moves end only by a halt; it notes when."""

    def __init__(self):
        super().__init__(seconds=3600.0)
        self.halt_times = []

    def halt(self):
        self.halt_times.append(time.monotonic())
        super().halt()


@pytest.mark.slow
def test_a_cell_is_halted_in_its_move_within_half_a_second(windows, until, arm_and_start):
    page, viewer = windows
    seconds = []
    for window in (viewer, page):
        cell = Noted()
        served = Served(cell)
        arm_and_start(page, "cell", served.url)
        until(viewer, PHASE, "RUNNING")
        assert cell.moving.wait(300)
        at = stop_in(window)
        until(page, IDLE)
        seconds.append(cell.halt_times[0] - at)
        assert cell.made == []
        state = page.locator("[data-job] [data-state]").first
        assert state.inner_text() == Outcome.INTERRUPTED.value
        served.server.stop()
    assert min(seconds) < LIMIT, seconds
