"""The rope in another program's loop."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import TipForce, TowedRope
from dovetail.air.saved_state import RopeStepper
from dovetail.core.errors import ParameterError, TestFileError
from dovetail.mechanics.chain import LinkChain, RodChain
from dovetail.testing import Test

CHAIN = LinkChain(n=3, length=30.0, mass=9.0, tip_mass=5.0)
BARE = TowedRope(chain=CHAIN, device=TipForce(mass=5.0), airflow="off", initial_angles=(0.8, 0.1))
PULL = [-200.0, -50.0, 0.0]


@pytest.fixture(scope="module")
def stepped():
    rope = RopeStepper(BARE, step=0.02, substeps=2)
    tips, saved = [], b""
    for k in range(50):
        if k == 30:
            saved = rope.save()
        tips.append(rope.step(force=PULL)["displacement"])
    return rope, np.array(tips), saved


def test_a_host_that_provides_the_force_obtains_the_motion_of_the_simulation(stepped):
    system = TowedRope(
        chain=CHAIN, device=TipForce(mass=5.0, pull=PULL), airflow="off", initial_angles=(0.8, 0.1)
    )
    run = Test(system, axes=("x", "y", "z"), rate=50.0, substeps=2, duration=1.0).simulate()
    np.testing.assert_allclose(stepped[1], run.data["displacement"].values[1:], atol=1e-11)


def test_a_step_can_be_undone_by_another_instance(stepped):
    _, tips, saved = stepped
    other = RopeStepper(BARE, step=0.02, substeps=2)
    other.restore(saved)
    assert other.time == pytest.approx(0.6)
    again = np.array([other.step(force=PULL)["displacement"] for _ in range(20)])
    np.testing.assert_array_equal(again, tips[30:])


def test_an_accelerated_support_is_a_field(stepped):
    rope = RopeStepper(BARE, step=0.02, substeps=2)
    falling = rope.step(acceleration=[0.0, 0.0, -9.81])  # with the support in free fall nothing pulls
    np.testing.assert_allclose(falling["tension"], 0.0, atol=1e-9)


def test_a_state_of_another_system_is_rejected(stepped):
    other = RopeStepper(TowedRope(chain=LinkChain(n=2, length=1.0, mass=1.0), airflow="off"), step=0.01)
    with pytest.raises(ParameterError, match="got a state with arrays"):
        other.restore(stepped[2])
    stiff = RodChain(n=9, length=9.0, mass=1.0, stiffness=9000.0, joint_damping=jnp.asarray(50.0))
    with pytest.raises(TestFileError, match="is unstable"):
        RopeStepper(TowedRope(chain=stiff, airflow="off"), step=0.01)
