"""Delay equations of known behaviour, shared by the tests of this folder."""

import numpy as np

from dovetail.stability import DelayEquation

K = 2250.0  # N/m, numerical and physical spring of the single-mass study
M = 2.2  # kg


def one_mass(tau, c=15.0, m=M, k=K, k_s=K):
    """Numerical mass on a delayed spring."""
    return DelayEquation([[0, 1], [-k / m, -c / m]], [([[0, 0], [-k_s / m, 0]], tau)])


def three_mass(tau1, tau2, k=4750.0, c=6.0, m=2.2):
    """Two numerical masses joined by a physical middle mass, each actuator with its own delay.

    States z1, z1', z2, z2', x3, x3'. The measured forces are immediate functions of x1, x2 (late by their
    actuators) and of x3, which obeys its own equation on the rig.
    """
    A0 = np.zeros((6, 6))
    A0[0, 1] = A0[2, 3] = A0[4, 5] = 1.0
    A0[1, :2] = A0[3, 2:4] = -k / m, -c / m
    A0[1, 4:] = A0[3, 4:] = k / m, c / m  # force from the middle mass
    A0[5, 4:] = -2 * k / m, -2 * c / m
    A1, A2 = np.zeros((6, 6)), np.zeros((6, 6))
    A1[1, :2] = A2[3, 2:4] = -k / m, -c / m  # the other end of spring and damper
    A1[5, :2] = A2[5, 2:4] = k / m, c / m
    return DelayEquation(A0, [(A1, tau1), (A2, tau2)])
