import pytest

from dovetail.campaign import key_parameters, main_effects, one_at_a_time
from dovetail.studies.docking.design_tool import CONTACT, INSTRUMENTS, SPACE, actuator_requirements, errors


@pytest.fixture(scope="module")
def by_instrument():
    return one_at_a_time(SPACE, errors, INSTRUMENTS.names)


def test_three_design_spaces_with_the_published_defaults():
    assert set(SPACE.groups) == {"spacecraft", "instruments", "contact"}
    assert SPACE.default["actuator_delay"] == 1e-3
    assert CONTACT.default["restitution"] == 0.8


def test_the_actuators_delay_is_the_key_parameter_of_the_instruments(by_instrument):
    ranking = main_effects(by_instrument, "velocity_error")
    assert ranking[0].name == "actuator_delay"
    assert ranking[0].monotone == 1
    assert key_parameters(ranking) == ["actuator_delay"]
    # both resolutions together explain less than a hundredth
    assert sum(row.fraction for row in ranking if "resolution" in row.name) < 0.01


def test_the_default_point_is_the_published_sample(by_instrument):
    assert float(by_instrument["actuator_delay"].velocity_error.sel(actuator_delay=1e-3)) == pytest.approx(
        52.52, abs=0.1
    )


def test_figures_of_merit_of_the_actuator_are_the_published_class():
    """Accepting 60 % leads to a total delay of 1 to 1.2 ms, a bandwidth of 0.53 kHz, forces of 2 to 3 kN."""
    needed = actuator_requirements(60.0)
    assert 1.0e-3 <= needed.delay <= 1.2e-3
    assert 530 <= needed.bandwidth <= 640
    assert 2000 < needed.force < 3000
    assert needed.stroke < 300e-6
    assert needed.acceleration > 69


def test_a_step_coarser_than_a_tenth_of_the_depth_is_warned_of():
    with pytest.warns(UserWarning, match="50 um.*141 um"):
        errors([SPACE.point({"actuator_resolution": 50e-6})])
