import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.mechanics.contact import Flores, FreePair
from dovetail.specimens import ImpactPair, YieldingPair

LAW = Flores(stiffness=1.0229e9, restitution=0.8)


def run(specimen):
    test = dv.Test(
        numerical=FreePair(m1=50.0, m2=50.0, speed=0.05),
        rig=dv.Rig(actuator=dv.transfer.Series(()), specimen=specimen),
        rate=300e3,
        duration=0.02,
    )
    return test.emulate().data


@pytest.fixture(scope="module")
def yielding():
    return run(YieldingPair(LAW, gap=0.2e-3, support=20e6))


def test_a_stiff_support_is_no_support():
    rigid = run(ImpactPair(LAW, gap=0.2e-3))
    stiff = run(YieldingPair(LAW, gap=0.2e-3, support=20e12))
    np.testing.assert_allclose(stiff.force, rigid.force, atol=1e-3 * float(-rigid.force.min()))


def test_a_stack_left_to_itself_makes_the_contact_softer_and_longer(yielding):
    rigid = run(ImpactPair(LAW, gap=0.2e-3))
    passive = run(YieldingPair(LAW, gap=0.2e-3, support=20e6, crossover_omega=0.0))
    assert float(-passive.force.min()) < float(-rigid.force.min())
    assert (passive.depth > 0).sum() > (rigid.depth > 0).sum()
    # a loop that takes the deflection back does work: the same stack rebounds faster under control
    assert float(yielding.velocity[-1]) < float(passive.velocity[-1])


def test_the_deflection_is_taken_back(yielding):
    assert float(yielding.support_deflection.max()) > 10e-6
    assert abs(float(yielding.support_deflection[-1])) < float(yielding.support_deflection.max()) / 2


def test_a_steady_force_ends_without_deflection():
    pair = YieldingPair(LAW, gap=0.0)
    x = pair.init() | {"deflection": jnp.array(1e-5), "taken_back": jnp.array(1e-5)}
    shown = pair.output(0.0, x, {"displacement": 1e-4, "velocity": 0.0, "acceleration": 0.0})
    assert float(shown["depth"]) == pytest.approx(1e-4)
