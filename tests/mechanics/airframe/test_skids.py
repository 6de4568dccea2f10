import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.airframe import SkidGear, WheelGear
from dovetail.mechanics.beam import BeamMesh

SECTION = {"E": 6.9e10, "I": 5e-7, "A": 1.2e-4, "rho": 2710.0}
LEG = [[0.1067, -0.1978], [0.2755, -0.2754], [0.35, -0.44]]


def gear(elements=((1, 2), (2, 3)), nodes=LEG, **other):
    mesh = BeamMesh(nodes=nodes, elements=elements, **SECTION)
    return SkidGear(**({"mesh": mesh, "contact": (3,), "interface": (1,)} | other))


def test_damping_is_set_at_the_highest_frequency_of_the_mesh_unless_one_is_given():
    M, C, K = gear(upper_ratio=0.1).structure()
    import scipy.linalg

    held = gear().fixed_freedoms()
    free = np.setdiff1d(np.arange(9), held)
    top = np.sqrt(scipy.linalg.eigvalsh(K[np.ix_(free, free)], M[np.ix_(free, free)])[-1])
    np.testing.assert_allclose(C, 0.2 / top * K, rtol=1e-9)
    _, C, K = gear(upper_ratio=0.1, upper_omega=1e5).structure()
    np.testing.assert_allclose(C, 0.2 / 1e5 * K)


def test_a_hinge_frees_one_rotation_in_plane_and_in_space():
    assert list(gear().fixed_freedoms()) == [0, 1]
    assert list(gear(joint="fixed").fixed_freedoms()) == [0, 1, 2]
    lifted = gear(nodes=[[0.0, *p] for p in LEG])
    assert list(lifted.fixed_freedoms()) == [0, 1, 2, 4, 5]  # it turns about the forward axis


@pytest.mark.parametrize(
    ("nodes", "offset"),
    [(LEG, [0.05, 0.0]), ([[0.3, *LEG[0]], [0.1, *LEG[1]], [-0.2, *LEG[2]]], [0.0, 0.05, 0.1])],
    ids=["plane", "space"],
)
def test_the_first_moment_of_the_gear_is_that_of_its_beams(nodes, offset):
    model = gear(nodes=nodes).model(np.array(offset), ())
    x = np.array(nodes) - offset
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1)
    expected = (2710 * 1.2e-4 * lengths) @ ((x[1:] + x[:-1]) / 2)
    np.testing.assert_allclose(model.first_moment, expected, rtol=1e-12)


def test_matrices_from_a_file_replace_those_of_the_mesh(tmp_path):
    M, C, K = gear(upper_ratio=0.1).structure()
    file = tmp_path / "gear.npz"
    np.savez(file, M=2 * M, C=C, K=K)
    model = gear(matrices=str(file)).model(np.zeros(2), ())
    np.testing.assert_allclose(model.M, 2 * M)
    assert model.mass == pytest.approx(2 * gear().mesh.mass())
    np.savez(file, M=M[:3, :3], C=C, K=K)
    with pytest.raises(ParameterError, match="expected \\(9, 9\\)"):
        gear(matrices=str(file)).structure()


@pytest.mark.parametrize(
    ("other", "text"),
    [
        ({"contact": (7,)}, "expected nodes from 1 to 3"),
        ({"contact": (1,)}, "cannot be a contact node"),
        (
            {"nodes": [*LEG, [1.0, 0.0], [1.0, 1.0]], "elements": ((1, 2), (2, 3), (4, 5))},
            "not joined to the airframe",
        ),
    ],
)
def test_an_invalid_gear_is_rejected(other, text):
    with pytest.raises(ParameterError, match=text):
        gear(**other)


def test_wheels_slide_along_their_axes():
    wheels = WheelGear(
        nodes=[[-1.0, -1.0], [1.0, -1.0]], axis=[[0.0, 2.0], [0.6, 0.8]], wheel_mass=5.0, radius=0.3
    )
    model = wheels.model(np.zeros(2), ())
    moved = model.displacement(np.array([0.1, 0.2]))
    np.testing.assert_allclose(moved[:, :2], [[0.0, 0.1], [0.12, 0.16]])
    assert model.mass == 10.0
