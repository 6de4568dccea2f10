"""How much of the physics serves more than one study; `python tests/package/physics_reuse.py` prints all of it."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("physics_reuse", Path(__file__).with_name("physics_reuse.py"))
sharing = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sharing)


def test_the_fraction_of_shared_physics_does_not_decrease():
    """Of all lines, 21 % are used by two or more studies and 44 % are used or taken; floors a per cent below."""
    assert sharing.shares()["several"] >= 0.20
    assert sharing.shares(offered=True)["several"] >= 0.43


def test_definitions_are_followed_through_packages_files_and_families():
    used, taken = (sharing.used_by("refuelling", offered) for offered in (False, True))
    assert ("dovetail.mechanics.chain.angled", "AngleChain") in used  # named by a file
    assert ("dovetail.mechanics.chain.banded", "solve_tridiagonal") in used  # by what that uses
    assert ("dovetail.mechanics.chain.links", "LinkChain") not in sharing.used_by("docking")
    assert ("dovetail.mechanics.contact.lee_wang", "LeeWang") in taken - used  # by a family
    assert ("dovetail.specimens.lag_damper", "LagDamper") not in taken


def test_a_structure_serves_lag_damper_and_helicopter():
    at = ("dovetail.air.rotor.beam_blade", "BeamBlade")
    assert {"shipboard", "substructuring"} <= {
        study for study in sharing.STUDIES if at in sharing.used_by(study, True)
    }


def test_all_physics_is_used_by_a_study_example_page_or_capability():
    unused = [f"{module}.{name}" for module, name in sharing.unused()]
    assert not unused, (
        f"name each, or its kind, in an example (examples/), a page (docs/) or a test file of a study: {unused}"
    )
