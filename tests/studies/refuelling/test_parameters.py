"""The list of parameters of the study agrees with the test files, campaigns, parts and modules."""

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
LOCATED = [p for p in PARAMETERS if "location" in p]


@cache
def resolved(name):
    """Return the table of a test file with all defaults."""
    return test_file.dump(test_file.load(FOLDER / "tests" / f"{name}.toml"))


def follow(tree, path):
    for key in path.split("."):
        tree = tree[int(key)] if isinstance(tree, list) else tree[key]
    return tree


def value_at(location):
    where, name, *paths = location.split()
    if where == "test":
        base, *others = paths
        value = follow(resolved(name), base)
        return [value[other] for other in others] if others else value
    if where == "campaign":
        varied = tomllib.loads((FOLDER / "campaigns" / f"{name}.toml").read_text())["parameter"]
        return next(p["values"] for p in varied if p["path"] == paths[0])
    if where == "part":
        part = kinds.find(name)()
        values = [getattr(part, path) for path in paths]
        return values if len(values) > 1 else values[0]
    assert where == "module"
    module = name if "." in name else f"dovetail.studies.refuelling.{name}"
    return getattr(importlib.import_module(module), paths[0])


@pytest.mark.slow
@pytest.mark.parametrize("parameter", LOCATED, ids=[p["description"] for p in LOCATED])
def test_parameter_has_the_listed_value_at_its_location(parameter):
    value = value_at(parameter["location"])
    if isinstance(parameter["value"], str):
        assert value == parameter["value"]
    else:
        np.testing.assert_allclose(np.asarray(value, float), parameter["value"], rtol=1e-12)


def test_each_parameter_has_a_source_and_a_location_or_a_reason():
    assert len({p["description"] for p in PARAMETERS}) == len(PARAMETERS)
    for parameter in PARAMETERS:
        assert parameter["source"].startswith(("table", "sec", "ch.", "app.", "not published"))
        assert parameter["unit"]
        assert "location" in parameter or parameter["reason"]
    unstated = [p for p in PARAMETERS if p["source"].startswith("not published")]
    assert len(unstated) >= 25


@pytest.mark.slow  # the hose is trimmed when it is read
def test_the_stated_hose_is_all_of_table_1():
    """All parameters of the hose and its flight are listed."""
    numerical = resolved("full-scale")["numerical"]
    listed = {p["location"].split()[-1].rsplit(".", 1)[-1] for p in LOCATED if "numerical" in p["location"]}
    own = {
        "kind",
        "reeling_order",
        "mass_transfer",
        "distribution",
        "tip",
        "aero_zero",
        "n",
        "area",
    }  # choices
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
