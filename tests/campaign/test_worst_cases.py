"""Worst cases and the commands that run them alone."""

import shlex
import subprocess
import sys

import numpy as np
import pytest

from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.plan import Campaign
from dovetail.campaign.worst_cases import command, worst_cases
from dovetail.core.errors import UnknownNameError

PARAMETERS = (
    VariedParameter("delay", ("rig.actuator.delay",), (1e-3, 2e-3)),
    VariedParameter("law", ("law",), ("a", "b")),
)
TABLE = {
    "point": np.arange(4),
    "delay": np.array([1e-3, 1e-3, 2e-3, 2e-3]),
    "law": np.array(["a", "b", "a", "b"], dtype=object),
    "error": np.array([0.1, -3.0, np.nan, 2.0]),
}


def test_the_largest_values_come_first_without_failed_points():
    plan = Campaign("test", "substructuring/cs1", PARAMETERS, fixed={"duration": "2 s"})
    cases = worst_cases(plan, TABLE, "error", 5)
    assert [case.point_index for case in cases] == [1, 3, 0]
    assert cases[0].point == {"delay": 1e-3, "law": "b"}
    assert cases[0].command == (
        "dovetail run substructuring/cs1 --set 'duration=\"2 s\"' --set rig.actuator.delay=0.001 --set 'law=\"b\"'"
    )
    with pytest.raises(UnknownNameError, match="known: delay, error"):
        worst_cases(plan, TABLE, "terror")


def test_the_seed_of_a_replicate_is_part_of_the_command():
    plan = Campaign("test", "substructuring/cs1", PARAMETERS[:1])
    assert command(plan, {"delay": 2e-3}, 7).endswith("--set seed=7")


def test_the_command_of_a_model_is_one():
    plan = Campaign("model", "math:hypot", (VariedParameter("x", ("x",), (3.0,)),))
    assert command(plan, {"x": 3.0}) == 'python -c "from math import hypot; print(hypot(x=3.0))"'
    plan = Campaign("evaluate", "builtins:len", (VariedParameter("x", ("x",), (3.0,)),))
    words = shlex.split(command(plan, {"x": 3.0}))
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
