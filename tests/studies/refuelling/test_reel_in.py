"""Reel-in of an S without other forces: the published models and the rigorous one."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.studies.refuelling.reel_in import DuctReelIn, ReelIn, bare


@eqx.filter_jit
def end(flow, h=1e-3, duration=5.5):
    def step(x, k):
        return with_stage_loop(RK4()).step(flow, k * h, h, x, None, ())[0], None

    steps = jnp.arange(round(duration / h))
    return flow.output(duration, jax.lax.scan(step, flow.init(), steps)[0], None)


def forward(flow, **settings):
    return float(end(flow, **settings)["displacement"][0])


@pytest.mark.parametrize(
    ("mass_transfer", "x"),
    [
        pytest.param("published", -12.66, marks=pytest.mark.slow),
        pytest.param("consistent", -14.60, marks=pytest.mark.slow),
        ("none", -15.37),
    ],
)
def test_published_model_by_its_mass_transfer(mass_transfer, x):
    """Expected values from an independent implementation [m]."""
    assert forward(ReelIn(chain=bare(mass_transfer=mass_transfer))) == pytest.approx(x, abs=0.01)


@pytest.mark.slow
def test_drawn_into_a_duct_without_springs():
    assert forward(DuctReelIn(spring=0.0, damper=0.0)) == pytest.approx(-10.17, abs=0.01)


@pytest.mark.slow
def test_sliding_hose_agrees_with_material_links_that_a_duct_guides():
    """Two formulations without a common approximation; they differ by the length of a link."""
    sliding = ReelIn(chain=bare(mass_transfer="sliding"))
    sequential = ReelIn(chain=bare(38, reeling_order="sequential", mass_transfer="none"))
    printed = forward(ReelIn())
    x = forward(sliding)
    assert forward(sequential, h=2.5e-4) == pytest.approx(x, abs=0.25)
    assert x > printed + 3.0  # the published model lags by metres


def test_the_drum_follows_without_integral_action():
    out = end(ReelIn())
    assert abs(out["reel_error"]) < 0.2
    np.testing.assert_allclose(out["hose_position"][:, 0], 0.0)
