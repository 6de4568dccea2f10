"""Targets of the twelve impacts on the testbed: chapter 8 and appendix C of Bondoky's thesis."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.fidelity.validation import Validation, validation_from_percent
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor, Flores
from dovetail.studies.docking.impact import ImpactPairing
from dovetail.studies.docking.impact_qualification import needed_stroke
from dovetail.studies.docking.noisy_impact import noisy_impact
from dovetail.studies.docking.scenarios import TESTBED, executed, experiments, grid, impacts
from dovetail.transfer import ShapedNoise


def _rows() -> list[dict[str, Any]]:
    return experiments()["row"]


@cache
def rehearsed() -> ImpactPairing:
    """Simulate the 24 rows of appendix C: twelve scenarios at two coefficients of restitution."""
    scenarios = executed()
    return impacts(
        [scenarios[row["scenario"] - 1] for row in _rows()], [row["restitution"] for row in _rows()]
    )


def printed(table: str, column: str) -> np.ndarray:
    """Return a column of appendix C, by row."""
    return np.array([row[table][column] for row in _rows()])


def ideal_force_rows() -> int:
    """RT-43: number of rows with a reference peak force within 0.02 N of the printed value."""
    return _within(rehearsed().ideal.peak_force, printed("force_N", "d"), 0.02)


def ideal_depth_rows() -> int:
    """RT-43: number of rows with a reference peak penetration within 0.01 um of the printed value."""
    return _within(1e6 * rehearsed().ideal.peak_depth, printed("depth_um", "d"), 0.01)


def ideal_restitution() -> list[float]:
    """RT-44: realised restitution of the reference solution for 0.8 and 0.9."""
    return [float(v) for v in rehearsed().ideal.restitution[:2]]


def ideal_duration_error() -> float:
    """RT-44: largest difference from the printed durations of the reference solution [ms]."""
    return _worst(1e3 * rehearsed().ideal.duration, printed("duration_ms", "d"))


def force_integral_error() -> float:
    """RT-45: largest difference from the printed integral errors of the force [percentage points].

    The integral is that of the contact force, as the measured force continues after the end of contact.
    """
    p = rehearsed()
    error = 100 * (p.hil.contact_integral / p.ideal.contact_integral - 1)
    return _worst(error, printed("force_integral_error_percent", "md"))


def depth_integral_error() -> float:
    """RT-45: largest difference from the printed integral errors of the penetration [percentage points]."""
    p = rehearsed()
    error = 100 * (p.hil.depth_integral / p.ideal.depth_integral - 1)
    return _worst(error, printed("depth_integral_error_percent", "md"))


def rebound_error() -> float:
    """RT-47: largest difference from the printed velocities after the impact [m/s]."""
    return _worst(rehearsed().hil.rebound, printed("velocity_m_s", "m"))


def restitution_error() -> float:
    """RT-47: largest difference from the printed realised restitution of the HIL Model."""
    return _worst(rehearsed().hil.restitution, printed("realised_restitution", "m"))


def duration_error() -> float:
    """RT-47: largest difference from the printed durations of the HIL Model [ms]."""
    return _worst(1e3 * rehearsed().hil.duration, printed("duration_ms", "m"))


def noise_density() -> list[float]:
    """RT-49: noise density of displacement [mm^2/Hz] and force [N^2/Hz], from the standard deviations."""
    return [
        float(ShapedNoise(0.73e-3, 2 * np.pi * 23e3).density),
        float(ShapedNoise(1.5, 2 * np.pi * 1e3).density),
    ]


def qualified() -> list[int]:
    """RT-50: number of the 72 scenarios that satisfy eq. 8.5 with a stroke of 239.5 um, and with 0.8 of it."""
    hil = impacts(grid(), 0.8).hil
    reach = needed_stroke(np.asarray(hil.peak_depth), np.asarray(hil.peak_contact_force), 8000.0)
    return [int(np.sum(reach < share * 239.5e-6)) for share in (1.0, 0.8)]


def _within(got, expected: np.ndarray, tolerance: float) -> int:
    return int(np.sum(np.abs(np.asarray(got) - expected) <= tolerance))


def _worst(got, expected: np.ndarray) -> float:
    return float(np.max(np.abs(np.asarray(got) - expected)))


def measured(table: str) -> Validation:
    """Return reference, modelled and measured values of a table of appendix C, all rows."""
    return Validation(*(printed(table, column) for column in ("d", "m", "h")))


def measured_areas(table: str) -> Validation:
    """Return the values of areas under curves, printed in the source as errors relative to the reference."""
    return validation_from_percent(printed(table, "md"), printed(table, "hd"))


def fidelity_of_scenario_4() -> list[float]:
    """RT-51: fidelity [%] of peak force, peak penetration and their areas, for 0.8 and 0.9."""
    rows = [i for i, row in enumerate(_rows()) if row["scenario"] == 4]
    columns = [
        measured("force_N"),
        measured("depth_um"),
        measured_areas("force_integral_error_percent"),
        measured_areas("depth_integral_error_percent"),
    ]
    return [float(np.asarray(column.fidelity)[i]) for column in columns for i in rows]


def cells_of_appendix_c() -> list[int]:
    """RT-52: number of derived cells of tables C.1 to C.4 that agree with d, m and h, and number of all cells.

    A cell agrees if unrounded values of d, m and h exist that reproduce it after rounding.
    """
    errors = {"md": "model_error", "hd": "hardware_error", "hm": "contact_model_error"}  # by column
    cells = []
    for table, derived, unit in (
        ("force_N", "force_error_percent", 0.01),
        ("depth_um", "depth_error_percent", 0.01),
        ("velocity_m_s", "velocity_error_percent", 0.001),
    ):
        given = [printed(table, column) for column in ("d", "m", "h")]
        for column, error in errors.items():
            cells.append(
                _agree(
                    lambda *v, n=error: getattr(Validation(*v), f"{n}_percent"), given, unit, derived, column
                )
            )
        cells.append(_agree(lambda *v: Validation(*v).fidelity, given, unit, derived, "fidelity"))
    for derived in ("force_integral_error_percent", "depth_integral_error_percent"):
        given = [printed(derived, column) for column in ("md", "hd")]
        cells.append(
            _agree(
                lambda *v: validation_from_percent(*v).contact_model_error_percent, given, 0.01, derived, "hm"
            )
        )
        cells.append(
            _agree(lambda *v: validation_from_percent(*v).fidelity, given, 0.01, derived, "fidelity")
        )
    given = [printed("duration_ms", column) for column in ("d", "m", "h")]
    for column, error in errors.items():
        cells.append(
            _agree(lambda *v, n=error: getattr(Validation(*v), n), given, 0.01, "duration_error_ms", column)
        )
    speed = np.array([executed()[row["scenario"] - 1].speed for row in _rows()])
    for column in ("d", "m"):
        given = [printed("velocity_m_s", column)]
        cells.append(_agree(lambda v: -v / speed, given, 0.001, "realised_restitution", column))
    agreement = np.concatenate(cells)
    return [int(agreement.sum()), agreement.size]


def _agree(rule, given: list[np.ndarray], unit: float, table: str, column: str) -> np.ndarray:
    """Return by row whether a printed cell (to 0.01) lies in the range of `rule` for values rounded to `unit`."""
    ends = [
        rule(*(v + side * unit / 2 for v, side in zip(given, sides, strict=True)))
        for sides in itertools.product((-1, 1), repeat=len(given))
    ]
    cell, slack = printed(table, column), 0.005 + 1e-9
    return (cell >= np.min(ends, 0) - slack) & (cell <= np.max(ends, 0) + slack)


@cache
def noisy(seeds: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Return peak force [N] and penetration [um] of the 24 rows with noise, averaged over several seeds."""
    scenarios = executed()
    chosen = [scenarios[row["scenario"] - 1] for row in _rows()]
    factor = Flores(stiffness=1.0).damping_factor(jnp.array([row["restitution"] for row in _rows()]))
    stiffness, mass, speed = (
        jnp.array([getattr(s, name) for s in chosen]) for name in ("stiffness", "mass", "speed")
    )

    def one(stiffness, mass, speed, factor, key):
        law = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
        peaks = noisy_impact(
            law,
            mass,
            speed,
            TESTBED,
            position_noise=ShapedNoise(0.73e-6, 2 * np.pi * 23e3),
            force_noise=ShapedNoise(1.5, 2 * np.pi * 1e3, bias=0.6),
            key=key,
        )
        return peaks.peak_force, 1e6 * peaks.peak_depth

    keys = jax.random.split(jax.random.key(0), seeds)
    rows = jax.vmap(one, (0, 0, 0, 0, None))
    force, depth = jax.jit(jax.vmap(lambda key: rows(stiffness, mass, speed, factor, key)))(keys)
    return np.asarray(force.mean(0)), np.asarray(depth.mean(0))


def noisy_force_rows() -> int:
    """RT-46: number of rows with a noisy peak force within 2.5 % of the printed value."""
    return int(np.sum(np.abs(noisy()[0] / printed("force_N", "m") - 1) <= 0.025))


def noisy_depth_rows() -> int:
    """RT-46: number of rows with a noisy peak penetration within 2 % of the printed value."""
    return int(np.sum(np.abs(noisy()[1] / printed("depth_um", "m") - 1) <= 0.02))
