import numpy as np
import pytest

from dovetail.mechanics.beam import modes
from dovetail.studies.shipboard.assembly import aircraft
from dovetail.studies.shipboard.reproduce_mesh import NODES, meshed
from dovetail.studies.shipboard.reproduce_rotor import mesh_of_blade
from dovetail.studies.targets import compute_target, load_targets

OURS = {t.id: t for t in load_targets("shipboard") if t.compute.startswith("reproduce_mesh:")}


FIRST, *OTHERS = NODES


@pytest.mark.parametrize("nodes", [FIRST, *(pytest.param(n, marks=pytest.mark.slow) for n in OTHERS)])
def test_refining_a_gear_keeps_feet_and_joints(nodes):
    gear = aircraft("case-4-hinged", meshed(nodes)).gear
    at = np.asarray(gear.mesh.nodes)
    assert len(at) == nodes
    np.testing.assert_allclose(at[[i - 1 for i in gear.contact]], [[-0.35, -0.44], [0.35, -0.44]])
    np.testing.assert_allclose(at[[i - 1 for i in gear.interface]], [[-0.1067, -0.1978], [0.1067, -0.1978]])
    assert gear.mesh.mass() == pytest.approx(0.5998, rel=1e-3)  # table 6.8's tube


NOT_REPRODUCED = ("RT-14s",)  # its note says why


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(OURS) - set(NOT_REPRODUCED)))
def test_targets_are_met(name):
    result = compute_target(OURS[name])
    assert result.status == "met", f"{name}: got {result.value}, expected {OURS[name].expected}"


def test_a_finer_gear_converges_to_the_frequency_of_its_tubes():
    found = []
    for nodes in NODES:
        gear = aircraft("case-4-hinged", meshed(nodes)).gear
        w = modes(*gear.mesh.assemble(), gear.fixed_freedoms())[0]
        found.append(float(w[w > 1.0][0]))
    assert np.all(np.diff(found) < 0)  # from above, as by Rayleigh's quotient
    error = np.array(found[:3]) - found[3]
    assert error[0] / error[1] > 8  # of order four, measured against 18 nodes


@pytest.mark.slow
def test_finer_blades_converge_to_the_midpoint_rule():
    *ends, middle = mesh_of_blade()
    excess = np.array(ends) - middle
    np.testing.assert_allclose(
        excess[:-1] / excess[1:], 2.0, rtol=0.03
    )  # half an element too much at each end


def test_a_curved_gear_goes_through_the_known_nodes_and_bulges_between_them():
    base = np.asarray(aircraft("case-1").gear.mesh.nodes)
    fine, straight = (
        np.asarray(aircraft("case-4-hinged", meshed(18, curved=c)).gear.mesh.nodes) for c in (True, False)
    )
    assert all(np.abs(fine - node).sum(1).min() < 1e-12 for node in base)
    bulge = np.linalg.norm(fine - straight, axis=1)
    assert 5e-3 < bulge.max() < 2e-2
    np.testing.assert_allclose(fine[:9, 0], -fine[:8:-1, 0], atol=1e-12)  # mirror images
    np.testing.assert_allclose(fine[:9, 1], fine[:8:-1, 1], atol=1e-12)
