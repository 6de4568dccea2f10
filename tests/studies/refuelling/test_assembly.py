"""The study's hose in code is the one of its test files, and shrinks as the published tests did."""

import equinox as eqx
import jax
import numpy as np
import pytest

from dovetail import testing
from dovetail.studies.refuelling.assembly import drogue_hose
from dovetail.studies.registry import find_test


@pytest.mark.slow
def test_the_hose_of_the_published_tests_shrinks_so_and_does_not_exchange_momentum():
    """What flies in the scaled and the full-scale test: links in turn, no force by mass that is handed on."""
    ours = drogue_hose()
    for name in ("scaled", "full-scale"):
        flown = testing.load(find_test(f"refuelling/{name}")).numerical
        assert (flown.chain.reeling_order, flown.chain.mass_transfer) == ("sequential", "none"), name
        for part in ("chain", "drag", "drogue", "airspeed", "density"):
            told, own = (jax.tree.leaves(eqx.filter(getattr(f, part), eqx.is_array)) for f in (flown, ours))
            for a, b in zip(told, own, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-11)
    l = [ours.chain.lengths((27.0 - s, -0.5, 0.0))[0] for s in (0.0, 0.4)]
    np.testing.assert_allclose(l[0] - l[1], [0.4] + [0.0] * 18, atol=1e-12)
