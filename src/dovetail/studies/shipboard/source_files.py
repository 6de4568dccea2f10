"""Read and write the file set of the program of the source: inputs as plain lines, outputs as rows in time.

[Schock 2020, app. A.] A planar test of the study becomes a folder of `.inp` files and back; a run becomes `.out` files.
The appendix has no place for the tube radius and the Rayleigh pairs: they go to `Properties_FE_damping.inp`, ours. A
gear whose matrices were made elsewhere keeps them as `Properties_FE_Mmat.inp` and so on. Air loads: see `source_air`.
Coordinates are numbered as there: 18 before the nodes, then three for each node; types are 0 free, 1 contact, 2 fixed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import OutputError
from dovetail.mechanics.contact import KelvinVoigt
from dovetail.mechanics.friction import Bristle, NoFriction
from dovetail.mechanics.motion import FixedFrame, TableMotion
from dovetail.mechanics.securing.platform import corners_at
from dovetail.studies.shipboard.source_air import aero_rows, helo_lines, read_loads

MATRICES = ("M", "C", "K")
BODIES = {"ship": "ship", "device": "rsd", "left clamp": "clampleft", "right clamp": "clampright"}
OUTPUTS = {"ship": "SHIP", "device": "RSD", "left clamp": "L_CLAMP", "right clamp": "R_CLAMP"}
SHORT = {"SHIP": "ship", "RSD": "rsd", "L_CLAMP": "l", "R_CLAMP": "r"}
FRICTION = ("stiffness", "damping", "mu_kinetic", "mu_static", "stribeck_speed")  # in the order of the file
FLAGS = (
    "states",
    "stats",
    *(f"poly {short}" for short in SHORT.values()),
    *(f"ocp {short}" for short in SHORT.values()),
    "contact",
    "induced",
)


def write_inputs(test: Any, folder: str | Path) -> Path:
    """Write the input files of a planar test."""
    folder = Path(folder)
    craft, gear = test.numerical, test.numerical.gear
    contact = _contact_lines(craft, folder)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, "Simulation", [[v] for v in _simulation_lines(test)])
    _write(folder, "Output_options", [[1]] * 12)
    speeds, places, rest = _start_rows(craft)
    _write(folder, "ICs", [*speeds, *places])
    _write(folder, "Properties_FE_IC", rest)
    E, I, A, rho = (gear.mesh.element_values(name) for name in ("E", "I", "A", "rho"))
    elements = [[e + 1, *pair, E[e], I[e], A[e], rho[e]] for e, pair in enumerate(gear.mesh.elements)]
    _write(folder, "Properties_FE_map", elements)
    upper = 0.0 if gear.upper_omega is None else gear.upper_omega
    damping = (gear.lower_omega, gear.lower_ratio, upper, gear.upper_ratio, gear.radius)
    _write(folder, "Properties_FE_damping", [[float(v)] for v in damping])
    for name, matrix in zip(MATRICES, gear.structure() if gear.matrices else (), strict=False):
        _write(folder, f"Properties_FE_{name}mat", matrix)
    _write(folder, "Properties_helo", _helo(craft) + helo_lines(craft))
    if rows := aero_rows(craft, test.duration):
        _write(folder, "Prescribed_aero", rows)
    _write(folder, "Properties_contact_mech", [[v] for v in contact])
    for platform in craft.platforms:
        name = BODIES[platform.name]
        _write(folder, f"Polygon_{name}", np.asarray(platform.body.corners()).T)
        _write(folder, f"Prescribed_{name}", _motion_rows(platform.motion, test.duration))
    return folder


def _contact_lines(craft: Any, folder: Path) -> list[float]:
    """Return the lines of contact (two numbers) and friction (five numbers)."""
    law, friction = craft.law, craft.friction
    if not isinstance(law, KelvinVoigt) or not isinstance(friction, Bristle | NoFriction):
        raise OutputError(
            f"{folder}: the files have no place for {type(law).__name__} and {type(friction).__name__}; "
            "give the contact as kelvin-voigt, and bristle-friction or no-friction"
        )
    rubbing = [float(getattr(friction, name)) if isinstance(friction, Bristle) else 0.0 for name in FRICTION]
    return [float(law.stiffness.value), float(law.damping), *rubbing]


def _simulation_lines(test: Any) -> list[Any]:
    """Return the lines of times, matrix flags and solver settings."""
    method, given = test.method, int(bool(test.numerical.gear.matrices))
    return [
        f"0 {test.duration:.17g}",
        f"{test.dt:.17g}",
        *(1, len(test.numerical.platforms), given, given, given, 1),
        *(float(method.rtol), float(method.atol), 1, 1, 2, 1, float(method.restart_step)),
        *(float(method.max_step), float(method.min_step), 0, 100000, 0, 12, 5, 1),
    ]


def _start_rows(craft: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return initial velocities, positions and undeformed positions of all coordinates, each with its type."""
    gear = craft.gear
    n = gear.mesh.nodes.shape[0]
    kinds = np.zeros((n, 3))
    for i in gear.contact:
        kinds[i - 1, :2] = 1
    for i in gear.interface:
        kinds[i - 1, : 3 if gear.joint == "fixed" else 2] = 2
    speeds, places = np.zeros((18 + 3 * n, 2)), np.zeros((18 + 3 * n, 2))
    speeds[:12, 1] = places[:12, 1] = 3
    speeds[15:18, 1] = places[15:18, 1] = 2
    speeds[18:, 1] = places[18:, 1] = kinds.ravel()
    x = craft.init()
    nodes = np.asarray(gear.mesh.nodes) - np.asarray(craft.offset)
    undeformed = np.concatenate([nodes, np.zeros((n, 1))], 1)
    places[12:15, 0] = [*np.asarray(x["position"]), float(x["attitude"][0])]
    speeds[12:15, 0] = np.zeros(3) if craft.initial_velocity is None else np.asarray(craft.initial_velocity)
    places[18:, 0] = (undeformed + np.asarray(craft.model.displacement(x["shape"]))).ravel()
    rest = places.copy()
    rest[18:, 0] = undeformed.ravel()
    return speeds, places, rest


def _motion_rows(motion: Any, duration: float) -> list[list[float]]:
    """Return the path of a body: at the times of its table, at both ends if it is fixed, else every 0.1 s."""
    if isinstance(motion, TableMotion):
        times = np.asarray(motion.times)
    elif isinstance(motion, FixedFrame):
        times = np.array([0.0, duration])
    else:
        times = np.arange(0.0, duration + 0.05, 0.1)
    return [[t, *np.asarray(motion.planar_pose(t))] for t in times]


def _helo(craft):
    """Return the lines of Properties_helo.inp up to the dampers."""
    mounts = np.array([s.mount - craft.offset for s in craft.struts]).reshape(-1, 2)
    laws = [s.law for s in craft.struts]
    zero = [0.0] * len(laws)
    return [
        [float(craft.airframe.mass)],
        [float(np.ravel(craft.airframe.inertia)[0])],
        [len(laws)],
        mounts[:, 0],
        mounts[:, 1],
        zero,
        zero,
        [s.node for s in craft.struts],
        [float(law.free_length) for law in laws],
        [float(law.stiffness) for law in laws],
        [float(law.damping) for law in laws],
    ]


def read_inputs(folder: str | Path) -> dict[str, Any]:
    """Return the table of a test, for `dovetail.testing.parse`, from a folder of input files."""
    folder = Path(folder)
    simulation = _read(folder, "Simulation")
    helo = _read(folder, "Properties_helo")
    start = np.array(_read(folder, "ICs"))
    speeds, places = start[: len(start) // 2], start[len(start) // 2 :]
    gear = _gear_table(folder)
    system: dict[str, Any] = {
        "kind": "deck-aircraft",
        "initial_pose": places[12:15, 0].tolist(),
        "initial_velocity": speeds[12:15, 0].tolist(),
        "airframe": {"kind": "mass-properties", "mass": helo[0][0], "inertia": helo[1][0]},
        "gear": gear,
        "struts": [_strut_table(helo, i) for i in range(int(helo[2][0]))],
        **_contact_tables(folder),
        "platforms": [
            _platform_table(folder, name, file)
            for name, file in BODIES.items()
            if (folder / f"Polygon_{file}.inp").exists()
        ],
    }
    if len(helo) > 11:
        system["loads"] = read_loads(helo[11:], _read(folder, "Prescribed_aero"))
    table = {
        "title": folder.name,
        "rate": 1 / simulation[1][0],
        "duration": simulation[0][1] - simulation[0][0],
        "axes": ["port", "up"],
        "method": _method_table(simulation),
        "numerical": system,
    }
    given = [name for name, row in zip(MATRICES, simulation[4:7], strict=True) if row[0]]
    if given:
        gear["matrices"] = _matrices(folder, given, table)
    return table


def _gear_table(folder: Path) -> dict[str, Any]:
    """Return mesh, joints and damping of the gear."""
    rest = np.array(_read(folder, "Properties_FE_IC"))
    kinds = rest[18:, 1].reshape(-1, 3)
    nodes = rest[18:, 0].reshape(-1, 3)[:, :2]
    elements = np.array(_read(folder, "Properties_FE_map"))
    w1, xi1, w2, xi2, radius = (row[0] for row in _read(folder, "Properties_FE_damping"))
    interface = np.flatnonzero(kinds[:, 0] == 2) + 1
    gear = {
        "kind": "skid-gear",
        "contact": [int(i) + 1 for i in np.flatnonzero(kinds[:, 0] == 1)],
        "interface": [int(i) for i in interface],
        "joint": "fixed" if kinds[interface[0] - 1, 2] == 2 else "hinged",
        "radius": radius,
        "lower_omega": w1,
        "lower_ratio": xi1,
        "upper_ratio": xi2,
        "mesh": {
            "kind": "beam-mesh",
            "nodes": nodes.tolist(),
            "elements": elements[:, 1:3].astype(int).tolist(),
            **{name: elements[:, 3 + i].tolist() for i, name in enumerate(("E", "I", "A", "rho"))},
        },
    }
    return gear | ({"upper_omega": w2} if w2 > 0 else {})


def _strut_table(helo: list[list[float]], i: int) -> dict[str, Any]:
    """Return a strut from its column of Properties_helo.inp."""
    law = {
        "kind": "spring-damper-strut",
        "free_length": helo[8][i],
        "stiffness": helo[9][i],
        "damping": helo[10][i],
    }
    return {"kind": "strut", "node": int(helo[7][i]), "mount": [helo[3][i], helo[4][i]], "law": law}


def _contact_tables(folder: Path) -> dict[str, Any]:
    """Return the contact law and, if present, the friction law."""
    k_p, c_p, *rubbing = (row[0] for row in _read(folder, "Properties_contact_mech"))
    stiffness = {"kind": "stiffness", "k": k_p}
    law = {"kind": "kelvin-voigt", "stiffness": stiffness, "damping": c_p, "tension": "clamped"}
    values = dict(zip(FRICTION, rubbing, strict=True))
    return {"law": law} | (
        {"friction": {"kind": "bristle-friction"} | values} if values["mu_static"] > 0 else {}
    )


def _platform_table(folder: Path, name: str, file: str) -> dict[str, Any]:
    """Return a platform with its outline and its path."""
    rows = np.array(_read(folder, f"Prescribed_{file}"))
    return {
        "kind": "platform",
        "name": name,
        "parent": {"ship": "", "device": "ship"}.get(name, "device"),
        "body": {"kind": "polygon", "vertices": np.array(_read(folder, f"Polygon_{file}")).T.tolist()},
        "motion": {"kind": "table-motion", "times": rows[:, 0].tolist(), "values": rows[:, 1:].tolist()},
    }


def _method_table(simulation: list[list[float]]) -> dict[str, Any]:
    """Return the solver with the settings of the files."""
    method = {"kind": "contact-rosenbrock", "rtol": simulation[8][0], "atol": simulation[9][0]}
    if not simulation[13][0]:  # optional inputs are not set
        return method
    steps = zip(("restart_step", "max_step", "min_step"), simulation[14:17], strict=True)
    return method | {name: row[0] for name, row in steps if row[0] > 0}  # 0 stands for the solver's own


def _matrices(folder: Path, given: list[str], table: dict[str, Any]) -> str:
    """Write a file of M, C, K of the gear: the matrices in `given`, and the others from its mesh."""
    from dovetail.testing.test_file import parse

    own = zip(MATRICES, parse(table).numerical.gear.structure(), strict=True)
    read = {name: np.array(_read(folder, f"Properties_FE_{name}mat")) for name in given}
    file = folder / "matrices.npz"
    np.savez(file, **(dict(own) | read))
    return str(file)


def write_outputs(
    run: Any, folder: str | Path, flags: tuple[str, ...] = FLAGS, statistics: Any = None
) -> Path:
    """Write the output files of a run whose flags are given (the twelve of `Output_options.inp` of the source).

    With `statistics` of `solver_statistics` the file on the solver has the processor's time of each interval too.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data, craft = run.data, run.test.numerical
    t = data.time.values[:, None]

    def rows(name, *columns):
        flat = [c.reshape(len(t), -1) for c in columns]
        np.savetxt(folder / f"{name}.out", np.hstack([t, *flat]), fmt="%.10g")

    if "states" in flags:
        body = [data[n].values for n in ("velocity", "angular_velocity", "displacement", "attitude_angles")]
        rows("GEN_SOLUTION", *body, data["node_position"].values)
    if "contact" in flags:
        force = data["contact_force"].values
        rows("FORCE_CONTACT", np.concatenate([force, np.zeros_like(force[..., :1])], -1))
    if "induced" in flags:
        rows("FORCE_INDUCED", data["air_wrench"].values)
    if "stats" in flags and statistics is None:
        rows(
            "SIM_STATS", np.diff(data["solver_steps"].values, axis=0, prepend=0), data["solver_steps"].values
        )
    elif "stats" in flags:
        each = [statistics[name].values for name in ("evaluations", "events", "steps", "cpu")]
        table = [statistics.time.values, *(v for c in each for v in (c, np.cumsum(c)))]
        table.append(np.arange(1, len(statistics.time) + 1))
        np.savetxt(folder / "SIM_STATS.out", np.column_stack(table), fmt="%.10g")
    for i, platform in enumerate(craft.platforms):
        short = OUTPUTS[platform.name]
        if f"ocp {SHORT[short]}" in flags:
            rows(f"OCP_{short}", data["bristle_anchor"].values[:, :, i])
        if f"poly {SHORT[short]}" in flags:
            rows(
                f"POLY_{short}",
                np.stack([np.asarray(corners_at(craft.platforms, s)[i]) for s in data.time.values]),
            )
    return folder


def _write(folder, name, rows):
    text = "\n".join(" ".join(v if isinstance(v, str) else f"{v:.17g}" for v in row) for row in rows)
    (folder / f"{name}.inp").write_text(text + "\n", "utf-8")


def _read(folder, name):
    file = folder / f"{name}.inp"
    try:
        return [
            [float(v) for v in line.split()] for line in file.read_text("utf-8").splitlines() if line.strip()
        ]
    except (OSError, ValueError) as error:
        raise OutputError(f"{file}: {error}; expected numbers, one row per line") from error
