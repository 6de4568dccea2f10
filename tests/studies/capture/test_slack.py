"""A rope that is let go has more links while it whips than while it hangs, and moves as one of many links."""

import numpy as np
import pytest

from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import load

SHORT = {"numerical.chain.length": 5.0, "numerical.chain.mass": 1.6, "numerical.chain.bending": 0.005}
SHORT |= {"numerical.chain.joint_damping": 0.002, "numerical.chain.mass_damping": 0.6, "duration": 6.0}


@pytest.fixture(scope="module")
def let_go():
    adaptive = SHORT | {"numerical.elements.max_links": 20}
    fixed = adaptive | {"numerical.chain.n": 20, "numerical.elements.min_links": 20}
    return [load(find_test("capture/slack"), changes).simulate().data for changes in (adaptive, fixed)]


@pytest.mark.slow
def test_links_are_added_for_a_bent_rope_and_removed_for_a_straight_one(let_go):
    links = let_go[0]["link_count"].values
    assert links[0] == 10
    assert links.max() == 20
    assert links[-1] == 5
    assert np.all(let_go[1]["link_count"] == 20)


@pytest.mark.slow
def test_the_tip_moves_as_with_many_links(let_go):
    tips = [data["displacement"].values for data in let_go]
    apart = np.linalg.norm(tips[0] - tips[1], axis=1)
    assert apart.max() < 0.02 * 5.0  # a swing of 5 m either way


@pytest.mark.slow
def test_the_energy_change_of_remeshing_is_small_and_audited(let_go):
    data = let_go[0]
    exchanged = float(np.ptp(data["gravity_energy"].values))
    assert float(np.abs(data["energy_residual"].values).max()) < 5e-3 * exchanged


def test_a_chain_that_cannot_remesh_is_rejected():
    with pytest.raises(TestFileError, match="link-chain.*number of links"):
        load(find_test("capture/deploy"), {"numerical.elements": {"kind": "adaptive-elements"}}).prepare()
