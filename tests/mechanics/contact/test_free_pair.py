import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import FreePair


def test_reduced_mass_and_energy():
    pair = FreePair(m1=30.0, m2=75.0, speed=0.1)
    assert float(pair.reduced_mass) == pytest.approx(21.4286, rel=1e-5)
    output = pair.output(0.0, pair.init(), {"force": -10.0})
    assert float(output["acceleration"]) == pytest.approx(-10 / 21.428571)
    assert float(output["kinetic_energy"]) == pytest.approx(21.428571 * 0.01 / 2)


@pytest.mark.parametrize("wrong", [{"m1": 0.0}, {"m2": -5.0}, {"speed": 0.0}])
def test_impossible_values_are_rejected(wrong):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ParameterError, match=f"FreePair.{name}: got {value:g}; must be above 0"):
        FreePair(**{"m1": 30.0, "m2": 75.0, "speed": 0.1} | wrong)
