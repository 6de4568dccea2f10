"""Rules of the energy ledger."""

import numpy as np

from dovetail.mechanics.chain.energy_terms import energy_residual


def test_rules_have_their_order():
    def worst(h, rule):
        t = np.arange(0.0, 1.0 + h / 2, h)
        return np.abs(energy_residual(np.exp(t), np.exp(t), h, rule)).max()

    for rule, order in (("rectangle", 1), ("trapezoid", 2)):
        ratio = worst(1e-2, rule) / worst(1e-3, rule)
        np.testing.assert_allclose(np.log10(ratio), order, atol=0.01)
