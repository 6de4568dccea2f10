"""The written plan of a designed test: for people (Markdown), for programs (JSON), and the test itself."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.assess.design import Design
from dovetail.assess.identify import as_toml
from dovetail.testing import dump
from dovetail.testing.run_folder import PROVENANCE, create, provenance


def write(design: Design, folder: str | Path) -> Path:
    """Write `plan.md`, `plan.json`, `test.toml` (ready to run), `actuator.toml`, `identification.nc` to a folder."""
    folder = Path(folder)
    folder = folder if folder.is_dir() and not any(folder.iterdir()) else create(folder)
    resolved = {**dump(design.test), PROVENANCE: provenance("design")}
    (folder / "test.toml").write_text(tomli_w.dumps(resolved), "utf-8")
    (folder / "plan.json").write_text(
        json.dumps(record(design), indent=2, ensure_ascii=False) + "\n", "utf-8"
    )
    (folder / "plan.md").write_text(markdown(design), "utf-8")
    (folder / "actuator.toml").write_text(as_toml(design.identification), "utf-8")
    design.identification.record.to_netcdf(folder / "identification.nc", engine="h5netcdf")
    return folder


def record(design: Design) -> dict[str, Any]:
    """The design as plain values; what is infinite or unknown is null."""
    found, verified = design.identification, design.verification
    return {
        "title": design.test.title,
        "go": design.go,
        "verdict": design.verdict,
        "critical_delay_s": _plain(design.stability.critical_delay),
        "critical_frequency_hz": _plain(design.stability.frequency),
        "margin_s": _plain(design.margin),
        "required_margin_s": _plain(design.required),
        "uncertainty_s": _plain(found.uncertainty),
        "growth_per_s": _plain(verified.growth),
        "tracking_error": _plain(verified.tracking),
        "error": _plain(verified.accuracy),
        "tolerance": design.wishes.tolerance,
        "identification": {
            "source": found.source,
            "low_hz": found.low,
            "high_hz": found.high,
            "amplitude_m": found.amplitude,
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
                for axis in found.axes
            ],
        },
        "candidates": [
            {
                "name": c.name,
                "possible": c.compensator is not None,
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
            {"what": c.what, "value": c.value, "wanted": c.wanted, "holds": c.holds} for c in verified.checks
        ],
    }


def markdown(design: Design) -> str:
    """The plan as a page."""
    lines = [f"# Plan of the test: {design.test.title}", "", f"**{design.verdict}**", ""]
    lines += ["| check | found | wanted | |", "|---|---|---|---|"]
    for check in design.verification.checks:
        lines.append(
            f"| {check.what} | {check.value} | {check.wanted} | {'ok' if check.holds else '**fails**'} |"
        )
    for number, (step, decided) in enumerate(design.decisions.items(), 1):
        lines += ["", f"## {number}. {step.capitalize()}", ""]
        if step == "verify":
            lines.append("The checks above, from a rehearsal of the whole test against its virtual rig.")
            continue
        lines += [f"- *{d.subject}*: **{d.choice}**. {_sentence(d.reason)}" for d in decided]
    lines += ["", "## In the laboratory", "", *_procedure(design), ""]
    return "\n".join(lines)


def _procedure(design: Design) -> list[str]:
    """What to do, in order."""
    found, limits = design.identification, design.test.limits
    worth = {
        name: float(np.min(getattr(limits, name)))
        for name in ("displacement", "velocity", "force", "tracking")
    }
    units = {"displacement": "m", "velocity": "m/s", "force": "N", "tracking": "m"}
    finite = ", ".join(f"{n} {v:.3g} {units[n]}" for n, v in worth.items() if math.isfinite(v))
    uncertainty = 1e3 * max(found.uncertainty, design.test.dt / 10)
    steps = [
        f"Set the limits: {finite or 'none are set; set them in test.toml before anything moves'}.",
        f"Sweep the rig from {found.low:.3g} to {found.high:.3g} Hz at {1e3 * found.amplitude:.3g} mm "
        f"without the numerical substructure. Stop if its delay departs from the nominal model by more "
        f"than {uncertainty:.2g} ms, and design again from that recording.",
        "Run the test with the force of the specimen's model fed back (`feedback` of kind `blended`, "
        "share 0): the rig is watched and not felt.",
        "Raise the share of the measured force to 1 in steps, and watch the growth rate.",
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
