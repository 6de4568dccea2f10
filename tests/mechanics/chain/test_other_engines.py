"""Two judges outside our own code, and a third: the same chain in MuJoCo, Pinocchio and MoorDyn."""

import importlib.util
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.mechanics.chain import ChainLoads, ElasticChain, LinkChain

_spec = importlib.util.spec_from_file_location("other_engines", Path(__file__).with_name("other_engines.py"))
judges = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(judges)

DOWN = ChainLoads(field=jnp.array([0.0, 0.0, -judges.G]))


def tip(chain, x, h, steps):
    @jax.jit
    def run(x):
        def one(x, _):
            return RK4().step(chain, 0.0, h, x, DOWN, ())[0], None

        return jax.lax.scan(one, x, None, length=steps)[0]

    return np.asarray(chain.nodes(run(x)).tip[0])


@pytest.fixture(scope="module")
def rods():
    """Tip of twenty thin rods after a second."""
    chain = LinkChain(n=20, length=judges.LENGTH, mass=judges.MASS, distribution="rod")
    return tip(chain, chain.straight(jnp.array([1.0, 0.0, -1.0]) / jnp.sqrt(2.0)), 1e-3, 1000)


@pytest.mark.slow
def test_thin_rods_fall_as_in_mujoco(rods):
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    theirs, _ = judges.mujoco_chain(20)
    np.testing.assert_allclose(rods, theirs, atol=1e-7)  # [m] both RK4 at 1 ms


@pytest.mark.slow
def test_thin_rods_fall_as_in_pinocchio(rods):
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed: pip install pin")
    theirs, _ = judges.pinocchio_chain(20)
    np.testing.assert_allclose(rods, theirs, atol=1e-7)  # [m]


def test_thin_rods_fall_as_in_dart_to_the_order_of_its_steps(rods):
    pytest.importorskip("dartpy", reason="DART is not installed: pip install dartpy")
    coarse, fine = (judges.dart_chain(20, dt=dt)[0] for dt in (1e-3, 5e-4))
    assert np.linalg.norm(fine - rods) < 0.01  # [m], first order
    np.testing.assert_allclose(2 * fine - coarse, rods, atol=1e-3)  # [m] with the first order taken out


def test_elastic_links_fall_as_in_moordyn():
    pytest.importorskip("moordyn", reason="MoorDyn is not installed: pip install moordyn")
    theirs, _, start = judges.moordyn_chain(20, dt=1e-4, reach=0.98, ba=500.0)
    chain = ElasticChain(
        n=20, length=10.0, mass=10.0, stiffness=1e6, axial_damping=500.0, compression="elastic"
    )
    ours = tip(chain, chain.rest_state_through(jnp.array(start[1:].T)), 1e-4, 10_000)
    # [m]: a link that slackens for a moment is damped by them and not by us
    np.testing.assert_allclose(ours, theirs, atol=2e-6)
