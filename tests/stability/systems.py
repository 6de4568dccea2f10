"""Delay equations of known behaviour, shared by the tests of this folder."""

import numpy as np

from dovetail.stability import DelayEquation, StateSpace

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


def two_numerical_masses(k=4750.0, c=6.0, m=2.2):
    """The simulated part of the three-mass study: forces in, displacements out."""
    A, B, C = np.zeros((4, 4)), np.zeros((4, 2)), np.zeros((2, 4))
    A[0, 1] = A[2, 3] = 1.0
    A[1, :2] = A[3, 2:] = -k / m, -c / m
    B[1, 0] = B[3, 1] = 1 / m
    C[0, 0] = C[1, 2] = 1.0
    return StateSpace(A, B, C, np.zeros((2, 2)))


def middle_mass(k=4750.0, c=6.0, m=2.2):
    """The specimen of the three-mass study: imposed motion in, forces on the numerical masses out."""
    A, B = [[0.0, 1.0], [-2 * k / m, -2 * c / m]], np.zeros((2, 6))
    B[1, :4] = k / m, k / m, c / m, c / m
    D = np.zeros((2, 6))
    D[0, 0] = D[1, 1] = -k
    D[0, 2] = D[1, 3] = -c
    return StateSpace(A, B, [[k, c], [k, c]], D)


def one_numerical_mass(c=15.0, m=M, k=K):
    """Force in, displacement out."""
    return StateSpace([[0, 1], [-k / m, -c / m]], [[0], [1 / m]], [[1, 0]], [[0]])


def spring_specimen(k_s=K, c_s=0.0, m_s=0.0):
    """Spring, damper and mass to ground, without states."""
    return StateSpace.memoryless([[-k_s, -c_s, -m_s]])


def with_memory(equation):
    """The same beside a state that remembers where the first one came to rest: a root at zero, whatever the delays."""
    n = equation.order
    A0 = np.zeros((n + 1, n + 1))
    A0[:n, :n], A0[n, 1] = equation.A0, 1.0
    delayed = [(np.pad(A, (0, 1)), tau) for A, tau in zip(equation.As, equation.taus, strict=True)]
    return DelayEquation(A0, delayed)


def adrift(tau, m=4.4, c=7.5, k=2250.0, k_s=2250.0):
    """Two free masses joined by a spring, a damper and a late spring: one mass of half, and two roots at zero."""
    A0, A1 = np.zeros((4, 4)), np.zeros((4, 4))
    A0[0, 1] = A0[2, 3] = 1.0
    pull = np.array([[-1.0, 1.0], [1.0, -1.0]]) / m
    A0[1::2, 0::2], A0[1::2, 1::2], A1[1::2, 0::2] = k * pull, c * pull, k_s * pull
    return DelayEquation(A0, [(A1, tau)])
