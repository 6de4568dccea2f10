"""The study's rotors are those of the published tables."""

import pytest

from dovetail.studies.shipboard.rotors import CARADONNA, GENERIC, S76, generic


def test_radii_and_solidities_are_the_published_ones():
    assert (float(GENERIC.radius), float(GENERIC.root_cutout), float(GENERIC.effective_radius)) == (
        3.0,
        0.2,
        0.9,
    )
    solidity = 4 * float(S76.chord) / (3.14159265 * 1.42)
    assert solidity == pytest.approx(0.0704, rel=1e-3)
    assert float(CARADONNA.radius) / float(CARADONNA.chord) == pytest.approx(6.0)


def test_both_forms_have_four_blades_and_no_mach_number():
    for form in ("published", "consistent"):
        rotor = generic(form)
        assert (rotor.blades, rotor.sectors, rotor.section.compressibility) == (4, 20, "off")
    assert generic("published").inflow == "published"
    assert generic().inflow == "momentum"
