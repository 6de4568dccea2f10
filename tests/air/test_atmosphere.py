"""The standard atmosphere against its published table."""

import pytest

from dovetail.air import StandardAtmosphere
from dovetail.air.atmosphere import gravity


@pytest.mark.parametrize(
    ("h", "temperature", "pressure", "density"),
    [
        (0.0, 288.15, 101325.0, 1.2250),
        (5000.0, 255.65, 54019.9, 0.73612),
        (11000.0, 216.65, 22632.1, 0.36392),
        (15000.0, 216.65, 12044.6, 0.19367),
    ],
)
def test_it_is_the_table_of_the_standard(h, temperature, pressure, density):
    # geopotential altitudes of ISO 2533, printed with five digits
    air = StandardAtmosphere()
    assert float(air.temperature(h)) == pytest.approx(temperature, rel=1e-6)
    assert float(air.pressure(h)) == pytest.approx(pressure, rel=2e-5)
    assert float(air.density(h)) == pytest.approx(density, rel=3e-5)


def test_sound_and_gravity_at_sea_level():
    assert float(StandardAtmosphere().speed_of_sound(0.0)) == pytest.approx(340.294, rel=1e-5)
    assert float(gravity(0.0)) == pytest.approx(9.80665)
    assert float(gravity(10_000.0)) < 9.78
