import pytest

from dovetail.campaign import DesignSpace, DesignVariable
from dovetail.core.errors import ParameterError, UnknownNameError

SPACE = DesignSpace(
    (
        DesignVariable("delay", 1.0, (0.5, 1.0, 2.0), "ms", group="rig"),
        DesignVariable("law", "flores", ("flores", "hertz"), group="contact"),
    )
)


def test_one_at_a_time_starts_with_the_default_without_repetition():
    points = list(SPACE.one_at_a_time())
    assert points[0] == {"delay": 1.0, "law": "flores"}
    assert len(points) == 1 + 2 + 1
    assert points[-1] == {"delay": 1.0, "law": "hertz"}


def test_factorial_has_every_combination():
    assert len(list(SPACE.full_factorial())) == 6
    assert [p["delay"] for p in SPACE.full_factorial("delay")] == [0.5, 1.0, 2.0]


def test_joined_design_spaces_keep_their_groups():
    both = SPACE + DesignSpace((DesignVariable("mass", 5.0, (5.0,)),))
    assert both.names == ["delay", "law", "mass"]
    assert SPACE.groups == {"rig": ["delay"], "contact": ["law"]}
    assert SPACE["delay"].numeric
    assert not SPACE["law"].numeric
    assert SPACE.with_values("delay", [3.0])["delay"].values == (3.0,)


def test_faults_are_reported():
    with pytest.raises(UnknownNameError, match='did you mean "delay"'):
        SPACE.point({"dely": 1.0})
    with pytest.raises(ParameterError, match="delay, law: names two variables"):
        SPACE + SPACE
    with pytest.raises(ParameterError, match="has no values"):
        DesignVariable("x", 1.0, ())
    with pytest.raises(ParameterError, match="repeated value"):
        DesignVariable("x", 1.0, (1.0, 1.0))
