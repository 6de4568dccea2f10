import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import (
    PEEK,
    PTFE,
    Aluminium,
    Aluminium2007,
    Flores,
    HertzPair,
    Polyimide,
    Steel,
)

R = 0.025  # [m]

# [N/m^1.5], sphere of 25 mm on a flat, from an independent calculation to the digits given
STIFFNESS = [
    (Polyimide, Aluminium, 9.0795e8),
    (Aluminium2007, PEEK, 1.0229e9),
    (PEEK, PEEK, 5.4461e8),
    (Aluminium2007, PTFE, 1.1440e8),
    (PEEK, PTFE, 1.0417e8),
    (Aluminium, Aluminium, 8.224e9),
    (Polyimide, Polyimide, 4.805e8),
    (Steel, Steel, 2.3167e10),
]


def test_combined_modulus_of_polyimide_on_aluminium_agrees_with_the_source():
    pair = HertzPair(Polyimide(), Aluminium(), R)
    assert float(pair.modulus) == pytest.approx(4.3068e9, rel=1e-4)  # sec. 6.5.1.1
    assert float(pair.radius) == R


@pytest.mark.parametrize(("one", "other", "k"), STIFFNESS)
def test_pair_stiffness(one, other, k):
    assert float(HertzPair(one(), other(), R).value) == pytest.approx(k, rel=1e-4)
    # the materials can be exchanged
    assert float(HertzPair(other(), one(), R).value) == pytest.approx(k, rel=1e-4)


def test_two_equal_spheres_are_softer_than_sphere_on_flat_by_root_two():
    flat, spheres = HertzPair(Steel(), Steel(), R), HertzPair(Steel(), Steel(), R, R)
    assert float(flat.value / spheres.value) == pytest.approx(2**0.5)


def test_a_number_is_a_constant_stiffness():
    assert float(Flores(stiffness=9e8).stiffness.value) == 9e8


def test_impossible_stiffness_is_an_error():
    with pytest.raises(ParameterError, match="got 0; must be above 0"):
        Flores(stiffness=0.0)
