"""Targets of contact laws and the modelled 1-DOF testbed: chapters 4 and 5 of Bondoky's thesis."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np

from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.contact import (
    Aluminium,
    ConstantStiffness,
    DissipativeLaw,
    HertzPair,
    KelvinVoigt,
    Polyimide,
    realised_restitution,
)
from dovetail.studies.docking.impact import ImpactPairing, Instruments, sensor_omega, total_delay_omega
from dovetail.studies.docking.scenarios import RADIUS, SAMPLE, SENSOR_CH5, Scenario, impacts

OLD = ("hunt-crossley", "herbert-mcwhannell", "lee-wang", "lankarani-nikravesh")
NEW = ("gonthier", "zhiying-qishao", "flores")
TABLE_DELAYS = [0.2e-3, 0.4e-3, 0.6e-3, 0.8e-3, 1.0e-3, 1.2e-3]  # [s] table 5.2
STEEL_PAIR = Scenario("steel", "steel", 10.0, 10.0, 0.1)  # ch. 4, table 4.1; radius assumed


def combined_modulus() -> list[float]:
    """RT-01: E* [Pa] and R* [m] of polyimide on aluminium."""
    pair = HertzPair(Polyimide(), Aluminium(), RADIUS)
    return [float(pair.modulus), float(pair.radius)]


def realised_by_law() -> list[float]:
    """RT-02: realised restitution of the seven laws for projected values of 0.5 and 0.8."""
    return [float(realised_restitution(_factor(name, c))) for c in (0.5, 0.8) for name in (*OLD, *NEW)]


def best_above_80() -> bool:
    """RT-02: the three laws nearest to a projected restitution of 0.9 are those of the source."""
    return _best(0.9, 3) == {"herbert-mcwhannell", "zhiying-qishao", "flores"}


def best_below_80() -> list[bool]:
    """RT-02: the three newer laws are nearest at each restitution below 0.8 in the source."""
    return [_best(c, 3) == set(NEW) for c in (0.5, 0.6, 0.7)]


def best_very_low() -> bool:
    """RT-02: the nearest law at a projected restitution of 0.1 is that of the source."""
    return _best(0.1, 1) == {"gonthier"}


def _best(c: float, count: int) -> set[str]:
    miss = {name: abs(float(realised_restitution(_factor(name, c))) - c) for name in (*OLD, *NEW)}
    return set(sorted(miss, key=lambda name: miss[name])[:count])


def elastic_limit() -> list[float]:
    """RT-03: largest realised loss of the laws at a projected restitution of 1."""
    return [max(1 - float(realised_restitution(_factor(name, 1.0))) for name in (*OLD, *NEW))]


def newer_laws_turn() -> list[bool]:
    """RT-04: with increasing restitution the peak force first decreases, then increases, by law."""
    return [bool(np.any(np.diff(_peaks(name)) < 0) and _peaks(name)[-2] < _peaks(name)[-1]) for name in NEW]


def older_laws_fall() -> list[bool]:
    """RT-04: the peak force decreases with decreasing restitution at all values, by law."""
    return [bool(np.all(np.diff(_peaks(name)) > 0)) for name in OLD]


def _peaks(name: str) -> np.ndarray:
    """Return the peak force [N] at the restitutions of sec. 4.4.3.3, in increasing order."""
    c = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    pairing = impacts([STEEL_PAIR] * len(c), c, law=parts_by_kind(DissipativeLaw)[name])
    return np.asarray(pairing.ideal.peak_force)


def least_peak_force() -> list[float]:
    """RT-04: restitution with the smallest peak force of Flores' law, and that force over the Hertz force."""
    c = np.linspace(0.4, 1.0, 61)
    peaks = np.asarray(impacts([STEEL_PAIR] * len(c), c).ideal.peak_force)
    return [float(c[np.argmin(peaks)]), float(peaks.min() / peaks[-1])]


def kelvin_voigt_defects() -> list[bool]:
    """RT-05: the force at first contact is positive; it is negative before separation."""
    law = KelvinVoigt(stiffness=1e7, damping=1e3)
    return [float(law.force(0.0, 0.1, 0.1)) > 0, float(law.force(1e-7, -0.08, 0.1)) < 0]


def peak_force_by_speed() -> list[bool]:
    """RT-06: peak forces of all laws increase with speed; they differ by less than 5 %; the difference grows."""
    speeds = np.linspace(0.01, 0.15, 8)
    scenarios = [Scenario("steel", "steel", 10.0, 10.0, float(v)) for v in speeds]
    laws = [parts_by_kind(DissipativeLaw)[name] for name in (*OLD, *NEW)]
    peaks = np.stack([np.asarray(impacts(scenarios, 0.8, law=law).ideal.peak_force) for law in laws])
    low, high = peaks.min(0), peaks.max(0)
    return [
        bool(np.all(np.diff(peaks, axis=1) > 0)),
        bool(np.all(high / low < 1.05)),
        bool(np.all(np.diff(high - low) > 0)),
    ]


def material_order() -> list[bool]:
    """RT-07: a stiffer material gives a higher force, a smaller penetration and a shorter contact."""
    names = ("steel", "aluminium", "polyimide", "rubber")
    ideal = impacts([Scenario(name, name, 10.0, 10.0, 0.1) for name in names]).ideal
    return [
        bool(np.all(np.diff(ideal.peak_force) < 0)),
        bool(np.all(np.diff(ideal.peak_depth) > 0)),
        bool(np.all(np.diff(ideal.duration) > 0)),
    ]


def material_values() -> list[float]:
    """Peak force [N], penetration [um] and duration [ms] of four materials: regression values."""
    names = ("steel", "aluminium", "polyimide", "rubber")
    ideal = impacts([Scenario(name, name, 10.0, 10.0, 0.1) for name in names]).ideal
    rows = np.stack([ideal.peak_force, 1e6 * ideal.peak_depth, 1e3 * ideal.duration], 1)
    return [float(v) for v in rows.ravel()]


# chapter 5


@cache
def table_5_2() -> ImpactPairing:
    """Return the sample scenario at the six delays, resolutions 1 um and 1 N."""
    return delays(TABLE_DELAYS, SAMPLE, position=1e-6, force=1.0)


def delays(values, scenario: Scenario, *, sensor=SENSOR_CH5, position=0.0, force=0.0) -> ImpactPairing:
    """Simulate one scenario at several actuator delays [s]."""
    count = len(values)
    tools = Instruments(
        total_delay_omega(np.asarray(values)),
        sensor,
        position_resolution=position,
        force_resolution=force,
    )
    return impacts([scenario] * count, instruments=tools)


def sample_docking() -> list[float]:
    """RT-08: rebound [m/s] of the reference solution."""
    return [float(table_5_2().ideal.rebound[4])]


def sample_docking_values() -> list[float]:
    """RT-08: peak force [N], penetration [um], duration [ms] of the reference solution: regression values."""
    ideal = table_5_2().ideal
    return [float(ideal.peak_force[4]), 1e6 * float(ideal.peak_depth[4]), 1e3 * float(ideal.duration[4])]


def sample_hil() -> float:
    """RT-09: rebound [m/s] with instruments."""
    return float(table_5_2().hil.rebound[4])


def velocity_errors() -> list[float]:
    """RT-10: velocity errors [%]."""
    p = table_5_2()
    return _list(100 * (p.hil.rebound / p.ideal.rebound - 1))


def force_errors() -> list[float]:
    """RT-11: largest force difference [N]."""
    return _list(table_5_2().force_difference)


def force_errors_percent() -> list[float]:
    """RT-12: largest force difference over the reference force at that time [%]."""
    p = table_5_2()
    return _list(100 * p.force_difference / p.force_then)


def depth_errors() -> list[float]:
    """RT-13: largest difference of penetration [um]."""
    return _list(1e6 * table_5_2().depth_difference)


def depth_errors_percent() -> list[float]:
    """RT-14: largest difference of penetration over the reference at that time [%]."""
    p = table_5_2()
    return _list(100 * p.depth_difference / p.depth_then)


def force_integral_errors() -> list[float]:
    """RT-15: integral of the absolute force difference over the integral of the reference force [%]."""
    p = table_5_2()
    return _list(100 * p.force_area / p.ideal.force_integral)


def depth_integral_errors() -> list[float]:
    """RT-16: integral of the absolute difference of penetration over the integral of the reference [%]."""
    p = table_5_2()
    return _list(100 * p.depth_area / p.ideal.depth_integral)


def bandwidth_of_delay() -> list[float]:
    """RT-17: bandwidth [kHz] for total delays of 1 and 1.2 ms."""
    return _list(total_delay_omega(np.array([1e-3, 1.2e-3])) / (2e3 * np.pi))


def key_parameters() -> list[bool]:
    """RT-18: the velocity error varies far more with the actuator delay than with either resolution."""
    by_delay = velocity_errors()
    by_position = resolution_effects()
    tools = Instruments(4000.0, SENSOR_CH5, force_resolution=np.array([0.1, 1.0, 10.0, 100.0]))
    p = impacts([SAMPLE] * 4, instruments=tools)
    by_force = _list(100 * (p.hil.rebound / p.ideal.rebound - 1))
    span = [max(values) - min(values) for values in (by_delay, by_position, by_force)]
    return [span[0] > 50.0, span[1] < 0.5, span[2] < 0.5]


def mass_sweep() -> list[float]:
    """RT-19: velocity error [%] at 1 ms for the six pairs of masses."""
    masses = [(10, 10), (35, 35), (35, 70), (50, 50), (50, 100), (175, 375)]
    return _errors([Scenario("polyimide", "aluminium", float(a), float(b), 0.1) for a, b in masses])


def mass_order() -> bool:
    """RT-19: the error decreases with increasing reduced mass."""
    return bool(np.all(np.diff(mass_sweep()) < 0))


def mass_ratio() -> bool:
    """RT-19: two pairs with equal reduced mass have equal errors."""
    same = _errors(
        [
            Scenario("polyimide", "aluminium", 50.0, 50.0, 0.1),
            Scenario("polyimide", "aluminium", 37.5, 75.0, 0.1),
        ]
    )
    return abs(same[0] - same[1]) < 1e-9


def velocity_sweep() -> list[float]:
    """RT-20: velocity error [%] at 1 ms for 7.5, 10, 15 and 20 cm/s."""
    return _errors([Scenario("polyimide", "aluminium", 30.0, 75.0, v) for v in (0.075, 0.1, 0.15, 0.2)])


def velocity_order() -> bool:
    """RT-20: the error increases slightly over the six speeds of sec. 5.4.5.2."""
    speeds = (0.075, 0.1, 0.125, 0.15, 0.175, 0.2)
    errors = _errors([Scenario("polyimide", "aluminium", 30.0, 75.0, v) for v in speeds])
    return bool(np.all(np.diff(errors) > 0) and errors[-1] < 2 * errors[0])


def material_sweep() -> list[float]:
    """RT-21: velocity error [%] at 1 ms for Al-Al, Al-polyimide, polyimide-polyimide."""
    pairs = [("aluminium", "aluminium"), ("polyimide", "aluminium"), ("polyimide", "polyimide")]
    return _errors([Scenario(*pair, 30.0, 75.0, 0.1) for pair in pairs])


def material_sweep_order() -> bool:
    """RT-21: Al-Al far above Al-polyimide above polyimide-polyimide."""
    a, b, c = material_sweep()
    return a > 2 * b and b > c


def swapped_materials() -> bool:
    """RT-40: polyimide on aluminium and aluminium on polyimide have equal results."""
    p = impacts([SAMPLE, Scenario("aluminium", "polyimide", 30.0, 75.0, 0.1)])
    return all(bool(leaf[0] == leaf[1]) for leaf in (p.hil.peak_force, p.hil.rebound, p.hil.peak_depth))


def resolution_effects() -> list[float]:
    """Velocity error [%] at 1 ms for 0.1, 1 and 10 um of position resolution."""
    tools = Instruments(
        4000.0, SENSOR_CH5, position_resolution=jnp.array([0.1e-6, 1e-6, 10e-6]), force_resolution=1.0
    )
    p = impacts([SAMPLE] * 3, instruments=tools)
    return _list(100 * (p.hil.rebound / p.ideal.rebound - 1))


def sensor_delay_matters() -> list[float]:
    """Velocity error [%] at 1 ms for sensor delays of 0.1, 0.5 and 1 ms."""
    tools = Instruments(4000.0, sensor_omega(np.array([0.1e-3, 0.5e-3, 1e-3])))
    p = impacts([SAMPLE] * 3, instruments=tools)
    return _list(100 * (p.hil.rebound / p.ideal.rebound - 1))


def sensor_delay_is_no_key() -> bool:
    """RT-18: the sensor delay changes the error by less than 10 % of the change by the actuator delay."""
    by_sensor, by_actuator = sensor_delay_matters(), velocity_errors()
    return max(by_sensor) - min(by_sensor) < 0.1 * (max(by_actuator) - min(by_actuator))


def _errors(scenarios: list[Scenario]) -> list[float]:
    """Return the velocity errors [%] of scenarios at an actuator delay of 1 ms, resolutions 1 um and 1 N."""
    tools = Instruments(4000.0, SENSOR_CH5, position_resolution=1e-6, force_resolution=1.0)
    p = impacts(scenarios, instruments=tools)
    return _list(100 * (p.hil.rebound / p.ideal.rebound - 1))


def _factor(name: str, restitution: float):
    law: type[DissipativeLaw] = parts_by_kind(DissipativeLaw)[name]
    return law(ConstantStiffness(1.0)).damping_factor(np.float64(restitution))


def _list(values) -> list[float]:
    return [float(v) for v in np.asarray(values)]
