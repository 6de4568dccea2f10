"""Every wind at every place that takes one: it blows there, or it is refused with what to take in its stead."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import WindField
from dovetail.core.errors import TestFileError
from dovetail.core.kinds import parts_by_kind
from dovetail.core.random import assign_keys
from dovetail.studies.exchange import WINDS
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.paths import get

MEMBERS = list(parts_by_kind(WindField))
MOST = 1e6  # [m] a cube that holds every place


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """A field of 2 m/s everywhere."""
    file = tmp_path_factory.mktemp("wind") / "grid.npz"
    axis = np.array([-MOST, MOST])
    np.savez(file, x=axis, y=axis, z=axis, velocity=np.full((3, 2, 2, 2), 2.0))
    return file


def asked(member, grid):
    """What a member asks for beside its kind."""
    return {
        "gridded-wake": {"file": str(grid)},
        "gusty-wind": {"wind": [-8.0, 3.0, 0.0]},
        "steady-wind": {"wind": [1.0, 2.0, 0.5]},
        "wind-fields": {"parts": [{"kind": "steady-wind", "wind": [1.0, 2.0, 0.5]}, {"kind": "still-air"}]},
        "wind-table": {"times": [0.0, 99.0], "wind": [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]},
    }.get(member, {})


def changed(place, member, grid):
    values = {place.table: {"kind": member} | asked(member, grid), "duration": 0.5, "seed": 0}
    if place.test == "refuelling/full-scale":
        values["numerical.chain.n"] = 4
    return load(find_test(place.test), values)


def felt(place, test):
    """Velocity of the air that a part feels at a place."""
    if "rope" in place.name:
        return test.numerical.local_wind(0.1, jnp.array([[-3.0], [-4.0], [-10.0]]), jnp.zeros((3, 1)))
    if "hose" in place.name:
        return test.numerical.local_wind(0.1, jnp.array([[-40.0], [1.0], [-5.0]]), jnp.zeros((3, 1)))
    return test.numerical.loads[0].wind.velocity(0.1, jnp.zeros(3))


def check(place, member, grid):
    if place.refusal(parts_by_kind(WindField)[member]):
        with pytest.raises(TestFileError, match="asks for the stream that carries it") as refused:
            changed(place, member, grid)
        assert "Do: take a gusty-wind" in str(refused.value)
        return
    test = changed(place, member, grid)
    assert type(get(test, place.table)) is parts_by_kind(WindField)[member]
    still = felt(place, changed(place, "still-air", grid))
    moved = np.abs(np.asarray(felt(place, assign_keys(test, jax.random.key(0))) - still)).max()
    assert np.isfinite(moved)
    assert (moved > 0) == (member != "still-air")


def some():
    """So many that each member and each place is among them."""
    turn = itertools.cycle(WINDS)
    for member in MEMBERS:
        yield next(turn), member


def named(case):
    return f"{case[0].name}, {case[1]}"


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(c, marks=[pytest.mark.slow] if "hose" in c[0].name else []) for c in some()
    ],  # it is trimmed
    ids=named,
)
def test_a_use_accepts_a_wind_or_states_the_reason(case, grid):
    check(*case, grid)


@pytest.mark.slow
@pytest.mark.parametrize("case", list(itertools.product(WINDS, MEMBERS)), ids=named)
def test_every_use_accepts_every_wind_or_states_the_reason(case, grid):
    check(*case, grid)


@pytest.mark.slow
@pytest.mark.parametrize("member", MEMBERS)
def test_energy_and_momentum_of_a_rope_balance_in_every_wind(member, grid):
    """Half a second behind the aircraft: energy is what was there and what the air did."""
    place = WINDS[0]
    test = load(
        find_test(place.test),
        {
            place.table: {"kind": member} | asked(member, grid),
            "duration": 0.5,
            "seed": 0,
            "numerical.chain.n": 4,
        },
    )
    data = test.simulate().data
    scale = float(np.abs(data["kinetic_energy"]).max() + np.abs(data["external_work"]).max())
    assert float(np.abs(data["energy_residual"]).max()) < 1e-5 * scale


@pytest.mark.parametrize(
    ("test", "wind"),
    [
        ("capture/settle", "numerical.gusts"),
        pytest.param("refuelling/latched", "numerical.wake", marks=pytest.mark.slow),  # it is trimmed
    ],
)
def test_a_wind_that_ends_before_the_run_is_rejected(test, wind):
    table = {"kind": "wind-table", "times": [0.0, 1.0], "wind": [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]}
    with pytest.raises(TestFileError, match=rf"{wind} .*1 s, the run lasts 2 s"):
        load(find_test(test), {wind: table, "duration": 2.0})
