"""The description of an FMU: `modelDescription.xml` for FMI 2.0 and 3.0."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any
from xml.etree import ElementTree as xml


@dataclasses.dataclass(frozen=True)
class Variable:
    """One real number of an FMU."""

    name: str
    start: float | None  # None for an output
    unit: str
    about: str


def description(version: str, name: str, token: str, title: str, model: Any) -> str:
    """The XML text; `model` has parameters, inputs, outputs, length and duration."""
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
        "canHandleVariableCommunicationStepSize": "false" if model.whole else "true",
    }
    kind = xml.SubElement(root, "CoSimulation", options)
    everything = [*model.parameters, *model.inputs, *model.outputs]
    units = sorted({each.unit for each in everything if each.unit})
    if units:
        definitions = xml.SubElement(root, "UnitDefinitions")
        for unit in units:
            xml.SubElement(definitions, "Unit", {"name": unit})
    experiment = {"startTime": "0.0", "stepSize": repr(model.length)}
    if model.duration:
        experiment["stopTime"] = repr(model.duration)
    xml.SubElement(root, "DefaultExperiment", experiment)
    if three:
        kind.set("fixedInternalStepSize", repr(model.length))
    variables = xml.SubElement(root, "ModelVariables")
    structure = xml.SubElement(root, "ModelStructure")
    roles = (
        ("parameter", "fixed", model.parameters),
        ("input", "continuous", model.inputs),
        ("output", "continuous", model.outputs),
    )
    if three:
        xml.SubElement(
            variables,
            "Float64",
            {
                "name": "time",
                "valueReference": "4294967295",
                "causality": "independent",
                "variability": "continuous",
            },
        )
    rows = [(causality, variability, each) for causality, variability, group in roles for each in group]
    for reference, (causality, variability, each) in enumerate(rows):
        words = {"name": each.name, "valueReference": str(reference)}
        if each.about:
            words["description"] = each.about
        words |= {"causality": causality, "variability": variability}
        value = {"unit": each.unit} if each.unit else {}
        if each.start is not None:
            value["start"] = repr(each.start)
        if three:
            if causality == "output":
                words["initial"] = "calculated"
            xml.SubElement(variables, "Float64", words | value)
        else:
            if causality != "input":
                words["initial"] = "exact" if causality == "parameter" else "calculated"
            xml.SubElement(xml.SubElement(variables, "ScalarVariable", words), "Real", value)
    first = len(model.parameters) + len(model.inputs)
    if three:
        for word in ("Output", "InitialUnknown"):
            for i in range(len(model.outputs)):
                xml.SubElement(structure, word, {"valueReference": str(first + i)})
    else:
        for word in ("Outputs", "InitialUnknowns"):
            if model.outputs:
                group = xml.SubElement(structure, word)
                for i in range(len(model.outputs)):
                    xml.SubElement(group, "Unknown", {"index": str(first + i + 1)})
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"
