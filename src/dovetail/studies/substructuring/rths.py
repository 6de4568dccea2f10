"""RTHS benchmark problem: cases, perturbed plants, and the table of criteria.

The test file `rths-benchmark` is case 1 with the nominal plant. The other cases have other masses and damping. The
specimen and actuator of a perturbed plant are drawn from the published deviations; the undivided structure does not
change, so the numerical substructure changes by the opposite of the specimen. Compensators are tuned for the nominal
plant only.

All plants are simulated in one batch by one compiled program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import numpy as np
import xarray as xr

from dovetail.assess import growth_rates, stack_tests
from dovetail.core import RK4
from dovetail.fidelity.rths_criteria import NAMES, criteria_of
from dovetail.studies.registry import find_test
from dovetail.studies.substructuring.rths_compensators import COMPENSATORS, TabledCompensator, plant_of
from dovetail.testing import ReferenceSettings, Test, load, simulate
from dovetail.transfer import ServoHydraulic

CASES = {
    1: (1000.0, 0.05),
    2: (1100.0, 0.04),
    3: (1300.0, 0.03),
    4: (1000.0, 0.03),
}  # mass of a storey [kg], damping ratio
DEVIATION = {  # standard deviations of the plants
    "stiffness": 50e3,  # [N/m] of the specimen
    "valve_damping": 3.3,  # [1/s]
    "valve_stiffness": 3.3e3,  # [1/s^2]
    "leakage": 1.3,  # [1/s]
}
SEED = 2020  # of the perturbed plants
ROUGH = 100.0  # [Hz] above which a command is noise: the highest mode of the structure is at 38 Hz
LOST = 2.0  # times the peak of the reference solution, above which a run counts as lost
RECORDED = ("displacement", "measured_displacement", "storey_displacement", "command", "measured_force")


def benchmark(case: int = 1, *, name: str = "rths-benchmark", **values: Any) -> Test:
    """Return a case with the nominal plant; `values` replaces fields of the test (duration, excitation)."""
    mass, ratio = CASES[case]
    changes = {"numerical.mass": [mass] * 3, "numerical.damping_ratio": ratio}
    title = f"Benchmark of real-time hybrid simulation, case {case}"
    test = load(find_test(f"substructuring/{name}"), changes)
    return dataclasses.replace(test, **{"title": title, **values})


def with_plant(test: Test, values: Mapping[str, float]) -> Test:
    """Return the test with another plant: actuator, specimen, and the specimen fraction of the numerical structure."""
    rig: Any = test.require_rig().as_model()  # a spring and damper behind a series of parts
    plant, specimen = plant_of(test), rig.specimen
    specimen = dataclasses.replace(specimen, stiffness=values.get("stiffness", specimen.stiffness))
    specimen_values = {"stiffness": specimen.stiffness, "damping": specimen.damping}
    plant = dataclasses.replace(plant, **{**values, **specimen_values})
    parts = tuple(plant if isinstance(p, ServoHydraulic) else p for p in rig.actuator.parts)
    rig = dataclasses.replace(rig, specimen=specimen, actuator=dataclasses.replace(rig.actuator, parts=parts))
    numerical = dataclasses.replace(
        test.numerical, **{f"specimen_{name}": value for name, value in specimen_values.items()}
    )
    return dataclasses.replace(test, numerical=numerical, rig=rig)


def plants(count: int, seed: int = SEED) -> list[dict[str, float]]:
    """Return the nominal plant (no changes) and `count` perturbed plants, normally distributed and independent.

    A negative leakage (probability 1 in 180 with the published deviation) is drawn again.
    """
    nominal = plant_of(benchmark())
    rng = np.random.default_rng(seed)
    plants: list[dict[str, float]] = [{}]
    while len(plants) <= count:
        drawn = {
            name: float(getattr(nominal, name)) + deviation * rng.standard_normal()
            for name, deviation in DEVIATION.items()
        }
        if drawn["leakage"] >= 0:
            plants.append(drawn)
    return plants


def table(
    names: Iterable[str] = tuple(COMPENSATORS),
    *,
    cases: Sequence[int] = tuple(CASES),
    perturbed_count: int = 20,
    **values: Any,
) -> xr.Dataset:
    """Compute all criteria for each compensator, case and plant.

    Parameters
    ----------
    names
        Keys of `COMPENSATORS`.
    perturbed_count
        Number of perturbed plants besides the nominal one, which is plant 0.
    values
        Fields of the test to change, such as `duration` or `excitation`.

    Returns
    -------
    Dataset
        `criteria` (compensator, case, plant, criterion), NaN for a lost run; `growth` [1/s], growth rate of the
        dominant pole of the sampled loop; `stable`, true if the poles decay and the run stays below twice the
        reference solution; `roughness` [m], rms of the command above 100 Hz; `peak_force` [N].
    """
    names = list(names)
    drawn = plants(perturbed_count)
    bases = {case: benchmark(case, **values) for case in cases}
    ideals = {case: _ideal(test) for case, test in bases.items()}
    rows = [_row(COMPENSATORS[name], bases, ideals, drawn) for name in names]
    coordinates = {"compensator": names, "case": list(cases), "plant": range(len(drawn))}
    dims = ("compensator", "case", "plant")
    variables: dict[str, Any] = {
        key: (dims, np.stack([row[key] for row in rows]))
        for key in ("growth", "stable", "roughness", "peak_force")
    }
    variables["criteria"] = ((*dims, "criterion"), np.stack([row["criteria"] for row in rows]))
    return xr.Dataset(variables, {**coordinates, "criterion": list(NAMES)})


def _row(
    entry: TabledCompensator, bases: Mapping[int, Test], ideals: Mapping[int, np.ndarray], drawn
) -> dict[str, Any]:
    """Compute the results of one compensator, (case, plant)."""
    tests, references = [], []
    for case, base in bases.items():
        tuned = entry.build(base)  # for the nominal plant
        for i, values in enumerate(drawn):
            tests.append(dataclasses.replace(with_plant(tuned, values), seed=base.seed + i))
            references.append(ideals[case])
    shape = (len(bases), len(drawn))
    records = jax.tree.map(np.asarray, _simulated(stack_tests([test.prepare() for test in tests])))
    dt = tests[0].dt
    rows: dict[str, list] = {"criteria": [], "lost": [], "roughness": [], "peak_force": []}
    for i, reference in enumerate(references):
        one = {name: values[i] for name, values in records.items()}
        rows["lost"].append(_lost(one, reference))
        rows["criteria"].append(
            criteria_of(
                one["displacement"],
                one["measured_displacement"],
                one["storey_displacement"],
                reference,
                dt,
            )
        )
        rows["roughness"].append(_roughness(one["command"], dt))
        rows["peak_force"].append(np.abs(one["measured_force"]).max())
    grown = growth_rates(tests).reshape(shape)
    return {
        "criteria": np.reshape(rows["criteria"], (*shape, len(NAMES))),
        "growth": grown,
        "stable": (grown < 0) & ~np.reshape(rows["lost"], shape),
        "roughness": np.reshape(rows["roughness"], shape),
        "peak_force": np.reshape(rows["peak_force"], shape),
    }


def _lost(one: Mapping[str, np.ndarray], reference: np.ndarray) -> bool:
    """Return True if structure or rig moved far beyond the reference solution."""
    moved = np.column_stack([one["storey_displacement"], one["measured_displacement"]])
    allowed = LOST * np.abs(reference).max(axis=0)
    return not bool(np.all(np.abs(moved).max(axis=0) < np.r_[allowed, allowed[0]]))


def _ideal(test: Test) -> np.ndarray:
    """Return the storey displacements of the undivided structure after the first tick; the RK4 error is 1e-7."""
    return test.reference(ReferenceSettings(RK4(), 1)).data["storey_displacement"].values[1:]


def _roughness(command: np.ndarray, dt: float) -> float:
    """Return the rms of the command above 100 Hz [m], with a Hann window."""
    window = np.hanning(len(command))
    spectrum = np.fft.rfft((command - command.mean()) * window)
    high = np.fft.rfftfreq(len(command), dt) > ROUGH
    return float(np.sqrt(2 * np.sum(np.abs(spectrum[high]) ** 2) / (len(command) * np.sum(window**2))))


@eqx.filter_jit
def _simulated(tests: Test) -> dict[str, jax.Array]:
    def one(test: Test):
        records = simulate(test)[1]
        return {name: records[name] for name in RECORDED}

    return eqx.filter_vmap(one)(tests)


def summary(data: xr.Dataset) -> str:
    """Return the table as text: for each compensator the worst absolute value over the cases, nominal plant.

    The number in brackets is the worst over all perturbed plants.
    """
    size = abs(data["criteria"].transpose("compensator", "criterion", "plant", "case"))
    heads = "".join(f"{name + (' ms' if name == 'J1' else ''):>16}" for name in NAMES)
    lines = [f"{'worst case, nominal (perturbed plants)':<48}{heads}   stable      rough"]
    for name in data["compensator"].values:
        row, cells = data.sel(compensator=name), ""
        for nominal, *others in size.sel(compensator=name).values:
            worst = _number(np.max(others)) if others else "-"
            cells += f"{f'{_number(nominal.max())} ({worst})':>16}"
        stable = f"{int(row['stable'].sum())}/{row['stable'].size}"
        rough = f"{1e6 * float(row['roughness'].max()):.3g} um"
        lines.append(f"{name:<48}{cells} {stable:>8} {rough:>10}")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "lost" if not value < 1e4 else f"{value:.2f}" if value < 100 else f"{value:.0f}"
