"""The description of an FMU: what stands where, in both versions."""

from types import SimpleNamespace
from xml.etree import ElementTree as xml

import pytest

from dovetail.links.fmi.description import FmuVariable, description

MODEL = SimpleNamespace(
    parameters=[FmuVariable("parameters.k", 3.0, "", "")],
    inputs=[FmuVariable("force", 0.0, "N", "interface force")],
    outputs=[FmuVariable("displacement", None, "m", "demand"), FmuVariable("y[1]", None, "", "")],
    length=1e-3,
    whole_steps=False,
    duration=2.0,
)


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_variables_have_their_roles_units_and_references_in_order(version):
    root = xml.fromstring(description(version, "model", "{1}", 'a "title" & more', MODEL))
    assert root.get("fmiVersion") == version
    assert root.get("description") == 'a "title" & more'
    assert root.find("CoSimulation").get("needsExecutionTool") == "true"
    found = [v for v in root.find("ModelVariables") if v.get("causality") != "independent"]
    assert [v.get("name") for v in found] == ["parameters.k", "force", "displacement", "y[1]"]
    assert [v.get("valueReference") for v in found] == ["0", "1", "2", "3"]
    assert [v.get("causality") for v in found] == ["parameter", "input", "output", "output"]
    values = found if version == "3.0" else [v.find("Real") for v in found]
    assert [v.get("unit") for v in values] == [None, "N", "m", None]
    assert [v.get("start") for v in values] == ["3.0", "0.0", None, None]
    assert {unit.get("name") for unit in root.find("UnitDefinitions")} == {"N", "m"}


def test_outputs_are_listed_by_index_in_fmi_2_and_by_reference_in_fmi_3():
    two = xml.fromstring(description("2.0", "model", "{1}", "", MODEL))
    assert [u.get("index") for u in two.find("ModelStructure/Outputs")] == ["3", "4"]
    three = xml.fromstring(description("3.0", "model", "{1}", "", MODEL))
    assert [u.get("valueReference") for u in three.findall("ModelStructure/Output")] == ["2", "3"]
