"""Every parameter of the thesis, and every one it leaves unstated, is where the study's list says, with that value."""

import importlib
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import dovetail.studies.refuelling as refuelling
from dovetail.core import kinds
from dovetail.testing import test_file

FOLDER = Path(refuelling.__file__).parent
PARAMETERS = tomllib.loads((FOLDER / "parameters.toml").read_text())["parameter"]
PLACED = [p for p in PARAMETERS if "place" in p]


@cache
def resolved(name):
    """A test file with every default written out."""
    return test_file.dump(test_file.load(FOLDER / "tests" / f"{name}.toml"))


def follow(tree, path):
    for key in path.split("."):
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    return tree


def value_at(place):
    where, name, *paths = place.split()
    if where == "test":
        base, *others = paths
        found = follow(resolved(name), base)
        return [found[other] for other in others] if others else found
    if where == "campaign":
        axes = tomllib.loads((FOLDER / "campaigns" / f"{name}.toml").read_text())["axis"]
        return next(axis["values"] for axis in axes if axis["path"] == paths[0])
    if where == "part":
        part = kinds.find(name)()
        found = [getattr(part, path) for path in paths]
        return found if len(found) > 1 else found[0]
    assert where == "module"
    module = name if "." in name else f"dovetail.studies.refuelling.{name}"
    return getattr(importlib.import_module(module), paths[0])


@pytest.mark.slow
@pytest.mark.parametrize("parameter", PLACED, ids=[p["what"] for p in PLACED])
def test_a_parameter_is_where_it_is_said_to_be(parameter):
    found = value_at(parameter["place"])
    if isinstance(parameter["value"], str):
        assert found == parameter["value"]
    else:
        np.testing.assert_allclose(np.asarray(found, float), parameter["value"], rtol=1e-12)


def test_each_has_a_source_and_what_has_no_place_says_why():
    assert len({p["what"] for p in PARAMETERS}) == len(PARAMETERS)
    for parameter in PARAMETERS:
        assert parameter["source"].startswith(("table", "sec", "ch.", "app.", "not published"))
        assert parameter["unit"]
        assert "place" in parameter or parameter["why"]
    unstated = [p for p in PARAMETERS if p["source"].startswith("not published")]
    assert len(unstated) >= 25


@pytest.mark.slow  # the hose is trimmed when it is read
def test_the_stated_hose_is_all_of_table_1():
    """Nothing of the hose and its flight is left to a default that nobody has listed."""
    numerical = resolved("full-scale")["numerical"]
    listed = {p["place"].split()[-1].rsplit(".", 1)[-1] for p in PLACED if "numerical" in p["place"]}
    own = {"kind", "shrink", "transfer", "distribution", "end", "aero_zero", "n", "area"}  # choices
    none = {"tip_mass", "node_mass"}  # what the chain could carry, and does not
    for part in ("chain", "drogue"):
        assert set(numerical[part]) - own - none <= listed
    assert all(np.all(np.asarray(numerical["chain"][name]) == 0) for name in none)
    assert set(numerical["drag"]["coefficients"]) - own <= listed


@pytest.mark.slow
def test_strikes_in_flight_are_read_without_faults_and_name_their_source():
    for name in ("full-scale", "full-scale-100", "full-scale-200"):
        assert resolved(name)["title"]
        assert "bolien2018" in resolved(name)["source"]
