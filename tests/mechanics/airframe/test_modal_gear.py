import numpy as np
import pytest


def test_a_reduced_gear_has_the_statics_of_the_full_one(rest):
    """Static shapes of the loaded nodes take the place of what was cut: what is left is the weight of the tubes.

    That acts on all nodes, not only on loaded ones: 2.3 N on cut shapes of 1e8 N/m and more, below 0.1 micrometre.
    """
    (gear, whole), (fewer, reduced) = rest(), rest(4)
    nodes = [g.node_positions(x) for g, x in ((gear, whole), (fewer, reduced))]
    assert fewer.model.speed_size < gear.model.speed_size
    np.testing.assert_allclose(reduced["position"], whole["position"], atol=1e-7)
    np.testing.assert_allclose(nodes[1], nodes[0], atol=1e-7)


@pytest.mark.slow
def test_a_reduced_gear_has_the_drop_of_the_full_one(make, rate):
    """The struts' preload acts inside: the momentum of both changes by their weight, to rounding."""
    for modes in (0, 4):
        aircraft = make(2, modes=modes, initial_pose=[0.0, 3.0, 0.0])
        pushed = aircraft.mass_matrix @ np.asarray(
            rate(aircraft, aircraft.init())
        )  # rows of the twist, of a gear with own absolute speeds the rest
        if modes == 0:
            free = np.array(aircraft.model.free)
            B = np.asarray(aircraft.model.partials(aircraft.model.nodes)).reshape(-1, 3)[free]
            pushed = pushed[:3] + B.T @ pushed[3:]
        weight = 9.81 * (50 + aircraft.model.mass)
        np.testing.assert_allclose(pushed[:2], [0.0, -weight], atol=1e-8 * weight)
