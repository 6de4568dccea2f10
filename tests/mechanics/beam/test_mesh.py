import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.beam import BeamMesh, components

SECTION = {"E": 6.9e10, "I": 5e-7, "A": 1.2e-4, "rho": 2710.0}
LEG = [[0.1067, -0.1978], [0.2755, -0.2754], [0.35, -0.44]]


def leg(nodes=LEG, elements=((1, 2), (2, 3)), **other):
    return BeamMesh(nodes=nodes, elements=elements, **(SECTION | other))


def test_two_reconstructed_legs_have_the_published_mass():
    assert 2 * leg().mass() == pytest.approx(0.2383, abs=5e-5)  # RT-06


def test_a_cantilever_bends_as_in_the_book():
    mesh = BeamMesh(nodes=[[0.0, 0.0], [0.0, 0.5], [0.0, 1.2]], elements=[(1, 2), (2, 3)], **SECTION)
    _, K = mesh.assemble()
    load = np.zeros(6)
    load[3] = -100.0  # across the tip
    tip = np.linalg.solve(K[3:, 3:], load)
    assert -tip[3] == pytest.approx(100 * 1.2**3 / (3 * 6.9e10 * 5e-7), rel=1e-9)


def test_a_mesh_in_the_port_up_plane_of_space_moves_as_the_planar_one():
    mesh = leg()
    lifted = leg(nodes=[[0.0, *p] for p in LEG])
    for planar, spatial in zip(mesh.assemble(), lifted.assemble(), strict=True):
        places = [6 * j + i for j in range(3) for i in (1, 2, 3)]  # port, up, roll
        np.testing.assert_allclose(
            spatial[np.ix_(places, places)], planar, rtol=1e-12, atol=1e-12 * np.abs(planar).max()
        )


def test_refining_keeps_mass_and_named_places():
    mesh = leg()
    fine = mesh.refine(4)
    assert fine.nodes.shape == (9, 2)
    assert fine.mass() == pytest.approx(mesh.mass())
    for old, new in mesh.node_map(4).items():
        np.testing.assert_allclose(fine.nodes[new - 1], mesh.nodes[old - 1])


def test_unconnected_parts_of_a_mesh_are_reported():
    assert components(6, ((1, 2), (2, 3), (4, 5), (5, 6))) == [{1, 2, 3}, {4, 5, 6}]


@pytest.mark.parametrize(
    ("nodes", "elements", "text"),
    [
        ([[0.0, 0.0], [0.0, 0.0]], [(1, 2)], "element 1 from node 1 to node 2 has zero length"),
        ([[0.0, 0.0], [1.0, 0.0]], [(1, 3)], "joins nodes 1 and 3; expected node numbers from 1 to 2"),
        ([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [(1, 2)], "node 3 belongs to no element"),
        ([[0.0], [1.0]], [(1, 2)], "nodes have shape"),
    ],
)
def test_an_invalid_mesh_is_rejected(nodes, elements, text):
    with pytest.raises(ParameterError, match=text):
        leg(nodes=nodes, elements=elements)
