"""The table of exchanges, by test files: every place takes every member, or says why not; a law of one's own too."""

import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import TestFileError
from dovetail.core.kinds import _kinds, kind, parts_by_kind
from dovetail.mechanics.airframe.implicit import LEDGER
from dovetail.mechanics.contact import DissipativeLaw, NormalLaw
from dovetail.mechanics.friction import Friction
from dovetail.studies.exchange import CONTACTS, FAMILIES, cross_table, law_table
from dovetail.studies.registry import find_test
from dovetail.testing import load
from dovetail.testing.paths import get

TOUCHING = {"law": parts_by_kind(NormalLaw), "friction": parts_by_kind(Friction)}
CASES = [(place, family) for place in CONTACTS for family in TOUCHING]
LAW = {"kind": "hertz", "stiffness": {"kind": "stiffness", "k": 1e5}}
OTHER = {  # what a part of another kind needs beside its law
    "rib-basket": {"law": LAW},
    "impact-pair": {"law": LAW, "gap": 0.138, "closing_direction": "negative"},
}


def changed(place, family, member, **other):
    """A test with another member of a family at a place, exchanged by its kind alone."""
    values = {f"{place.table}.kind": place.kind} if place.kind else {}
    values |= {f"{place.table}.{name}": value for name, value in OTHER.get(place.kind, {}).items()}
    return load(find_test(place.test), values | {f"{place.table}.{family}.kind": member} | other)


def walk(place, family, names):
    members = TOUCHING[family]
    for name in names:
        why_not = place.refusal(members[name])
        if why_not:
            with pytest.raises(TestFileError) as refused:
                changed(place, family, name)
            told = str(refused.value)
            assert "unknown key" in told if family == "friction" else "impact speed" in told
        else:
            test = changed(place, family, name)
            assert type(get(test, f"{place.table}.{family}")) is members[name]


TRIMMED = (
    "probe in a drogue",
    "funnel",
    "ribs",
    "feet of a gear",
)  # tests that seek their rest when they are read


@pytest.mark.parametrize(
    "i",
    [
        pytest.param(i, id=place.name, marks=[pytest.mark.slow] if place.name in TRIMMED[1:] else [])
        for i, place in enumerate(CONTACTS)
    ],
)
def test_a_use_accepts_a_kind_or_states_the_reason(i):
    for family, members in TOUCHING.items():
        walk(CONTACTS[i], family, [list(members)[i % len(members)]])


@pytest.mark.slow
@pytest.mark.parametrize(("place", "family"), CASES, ids=[f"{p.name}, {f}" for p, f in CASES])
def test_every_use_accepts_every_kind_or_states_the_reason(place, family):
    walk(place, family, TOUCHING[family])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_has_a_row_per_kind_and_a_column_per_use(family):
    base, places = FAMILIES[family]
    head, *rows = cross_table(family)
    assert head[1:] == tuple(place.name for place in places)
    assert [row[0] for row in rows] == list(parts_by_kind(base))
    assert {len(row) for row in rows} == {len(head)}
    cells = {cell for row in rows for cell in row[1:]} - {"yes"}
    assert cells <= {f"no: {why}" for place in places for _, why in place.cannot}
    assert bool(cells) == any(place.cannot for place in places)
    assert [row[0] for row in law_table(family)][1:] == list(parts_by_kind(base))


LANDINGS = [(family, name) for family, members in TOUCHING.items() for name in members]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "name"), LANDINGS, ids=[": ".join(case) for case in LANDINGS])
def test_an_aircraft_lands_with_every_law_without_energy_gain(family, name):
    place = next(place for place in CONTACTS if place.table == "numerical")
    fine = {"numerical.gear.mode_count": 4, "method.rtol": 1e-5, "method.atol": 1e-5}
    test = changed(place, family, name, duration=0.5, rate=100.0, **fine)
    data = test.simulate().data
    exchanged = np.ptp(data["kinetic_energy"].values)
    contact = data["work_by_source"].values[:, LEDGER.index("contact")]
    assert exchanged > 50.0  # [J]: it fell, and was stopped
    assert np.abs(data["energy_residual"].values).max() < 1e-3 * exchanged
    assert contact.max() <= 1e-6 * exchanged
    assert contact.min() < 0


# a law of one's own


@pytest.fixture
def own():
    """A law as a user would write it, for as long as a test lasts."""

    @kind("halfway-law")
    class Halfway(DissipativeLaw):
        r"""Between Hunt and Crossley's and that of Flores."""

        def damping_factor(self, restitution):
            return 0.75 * (1 - restitution) + 0.8 * (1 - restitution) / restitution

    yield Halfway
    del _kinds["halfway-law"]


def selectable(own, places):
    for place in places:
        if not place.refusal(own):
            assert type(get(changed(place, "law", "halfway-law"), f"{place.table}.law")) is own


def test_a_user_law_is_selectable_in_three_studies(own):
    places = [place for place in CONTACTS if place.name not in TRIMMED]
    assert {place.test.split("/")[0] for place in places} == {"docking", "refuelling", "shipboard"}
    selectable(own, places)


@pytest.mark.slow
def test_a_user_law_is_selectable_everywhere(own):
    selectable(own, CONTACTS)


def test_it_is_in_the_chart_of_contact_laws_and_in_the_documentation(own):
    parameter_map = load(find_test("docking/contact-laws"), {"map.restitution": [0.6]}).map
    data = parameter_map.compute()
    flores, hunt, ours = (
        float(data.realised.sel(law=name)[0]) for name in ("flores", "hunt-crossley", "halfway-law")
    )
    assert flores < ours < hunt
    assert "halfway-law" in parameter_map.summary(data)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
    try:
        from project_tables import TABLES
    finally:
        sys.path.pop(0)
    assert "halfway-law" in [row[0] for row in TABLES["laws"]("law")]
    assert "halfway-law" in [row[0] for row in TABLES["exchanges"]("law")]
    page = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "choose-a-contact-law.md"
    assert "```{project-table} laws law" in page.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("test", ["docking/impact-1dof", "refuelling/full-scale", "shipboard/case-1"])
def test_a_user_law_runs_in_three_studies(own, test):
    place = next(place for place in CONTACTS if place.test == test)
    short = {"docking/impact-1dof": 0.102, "refuelling/full-scale": 0.35, "shipboard/case-1": 0.4}[test]
    case = changed(place, "law", "halfway-law", duration=short)
    run = case.simulate() if hasattr(case, "simulate") else case.rehearse()
    data = run.data
    assert run.outcome.completed
    force = data["contact_force" if "contact_force" in data else "feedback_force"].values
    assert np.isfinite(force).all()
    assert np.abs(force).max() > 0
    assert bool(jnp.isfinite(data.time.values[-1]))
