"""Distributions of axes against scipy's, cut or not; correlations against those that were asked for."""

import numpy as np
import pytest
from scipy import stats

from dovetail.campaign.axes import read_axis
from dovetail.campaign.distributions import correlated
from dovetail.campaign.plan import Campaign, parse
from dovetail.campaign.sampling import points
from dovetail.core.errors import ParameterError, TestFileError

SHARES = np.r_[1e-6, np.linspace(0.01, 0.99, 23), 1 - 1e-6]
RNG = np.random.default_rng(24)


def axis(**table):
    made, faults = read_axis({"path": "rig.specimen.k", **table}, "axis.0", "N/m")
    assert not faults, faults
    return made


@pytest.mark.parametrize("case", range(8))
def test_quantiles_are_those_of_the_distribution(case):
    mean, deviation = RNG.uniform(1e3, 3e3), RNG.uniform(50.0, 400.0)
    spread = np.sqrt(np.log1p((deviation / mean) ** 2))
    low, high = mean - RNG.uniform(1, 2) * deviation, mean + RNG.uniform(0.5, 2) * deviation
    likeliest = RNG.uniform(low, high)
    judged = {
        "normal": stats.norm(mean, deviation),
        "lognormal": stats.lognorm(spread, scale=mean / np.exp(spread**2 / 2)),
        "triangular": stats.triang((likeliest - low) / (high - low), low, high - low),
    }
    assert judged["lognormal"].mean() == pytest.approx(mean)
    assert judged["lognormal"].std() == pytest.approx(deviation)
    given = {"mean": mean, "deviation": f"{deviation / 1e3} kN/m"}
    for kind in ("normal", "lognormal"):
        free = axis(distribution=kind, **given)
        np.testing.assert_allclose(free.at(SHARES), judged[kind].ppf(SHARES), rtol=1e-9)
        cut = axis(distribution=kind, **given, **{"from": low, "to": high})
        inside = judged[kind].cdf([low, high])
        np.testing.assert_allclose(
            cut.at(SHARES), judged[kind].ppf(inside[0] + SHARES * np.ptp(inside)), rtol=1e-9
        )
        assert cut.at(np.array([0.0, 1.0])) == pytest.approx([low, high])
        assert np.isfinite(free.at(np.array([0.0, 1.0]))).all()
    same = axis(distribution="lognormal", median=float(judged["lognormal"].median()), dispersion=spread)
    np.testing.assert_allclose(same.at(SHARES), judged["lognormal"].ppf(SHARES), rtol=1e-9)
    drawn = axis(distribution="triangular", likeliest=likeliest, **{"from": low, "to": high})
    np.testing.assert_allclose(drawn.at(SHARES), judged["triangular"].ppf(SHARES), rtol=1e-9)


@pytest.mark.parametrize("kind", ["latin-hypercube", "sobol", "random"])
def test_correlated_axes_keep_their_distributions_and_have_the_correlations(kind):
    axes = [
        axis(name="a", distribution="normal", mean=2000.0, deviation=100.0),
        axis(name="b", distribution="lognormal", median=15.0, dispersion=0.4),
        axis(name="c", **{"from": 1.0, "to": 3.0}),
    ]
    asked = [("a", "b", 0.7), ("b", "c", -0.4)]
    table = points(axes, kind, 8192, 5, asked)
    behind = np.stack([table["a"], np.log(table["b"]), stats.norm.ppf((table["c"] - 1) / 2)])
    found = np.corrcoef(behind)
    # four standard errors of a correlation, (1 - r^2) / sqrt(n)
    for i, j, value in ((0, 1, 0.7), (1, 2, -0.4), (0, 2, 0.0)):
        assert abs(found[i, j] - value) < 4 * (1 - value**2) / np.sqrt(8192)
    judges = (stats.norm(2000, 100), stats.lognorm(0.4, scale=15.0), stats.uniform(1, 2))
    for column, judge in zip(table.values(), judges, strict=True):
        assert stats.kstest(column, judge.cdf).pvalue > 1e-3


def test_correlations_that_cannot_be_together_are_refused():
    shares = np.random.default_rng(0).random((4, 3))
    asked = [("a", "b", 0.9), ("b", "c", 0.9), ("a", "c", -0.9)]
    with pytest.raises(ParameterError, match="no variables have such correlations together"):
        correlated(shares, ["a", "b", "c"], asked)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"distribution": "norm"}, 'got "norm"; one of uniform, normal'),
        ({"distribution": 3}, "distribution: got 3; one of uniform"),
        ({"mean": 1.0, "deviation": 1.0}, "got mean and no distribution; one of"),
        ({"distribution": "normal", "mean": 1.0}, "normal needs mean and deviation; got mean"),
        ({"distribution": "normal", "median": 1.0, "dispersion": 1.0}, "normal needs mean and deviation"),
        ({"distribution": "lognormal", "median": -1.0, "dispersion": 1.0}, "median: got -1; must be above 0"),
        ({"distribution": "normal", "mean": 1.0, "deviation": 0.0}, "deviation: got 0; must be above 0"),
        ({"distribution": "normal", "mean": 1.0, "deviation": "1 mm"}, "which is mm; needs"),
        ({"distribution": "normal", "mean": 1.0, "deviation": 1.0, "count": 3}, "count: has no meaning"),
        ({"distribution": "normal", "mean": 1.0, "deviation": 1.0, "from": 2.0, "to": 1.0}, "is empty"),
        ({"distribution": "normal", "mean": 0.0, "deviation": 1.0, "from": 60.0}, "holds nothing"),
        (
            {"distribution": "triangular", "from": 0.0, "to": 1.0, "likeliest": 2.0},
            "likeliest: got 2; must be within 0 to 1",
        ),
    ],
)
def test_what_is_no_distribution_is_told(table, words):
    _, faults = read_axis({"path": "rig.specimen.k", **table}, "axis.0", "N/m")
    assert words in faults[0].text, faults


TABLE = {
    "test": "substructuring/cs1",
    "measures": ["peak displacement"],
    "axis": [
        {"path": "rig.actuator.delay", "distribution": "normal", "mean": "4 ms", "deviation": "1 ms"},
        {"path": "numerical.c", "name": "damping", "from": 10.0, "to": 20.0},
        {"path": "compensator.kind", "name": "law", "values": ["none"]},
    ],
    "correlation": [{"axes": ["delay", "damping"], "value": 0.5}],
    "design": {"kind": "random", "points": 6, "seed": 2},
}


def test_a_campaign_keeps_them_in_its_plain_data():
    campaign = parse(TABLE)
    again = Campaign.from_spec(campaign.spec())
    assert again == campaign
    for name, column in campaign.points().items():
        np.testing.assert_array_equal(again.points()[name], column)
    assert parse({**TABLE, "correlation": []}).fingerprint != campaign.fingerprint


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"correlation": 3}, "needs a list of tables"),
        ({"correlation": [{"axes": ["delay"], "value": 0.5}]}, "needs the names of two axes"),
        ({"correlation": [{"axes": ["delay", "dumping"], "value": 0.5}]}, 'did you mean "damping"'),
        ({"correlation": [{"axes": ["delay", "law"], "value": 0.5}]}, 'no axis with numbers "law"'),
        ({"correlation": [{"axes": ["delay", "damping"], "value": 1}]}, "must be above -1 and below 1"),
        ({"correlation": [{"axes": ["delay", "delay"], "value": 0.1}]}, "each pair once"),
        ({"design": {"kind": "saltelli", "points": 4}}, "a saltelli design has independent axes"),
        ({"correlation": [], "design": {"kind": "morris", "points": 4}}, "axis delay: has no ends"),
    ],
)
def test_what_cannot_be_drawn_is_told(change, words):
    with pytest.raises(TestFileError, match=words):
        parse({**TABLE, **change})
