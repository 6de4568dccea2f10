"""Written plan of a designed test: as Markdown, as JSON, and the designed test file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.assess.design import Design
from dovetail.assess.identify import to_toml
from dovetail.assess.robustify import RESOLUTION
from dovetail.core.recording import Recording
from dovetail.core.recording_file import write_recording
from dovetail.testing import dump
from dovetail.testing.motion_peaks import UNITS
from dovetail.testing.run_folder import create, provenance
from dovetail.testing.test_file import PROVENANCE


def write(design: Design, folder: str | Path) -> Path:
    """Write `plan.md`, `plan.json`, `test.toml`, `actuator.toml` and `identification.nc` to a folder; return it."""
    folder = Path(folder)
    folder = folder if folder.is_dir() and not any(folder.iterdir()) else create(folder)
    resolved = {**dump(design.test), PROVENANCE: provenance("design")}
    (folder / "test.toml").write_text(tomli_w.dumps(resolved), "utf-8")
    (folder / "plan.json").write_text(
        json.dumps(to_dict(design), indent=2, ensure_ascii=False) + "\n", "utf-8"
    )
    (folder / "plan.md").write_text(to_markdown(design), "utf-8")
    (folder / "actuator.toml").write_text(to_toml(design.identification), "utf-8")
    write_recording(Recording.from_dataset(design.identification.record), folder / "identification.nc")
    return folder


def to_dict(design: Design) -> dict[str, Any]:
    """Return the design as plain values; infinite and undetermined numbers are None."""
    identification, verified = design.identification, design.verification
    return {
        "title": design.test.title,
        "go": design.go,
        "verdict": design.verdict,
        "critical_delay_s": _plain(design.stability.critical_delay),
        "critical_frequency_hz": _plain(design.stability.critical_frequency),
        "margin_s": _plain(design.assessment.margin),
        "required_margin_s": _plain(design.required),
        "uncertainty_s": _plain(identification.uncertainty),
        "growth_per_s": _plain(verified.growth),
        "tracking_error": _plain(verified.tracking),
        "error": _plain(verified.accuracy),
        "max_error": design.options.max_error,
        "identification": {
            "source": identification.source,
            "low_hz": identification.low,
            "high_hz": identification.high,
            "peaks": {
                f"{name}_{unit}": [_plain(value) for value in getattr(identification.peaks, name)]
                for name, unit in UNITS.items()
            },
            "axes": [
                {
                    "order": axis.order,
                    "numerator": np.asarray(axis.model.numerator).tolist(),
                    "denominator": np.asarray(axis.model.denominator).tolist(),
                    "delay_s": float(axis.model.delay),
                    "low_frequency_delay_s": float(axis.model.low_frequency_delay),
                    "unexplained": axis.unexplained,
                    "noise_m": axis.noise,
                    "departure_s": axis.departure,
                }
                for axis in identification.axes
            ],
        },
        "candidates": [
            {
                "name": c.name,
                "possible": c.test is not None,
                "tracking_error": _plain(c.error),
                "growth_per_s": _plain(c.growth),
                "remark": c.remark,
            }
            for c in design.candidates
        ],
        "decisions": {
            step: [{"subject": d.subject, "choice": d.choice, "reason": d.reason} for d in decided]
            for step, decided in design.decisions.items()
        },
        "checks": [
            {"what": c.what, "value": c.value, "limit": c.limit, "passed": c.passed} for c in verified.checks
        ],
    }


def to_markdown(design: Design) -> str:
    """Return the plan as Markdown."""
    lines = [f"# Plan of the test: {design.test.title}", "", f"**{design.verdict}**", ""]
    lines += ["| check | result | limit | |", "|---|---|---|---|"]
    for check in design.verification.checks:
        lines.append(
            f"| {check.what} | {check.value} | {check.limit} | {'ok' if check.passed else '**failed**'} |"
        )
    for number, (step, decided) in enumerate(design.decisions.items(), 1):
        lines += ["", f"## {number}. {step.capitalize()}", ""]
        if step == "verify":
            lines.append("The checks above are from a rehearsal of the designed test with its simulated rig.")
            continue
        lines += [f"- *{d.subject}*: **{d.choice}**. {_sentence(d.reason)}" for d in decided]
    lines += ["", "## In the laboratory", "", *_procedure(design), ""]
    return "\n".join(lines)


def _procedure(design: Design) -> list[str]:
    """Return the steps of the laboratory procedure, in order."""
    identification, limits = design.identification, design.test.limits
    worth = {
        name: float(np.min(getattr(limits, name)))
        for name in ("displacement", "velocity", "force", "tracking_error")
    }
    units = {"displacement": "m", "velocity": "m/s", "force": "N", "tracking_error": "m"}
    finite = ", ".join(f"{n} {v:.3g} {units[n]}" for n, v in worth.items() if math.isfinite(v))
    uncertainty = 1e3 * max(identification.uncertainty, RESOLUTION * design.test.dt)
    steps = [
        f"Set the limits: {finite or 'no limit is set; set limits in test.toml before anything moves'}.",
        f"Sweep the rig from {identification.low:.3g} to {identification.high:.3g} Hz "
        f"with the command in identification.nc (peaks {identification.peaks}) "
        f"without the numerical substructure, under the same limits. If its delay differs from the nominal model by "
        f"more than {uncertainty:.2g} ms, stop and repeat the design with that recording.",
        "Run the test with the modelled force of the specimen fed back (`feedback` of kind `blended`, "
        "measured_fraction 0): the force of the rig does not enter the simulation.",
        "Increase the fraction of the measured force to 1 in steps, and monitor the growth rate.",
        "Run the test: `dovetail run test.toml`.",
    ]
    if not design.go:
        steps.insert(0, f"Do not run this test yet. {design.verdict}")
    return [f"{i}. {step}" for i, step in enumerate(steps, 1)]


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith(".") else f"{text}."


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
