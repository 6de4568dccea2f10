import numpy as np
from scipy.integrate._ivp import rk

from dovetail.core import DormandPrince5


def test_coefficients_agree_with_those_of_scipy():
    ours, theirs = DormandPrince5.tableau, rk.RK45
    for i, row in enumerate(ours.a):
        np.testing.assert_allclose(row, theirs.A[i, :i], rtol=1e-15)
    np.testing.assert_allclose(ours.b, theirs.B[: ours.stages], rtol=1e-15)
    np.testing.assert_allclose(ours.c, theirs.C[: ours.stages], rtol=1e-15)
    assert ours.stages == 6
