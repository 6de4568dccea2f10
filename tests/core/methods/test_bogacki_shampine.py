import numpy as np
from scipy.integrate._ivp import rk

from dovetail.core.methods import BogackiShampine


def test_coefficients_agree_with_those_of_scipy():
    ours, theirs = BogackiShampine.tableau, rk.RK23
    for i, row in enumerate(ours.a):
        np.testing.assert_allclose(row, theirs.A[i, :i], rtol=1e-15)
    np.testing.assert_allclose(ours.b, theirs.B[: ours.stages], rtol=1e-15)
    np.testing.assert_allclose(ours.c, theirs.C[: ours.stages], rtol=1e-15)
    # ours is the third order less the second, theirs the other way round
    np.testing.assert_allclose(np.abs(BogackiShampine.tableau.error), np.abs(theirs.E), rtol=1e-14)
    assert ours.stages == 3
