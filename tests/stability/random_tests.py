"""Random lightly damped tests, and the verdict on each held against a second opinion."""

import numpy as np

import dovetail as dv
from dovetail.testing.stability_at_rest import delays

from .independent_solver import Case, Judge

KINDS = ("spring", "storey", "relaxing")


def as_test(case: Case) -> dv.Test:
    """The case as a hybrid test on a rig late by one tick."""
    specimen = {
        "spring": lambda: dv.specimens.Spring(k=case.k, c=case.c),
        "storey": lambda: dv.specimens.Storey(
            mass=case.m, stiffness=case.k, damping_ratio=case.c / (2 * np.sqrt(case.k * case.m))
        ),
        "relaxing": lambda: dv.specimens.StandardLinearSolid(
            k=case.k, relaxing_fraction=case.share, tau=case.tau
        ),
    }[case.kind]()
    frame = dv.mechanics.Frame(
        mass=case.mass,
        stiffness=case.stiffness,
        damping_ratio=case.damping_ratio,
        specimen_storey=case.at + 1,
    )
    return dv.Test(frame, dv.Rig(dv.transfer.Delay(1e-4), specimen), rate=10_000.0, duration=1.0)


def faults(
    case: Case, test: dv.Test | None = None, simulate: bool = True
) -> tuple[list[str], dict[str, int]]:
    """What the verdict on a case gets wrong, and what kind of case it was."""
    judge, found = Judge(case), delays(test or as_test(case))
    critical, frequency = found.critical()
    if judge.heavy:
        return ([] if critical == 0.0 else [f"heavy specimen, yet {critical:g} s"]), {"heavy": 1}
    claimed = [gain.omega for gain in found.gains]
    wrong = []
    if found.unstable:
        wrong.append(f"{found.unstable} unstable roots of a passive structure")
    if len(claimed) != judge.crossing_count():
        wrong.append(f"{len(claimed)} crossings claimed, {judge.crossing_count()} there")
    wrong += [
        f"false crossing at {gain.omega:g} rad/s"
        for gain in found.gains
        if judge.sense(gain.omega) != gain.sense
    ]
    true = judge.first_loss(claimed)
    if not (critical == true or abs(critical / true - 1) < 1e-6):
        wrong.append(f"critical delay {critical:g} s, truly {true:g} s")
    kind = {"finite": int(np.isfinite(critical))}
    if wrong or not 0 < critical < np.inf:
        return wrong, kind
    stretches = found.stable_delays(up_to=3 * critical)
    kind["islands"] = int(len(stretches) > 1)
    for low, high in stretches:  # in the middle of an island no pair, just beyond it one or more
        if judge.pairs(claimed, 0.5 * (low + min(high, 3 * critical))) or not judge.pairs(
            claimed, high * (1 + 1e-7)
        ):
            wrong.append(f"stable from {low:g} to {high:g} s is not so")
    if simulate:
        beyond = 1.03 * critical
        if judge.pairs(claimed, beyond) == 0:  # a tongue narrower than that: its middle
            beyond = 0.5 * (critical + stretches[1][0])
        inside, outside = (judge.grows(delay, max(claimed)) for delay in (0.97 * critical, beyond))
        if not inside < 0 < outside:
            wrong.append(
                f"at {critical:g} s and {frequency:g} rad/s, simulated {inside:g} and {outside:g} 1/s"
            )
    return wrong, kind
