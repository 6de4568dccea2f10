"""Our own driver with the same virtual arm: by hand, and as the plant of a served rig."""

import threading

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import LinkError
from dovetail.links import RealTimeSettings
from dovetail.links.egm import EgmDriver, EgmPlant, VirtualController
from dovetail.testing import Outcome


@pytest.fixture
def pair():
    """The driver and an arm on its own clock."""
    with EgmDriver(port=0) as driver:
        arm = VirtualController(("127.0.0.1", driver.port))
        thread = arm.start()
        yield driver, arm
        arm.stop()
        thread.join(300)
        assert not thread.is_alive()


def test_it_leads_the_tool(pair):
    driver, arm = pair
    here = driver.receive(10.0)
    goal = here.position + np.array([0.01, -0.02, 0.005])
    for _ in range(1000):
        state = driver.receive(10.0)
        driver.send_pose(goal, here.orientation)
        if np.linalg.norm(state.position - goal) < 1e-7:
            break
    np.testing.assert_allclose(state.position, goal, atol=1e-7)
    assert state.is_guided
    assert state.motors_on
    assert driver.rejected == 0


def test_it_leads_the_joints(pair):
    driver, arm = pair
    goal = np.radians([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
    for _ in range(1000):
        state = driver.receive(10.0)
        driver.send_joints(goal)
        if np.abs(state.joints - goal).max() < 1e-7:
            break
    np.testing.assert_allclose(state.joints, goal, atol=1e-7)


def test_a_missing_robot_is_reported():
    with EgmDriver(port=0) as driver:
        with pytest.raises(LinkError, match="no message from a robot yet"):
            driver.send_joints(np.zeros(6))
        with pytest.raises(LinkError, match="no message from a robot at port"):
            driver.receive(0.01)
        with pytest.raises(LinkError, match="choose another"):
            EgmDriver(port=driver.port)


def guided(driver, **options):
    """An arm with a force sensor in its own thread."""
    arm = VirtualController(("127.0.0.1", driver.port), tau=0.01, **options)
    arm.force = lambda axes: np.array([0, 0, -400.0 * (axes.position[2] - 1.2), 0, 0, 0])
    return arm


NOT_GUIDED = {"accepts_guidance": False}, "the arm does not follow"
MOTORS_OFF = {"motors": 2}, "the motors of the arm are off"


@pytest.mark.parametrize(("change", "text"), [NOT_GUIDED, MOTORS_OFF, ({"force": None}, "sends no force")])
def test_an_arm_that_does_not_follow_or_feels_nothing_is_rejected(change, text):
    with EgmDriver(port=0) as driver:
        arm = guided(driver)
        for name, value in change.items():
            setattr(arm, name, value)
        thread = arm.start()
        with pytest.raises(LinkError, match=text):
            EgmPlant(driver, timeout=1.0)
        arm.stop()
        thread.join(300)


@pytest.mark.parametrize(("change", "text"), [NOT_GUIDED, MOTORS_OFF, ({"force": None}, "sends no force")])
def test_an_arm_that_stops_following_during_a_session_fails_the_plant(change, text):
    """Step by step: the arm in the rhythm of the plant, so that time plays no part."""
    with EgmDriver(port=0) as driver:
        arm = guided(driver)
        arm.cycle()
        receive = driver.receive
        driver.receive = lambda timeout: (arm.cycle(), receive(timeout))[1]
        plant = EgmPlant(driver, timeout=10.0)
        for _ in range(50):
            reading = plant.step(np.array([0.005]))
        assert reading[0] > 0.004
        before = {name: getattr(arm, name) for name in change}
        for name, value in change.items():
            setattr(arm, name, value)
        with pytest.raises(LinkError, match=text):
            plant.step(np.array([0.005]))
        for name, value in before.items():
            setattr(arm, name, value)
        plant.reset()
        arm.close()


def test_a_hybrid_test_runs_with_the_arm_as_its_rig(served):
    """At the controller's 250 Hz; the tool presses a spring that its force sensor feels."""
    stiffness = 400.0  # [N/m]
    test = dv.Test(
        numerical=dv.mechanics.Oscillator(m=20.0, c=200.0, k=2000.0),
        rig=dv.Rig(actuator=dv.transfer.Delay(0.02), specimen=dv.specimens.Spring(k=stiffness)),
        excitation=dv.Sine(amplitude=0.01, frequency=1.0),
        rate=250.0,
        duration=1.0,
        limits=dv.Limits(link_timeout=4000, approach_time=0.1, return_time=0.1),
    )
    with EgmDriver(port=0) as driver:
        arm = VirtualController(("127.0.0.1", driver.port), tau=0.01)
        arm.force = lambda axes: np.array([0, 0, -stiffness * (axes.position[2] - 1.2), 0, 0, 0])
        thread = arm.start()
        try:
            server = served(test, EgmPlant(driver, timeout=10.0))
            quiet = RealTimeSettings(priority=0, lock=False, wait=10.0)
            run = test.run_realtime(str(server.address), real_time=quiet)
        finally:
            while server.session is not None:
                threading.Event().wait(0.01)
            arm.stop()
            thread.join(300)
    assert run.outcome is Outcome.FINISHED
    x, f = run.data.measured_displacement.values, run.data.measured_force.values
    assert np.abs(x).max() > 0.004
    np.testing.assert_allclose(f, -stiffness * x, atol=1e-9)
    assert np.abs(run.data.displacement - run.data.measured_displacement).max() < 0.003  # some 20 ms late
