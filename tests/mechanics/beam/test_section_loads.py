import numpy as np
import pytest

from dovetail.mechanics.beam import BeamMesh, section_loads

SECTION = {"E": 6.9e10, "I": 5e-7, "A": 1.2e-4, "rho": 2710.0}


@pytest.mark.parametrize("d", [2, 3])
def test_a_cantilever_carries_its_tip_load_in_every_section(d):
    nodes = np.zeros((3, d))
    nodes[:, -1] = [0.0, 0.4, 1.0]
    mesh = BeamMesh(nodes=nodes, elements=[(1, 2), (2, 3)], **SECTION)
    _, K = mesh.assemble()
    f = mesh.freedoms
    load = np.zeros(3 * f)
    load[2 * f + d - 1] = -800.0  # along: pressed
    load[2 * f + d - 2] = 60.0  # across
    moved = np.zeros(3 * f)
    moved[f:] = np.linalg.solve(K[f:, f:], load[f:])
    found = section_loads(mesh, moved)
    np.testing.assert_allclose(found["axial"], -800.0, rtol=1e-6)
    np.testing.assert_allclose(found["shear"], 60.0, rtol=1e-6)
    np.testing.assert_allclose(found["moment_start"], [60.0, 36.0], rtol=1e-6)
    np.testing.assert_allclose(found["moment_end"], [36.0, 0.0], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found["buckling"][1], 800 * 0.6**2 / (np.pi**2 * 6.9e10 * 5e-7), rtol=1e-6)


def test_a_member_under_tension_uses_none_of_its_buckling_load():
    mesh = BeamMesh(nodes=np.array([[0.0, 0.0], [0.0, 0.5]]), elements=[(1, 2)], **SECTION)
    moved = np.zeros(2 * mesh.freedoms)
    moved[mesh.freedoms + 1] = 1e-5  # the upper end, upwards
    loads = section_loads(mesh, moved)
    np.testing.assert_allclose(loads["axial"], 6.9e10 * 1.2e-4 * 1e-5 / 0.5, rtol=1e-6)
    assert loads["buckling"].tolist() == [0.0]
