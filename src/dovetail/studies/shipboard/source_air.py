"""Air loads in the file set of the source's own program: drag and rotor with the helicopter, wind and controls in time.

[Schock 2020, app. A.] Lines 12 to 29 of `Properties_helo.inp` have the centre of pressure, the plates, the hub and the
blade; `Prescribed_aero.inp` has rows of time, wind, rotor speed, collective, cyclic pitch and its azimuth, straight in
between. Places on the airframe are in the axes of the plane (port, up, forward), as table 6.1 has them; the wind is
forward, port, up. The files have one wind, air of 1.225 kg/m^3, and a rotor as printed: what they cannot hold is
refused, not left out.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.air import SteadyWind, WindDrag, WindTable
from dovetail.air.rotor import RotorLoad, RotorSchedule
from dovetail.core.errors import OutputError

PROFILE = ("chord", "twist", "thickness", "lift_slope", "lift_offset", "drag_slope", "drag_offset")
AS_PUBLISHED = {"inflow": "published", "forces": "thrust"}
DENSITY = 1.225  # [kg/m^3]
TO_PLANE, TO_SPACE = [1, 2, 0], [2, 0, 1]  # forward, port, up to port, up, forward; and back


def _parts(craft: Any) -> tuple[Any, Any]:
    """Drag and rotor of an aircraft, or None."""
    for load in craft.loads:
        if type(load) not in (WindDrag, RotorLoad):
            _cannot(f"a {type(load).__name__}", "wind on plates, and a rotor with a schedule")
        if float(load.density) != DENSITY:
            _cannot(f"air of {float(load.density):g} kg/m^3", f"{DENSITY} kg/m^3")
        if not isinstance(load.wind, SteadyWind | WindTable):
            _cannot(f"a {type(load.wind).__name__}", "one wind, steady or a table")
    loads = [next((x for x in craft.loads if type(x) is kind), None) for kind in (WindDrag, RotorLoad)]
    if len(craft.loads) > sum(x is not None for x in loads):
        _cannot("several loads of one kind", "one drag and one rotor")
    return loads[0], loads[1]


def _cannot(what: str, instead: str) -> None:
    raise OutputError(
        f"the source's files have no place for {what}; they hold {instead}. Do: write a variant with that"
    )


def helo_lines(craft: Any) -> list[list[float]]:
    """Lines 12 to 29 of `Properties_helo.inp`; none where there is no air load."""
    drag, load = _parts(craft)
    if drag is None and load is None:
        return []
    offset = np.concatenate([np.zeros(1), np.asarray(craft.offset)])
    plates = np.zeros((2, 3))
    if drag is not None:
        plates = np.array([np.asarray(drag.plates.centre) - offset, np.asarray(drag.plates.area)])
    lines: list[Any] = [*plates[:, TO_PLANE]]
    if load is None:
        return [*lines, [0.0] * 3, [0], *([0.0],) * 3, [0], [0], [0], *([0.0],) * 8]
    rotor, blade = load.rotor, load.rotor.blade
    for name, value in AS_PUBLISHED.items():
        if getattr(rotor, name) != value:
            _cannot(f'a rotor with {name} = "{getattr(rotor, name)}"', f'{name} = "{value}"')
    if blade.sampling != "ends":
        _cannot(f'blade elements with sampling = "{blade.sampling}"', 'sampling = "ends"')
    flat = not np.any(np.asarray(blade.thickness))
    if (rotor.section.compressibility == "off") != flat:
        _cannot("Mach effects apart from the thickness", "thickness 0 for none, else Kaplan's rule")
    stations = np.asarray(blade.stations)
    if not stations.size:
        stations = np.array([0.0, float(blade.radius)])
    profile = [np.broadcast_to(np.asarray(getattr(blade, name)), stations.shape) for name in PROFILE]
    shape = [[float(v)] for v in (rotor.blades, blade.radius, blade.root_cutout, blade.effective_radius)]
    counts = [[blade.elements], [rotor.sectors], [len(stations)]]
    return [*lines, (np.asarray(load.hub) - offset)[TO_PLANE], *shape, *counts, stations, *profile]


def aero_rows(craft: Any, duration: float) -> list[list[float]]:
    """Rows of `Prescribed_aero.inp`: wherever a table of wind or controls has a time."""
    drag, load = _parts(craft)
    if drag is None and load is None:
        return []
    winds = [x.wind for x in (drag, load) if x is not None]
    tables = [*winds, *([load.schedule] if load is not None else [])]
    times: set[float] = {0.0, float(duration)}
    for table in tables:
        if not isinstance(table, WindTable | RotorSchedule):
            continue  # no table
        at = np.asarray(table.times)
        times |= {float(v) for v in at[at <= duration]}
        if table.interpolation == "smooth":
            times |= {float(v) for v in np.arange(0.0, duration, 1e-2)}
    t = np.array(sorted(times))
    blown = [np.array([np.asarray(wind.velocity(s, jnp.zeros(3))) for s in t]) for wind in winds]
    if len(blown) == 2 and np.abs(blown[0] - blown[1]).max() > 0:
        _cannot("one wind for the plates and another for the rotor", "one wind")
    controls = np.zeros((len(t), 4))
    if load is not None:
        controls = np.array([[float(v) for v in load.schedule(jnp.asarray(s))] for s in t])
    return np.column_stack([t, blown[0], controls]).tolist()


def read_loads(lines: list[list[float]], rows: list[list[float]]) -> list[dict[str, Any]]:
    """Tables of the loads, from lines 12 on of `Properties_helo.inp` and the rows of `Prescribed_aero.inp`."""
    at = np.array(rows)
    wind = {"kind": "wind-table", "times": at[:, 0].tolist(), "wind": at[:, 1:4].tolist()}
    centre, area, hub = (np.array(line)[TO_SPACE].tolist() for line in lines[:3])
    loads = []
    if np.any(area):
        plates = {"kind": "flat-plates", "area": area, "centre": centre}
        loads.append({"kind": "wind-drag", "plates": plates, "wind": wind})
    blades, radius, inner, outer, elements, sectors, _ = (line[0] for line in lines[3:10])
    if blades:
        blade: dict[str, Any] = {
            "radius": radius,
            "root_cutout": inner,
            "effective_radius": outer,
            "elements": int(elements),
        }
        blade |= {"kind": "blade", "sampling": "ends", "stations": lines[10]}
        blade |= dict(zip(PROFILE, lines[11:18], strict=True))
        section = {
            "kind": "blade-section",
            "compressibility": "kaplan" if np.any(blade["thickness"]) else "off",
        }
        rotor = {"kind": "blade-element-rotor", "blades": int(blades), "sectors": int(sectors)}
        rotor |= AS_PUBLISHED | {"section": section, "blade": blade}
        names = ("speed", "collective", "cyclic", "azimuth")
        schedule = {"kind": "rotor-schedule", "times": at[:, 0].tolist()}
        schedule |= dict(zip(names, at[:, 4:].T.tolist(), strict=True))
        loads.append({"kind": "rotor-load", "hub": hub, "wind": wind, "rotor": rotor, "schedule": schedule})
    return loads
