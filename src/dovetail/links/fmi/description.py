"""Description of an FMU: `modelDescription.xml` for FMI 2.0 and 3.0."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any
from xml.etree import ElementTree as xml


@dataclasses.dataclass(frozen=True)
class FmuVariable:
    """Real variable of an FMU."""

    name: str
    start: float | None  # None for an output
    unit: str
    about: str


def description(version: str, name: str, token: str, title: str, model: Any) -> str:
    """Return the XML text; `model` has parameters, inputs, outputs, length and duration."""
    three = version == "3.0"
    root = xml.Element(
        "fmiModelDescription",
        {
            "fmiVersion": version,
            "modelName": name,
            ("instantiationToken" if three else "guid"): token,
            "description": title,
            "generationTool": "Dovetail",
            "generationDateAndTime": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "variableNamingConvention": "structured",
        },
    )
    options = {
        "modelIdentifier": name,
        "needsExecutionTool": "true",
        "canHandleVariableCommunicationStepSize": "false" if model.whole_steps else "true",
    }
    if three:
        options["fixedInternalStepSize"] = repr(model.length)
    xml.SubElement(root, "CoSimulation", options)
    _add_units(root, model)
    experiment = {"startTime": "0.0", "stepSize": repr(model.length)}
    if model.duration:
        experiment["stopTime"] = repr(model.duration)
    xml.SubElement(root, "DefaultExperiment", experiment)
    _add_variables(xml.SubElement(root, "ModelVariables"), model, three)
    _add_unknowns(xml.SubElement(root, "ModelStructure"), model, three)
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _add_units(root: xml.Element, model: Any) -> None:
    """Add the units of all variables, once each."""
    units = sorted({each.unit for each in (*model.parameters, *model.inputs, *model.outputs) if each.unit})
    if units:
        definitions = xml.SubElement(root, "UnitDefinitions")
        for unit in units:
            xml.SubElement(definitions, "Unit", {"name": unit})


def _add_variables(variables: xml.Element, model: Any, three: bool) -> None:
    """Add parameters, inputs and outputs with consecutive numbers; in version 3 also the time."""
    if three:
        time = {"name": "time", "valueReference": "4294967295"}
        xml.SubElement(variables, "Float64", time | {"causality": "independent", "variability": "continuous"})
    roles = (
        ("parameter", "fixed", model.parameters),
        ("input", "continuous", model.inputs),
        ("output", "continuous", model.outputs),
    )
    rows = [(causality, variability, each) for causality, variability, group in roles for each in group]
    for reference, (causality, variability, each) in enumerate(rows):
        attributes = {"name": each.name, "valueReference": str(reference)}
        if each.about:
            attributes["description"] = each.about
        attributes |= {"causality": causality, "variability": variability}
        value = {"unit": each.unit} if each.unit else {}
        if each.start is not None:
            value["start"] = repr(each.start)
        if causality == "output":
            attributes["initial"] = "calculated"
        elif causality == "parameter" and not three:
            attributes["initial"] = "exact"
        if three:
            xml.SubElement(variables, "Float64", attributes | value)
        else:
            xml.SubElement(xml.SubElement(variables, "ScalarVariable", attributes), "Real", value)


def _add_unknowns(structure: xml.Element, model: Any, three: bool) -> None:
    """Add the outputs as unknowns of a step and of the start; counted from 0 in version 3, from 1 in version 2."""
    first = len(model.parameters) + len(model.inputs)
    outputs = range(first, first + len(model.outputs))
    for word in ("Output", "InitialUnknown"):
        if three:
            for i in outputs:
                xml.SubElement(structure, word, {"valueReference": str(i)})
        elif outputs:
            group = xml.SubElement(structure, f"{word}s")
            for i in outputs:
                xml.SubElement(group, "Unknown", {"index": str(i + 1)})
