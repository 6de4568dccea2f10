"""The benchmark of real-time hybrid simulation: its cases, its perturbed plants, and the table of criteria.

The test file `rths-benchmark` holds case 1 on the nominal plant. The other cases have other masses and
damping; a perturbed plant has a specimen and an actuator drawn from the published deviations, the *reference*
staying as it is: what the specimen carries more, the numerical substructure carries less. Compensators are
tuned on the nominal plant and never see a perturbed one before the run.

A whole set of plants is one compiled program, batched over the tests.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import equinox as eqx
import jax
import numpy as np
import xarray as xr

from dovetail.assess import growths, stacked
from dovetail.core import RK4
from dovetail.fidelity.rths_criteria import NAMES, criteria_of
from dovetail.studies.registry import find_test
from dovetail.studies.substructuring.rths_compensators import COMPENSATORS, TabledCompensator, plant_of
from dovetail.testing import Accuracy, Test, load, simulate
from dovetail.transfer import ServoHydraulic

CASES = {1: (1000.0, 0.05), 2: (1100.0, 0.04), 3: (1300.0, 0.03), 4: (1000.0, 0.03)}  # [kg] a storey, ratio
DEVIATION = {  # standard deviations of the plants
    "stiffness": 50e3,  # [N/m] of the specimen
    "valve_damping": 3.3,  # [1/s]
    "valve_stiffness": 3.3e3,  # [1/s^2]
    "leakage": 1.3,  # [1/s]
}
SEED = 2020  # of the perturbed plants
ROUGH = 100.0  # [Hz] above which a command is noise to this structure, whose fastest mode has 38 Hz
LOST = 2.0  # times the peak of the ideal, beyond which a run counts as lost
RECORDED = ("displacement", "measured_displacement", "storey_displacement", "command", "measured_force")


def benchmark(case: int = 1, *, name: str = "rths-benchmark", **values: Any) -> Test:
    """A case on the nominal plant, with other values of the test's own fields (duration, excitation)."""
    mass, ratio = CASES[case]
    changes = {"numerical.mass": [mass] * 3, "numerical.damping_ratio": ratio}
    title = f"Benchmark of real-time hybrid simulation, case {case}"
    test = load(find_test(f"substructuring/{name}"), changes)
    return dataclasses.replace(test, **{"title": title, **values})


def with_plant(test: Test, values: Mapping[str, float]) -> Test:
    """The test on another plant: actuator, specimen and the share that is not simulated, all of a piece."""
    rig: Any = test.rig.modelled()  # a spring and damper behind a series of parts
    plant, specimen = plant_of(test), rig.specimen
    specimen = dataclasses.replace(specimen, stiffness=values.get("stiffness", specimen.stiffness))
    carried = {"stiffness": specimen.stiffness, "damping": specimen.damping}
    plant = dataclasses.replace(plant, **{**values, **carried})
    parts = tuple(plant if isinstance(p, ServoHydraulic) else p for p in rig.actuator.parts)
    rig = dataclasses.replace(rig, specimen=specimen, actuator=dataclasses.replace(rig.actuator, parts=parts))
    numerical = dataclasses.replace(
        test.numerical, **{f"share_{name}": value for name, value in carried.items()}
    )
    return dataclasses.replace(test, numerical=numerical, rig=rig)


def plants(count: int, seed: int = SEED) -> list[dict[str, float]]:
    """The nominal plant (no changes) and `count` perturbed ones, normally distributed, independent.

    A leakage below zero, which the published deviation allows once in 180 plants, is drawn again.
    """
    nominal = plant_of(benchmark())
    rng = np.random.default_rng(seed)
    found: list[dict[str, float]] = [{}]
    while len(found) <= count:
        drawn = {
            name: float(getattr(nominal, name)) + deviation * rng.standard_normal()
            for name, deviation in DEVIATION.items()
        }
        if drawn["leakage"] >= 0:
            found.append(drawn)
    return found


def table(
    names: Iterable[str] = tuple(COMPENSATORS),
    *,
    cases: Sequence[int] = tuple(CASES),
    perturbed: int = 20,
    **values: Any,
) -> xr.Dataset:
    """Every criterion of every compensator in every case on every plant.

    Parameters
    ----------
    names
        Keys of `COMPENSATORS`.
    perturbed
        Number of perturbed plants besides the nominal one, which is plant 0.
    values
        Fields of the test to change, such as `duration` or `excitation`.

    Returns
    -------
    Dataset
        `criteria` (compensator, case, plant, criterion), NaN where the run was lost; `growth` [1/s] of the
        dominant pole of the sampled loop; `stable`, which says that the poles decay *and* that the run
        stayed below twice the ideal; `roughness` [m], rms of the command above 100 Hz; `peak_force` [N].
    """
    names = list(names)
    drawn = plants(perturbed)
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
    """One compensator: cases x plants."""
    tests, references = [], []
    for case, base in bases.items():
        tuned = entry.build(base)  # for the nominal plant
        for i, values in enumerate(drawn):
            tests.append(dataclasses.replace(with_plant(tuned, values), seed=base.seed + i))
            references.append(ideals[case])
    shape = (len(bases), len(drawn))
    records = jax.tree.map(np.asarray, _simulated(stacked([test.prepared() for test in tests])))
    dt = tests[0].dt
    found: dict[str, list] = {"criteria": [], "lost": [], "roughness": [], "peak_force": []}
    for i, reference in enumerate(references):
        one = {name: values[i] for name, values in records.items()}
        found["lost"].append(_lost(one, reference))
        found["criteria"].append(
            criteria_of(
                one["displacement"],
                one["measured_displacement"],
                one["storey_displacement"],
                reference,
                dt,
            )
        )
        found["roughness"].append(_roughness(one["command"], dt))
        found["peak_force"].append(np.abs(one["measured_force"]).max())
    grown = growths(tests).reshape(shape)
    return {
        "criteria": np.reshape(found["criteria"], (*shape, len(NAMES))),
        "growth": grown,
        "stable": (grown < 0) & ~np.reshape(found["lost"], shape),
        "roughness": np.reshape(found["roughness"], shape),
        "peak_force": np.reshape(found["peak_force"], shape),
    }


def _lost(one: Mapping[str, np.ndarray], reference: np.ndarray) -> bool:
    """Whether the structure, or the rig, went far beyond the ideal."""
    moved = np.column_stack([one["storey_displacement"], one["measured_displacement"]])
    allowed = LOST * np.abs(reference).max(axis=0)
    return not bool(np.all(np.abs(moved).max(axis=0) < np.r_[allowed, allowed[0]]))


def _ideal(test: Test) -> np.ndarray:
    """Storeys of the undivided structure at the ticks after the first; RK4 errs by 1e-7 at this rate."""
    return test.emulate(Accuracy(RK4(), 1)).data["storey_displacement"].values[1:]


def _roughness(command: np.ndarray, dt: float) -> float:
    """Rms of the command above 100 Hz [m]; a window keeps the record's ends out of it."""
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
    """The table as text: for each compensator the nominal criteria, worst over the cases, and the perturbed.

    A number in brackets is the worst over all perturbed plants. Absolute values throughout.
    """
    size = abs(data["criteria"].transpose("compensator", "criterion", "plant", "case"))
    heads = "".join(f"{name + (' ms' if name == 'J1' else ''):>16}" for name in NAMES)
    lines = [f"{'worst of the cases (of the perturbed plants)':<48}{heads}   stable      rough"]
    for name in data["compensator"].values:
        row, cells = data.sel(compensator=name), ""
        for nominal, *others in size.sel(compensator=name).values:
            worst = _number(np.max(others)) if others else "-"
            cells += f"{f'{_number(nominal.max())} ({worst})':>16}"
        held = f"{int(row['stable'].sum())}/{row['stable'].size}"
        rough = f"{1e6 * float(row['roughness'].max()):.3g} um"
        lines.append(f"{name:<48}{cells} {held:>8} {rough:>10}")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "lost" if not value < 1e4 else f"{value:.2f}" if value < 100 else f"{value:.0f}"
