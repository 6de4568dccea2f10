import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.mechanics.contact import Flores, FreePair
from dovetail.specimens import CompliantImpactPair, ImpactPair

LAW = Flores(stiffness=1.0229e9, restitution=0.8)


def run(specimen):
    test = dv.Test(
        numerical=FreePair(m1=50.0, m2=50.0, speed=0.05),
        rig=dv.Rig(actuator=dv.transfer.Series(()), specimen=specimen),
        rate=300e3,
        duration=0.02,
    )
    return test.reference().data


@pytest.fixture(scope="module")
def yielding():
    return run(CompliantImpactPair(LAW, gap=0.2e-3, support_stiffness=20e6))


def test_a_stiff_support_equals_a_rigid_one():
    rigid = run(ImpactPair(LAW, gap=0.2e-3))
    stiff = run(CompliantImpactPair(LAW, gap=0.2e-3, support_stiffness=20e12))
    np.testing.assert_allclose(
        stiff.feedback_force, rigid.feedback_force, atol=1e-3 * float(-rigid.feedback_force.min())
    )


def test_an_uncontrolled_stack_makes_the_contact_softer_and_longer(yielding):
    rigid = run(ImpactPair(LAW, gap=0.2e-3))
    passive = run(CompliantImpactPair(LAW, gap=0.2e-3, support_stiffness=20e6, crossover_omega=0.0))
    assert float(-passive.feedback_force.min()) < float(-rigid.feedback_force.min())
    assert (passive.penetration > 0).sum() > (rigid.penetration > 0).sum()
    # a loop that takes the deflection back does work: the same stack rebounds faster under control
    assert float(yielding.velocity[-1]) < float(passive.velocity[-1])


def test_the_deflection_is_corrected(yielding):
    assert float(yielding.support_deflection.max()) > 10e-6
    assert abs(float(yielding.support_deflection[-1])) < float(yielding.support_deflection.max()) / 2


def test_a_steady_force_ends_without_deflection():
    pair = CompliantImpactPair(LAW, gap=0.0)
    x = pair.init() | {"deflection": jnp.array(1e-5), "taken_back": jnp.array(1e-5)}
    shown = pair.output(0.0, x, {"displacement": 1e-4, "velocity": 0.0, "acceleration": 0.0})
    assert float(shown["penetration"]) == pytest.approx(1e-4)
