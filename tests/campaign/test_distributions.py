"""Distributions of parameters compared with SciPy, truncated or not; correlations compared with the requested ones."""

import numpy as np
import pytest
from scipy import stats

from dovetail.campaign.axes import read_parameter
from dovetail.campaign.distributions import correlate
from dovetail.campaign.plan import Campaign, parse
from dovetail.campaign.sampling import points
from dovetail.core.errors import ParameterError, TestFileError

FRACTIONS = np.r_[1e-6, np.linspace(0.01, 0.99, 23), 1 - 1e-6]
RNG = np.random.default_rng(24)


def parameter(**table):
    made, faults = read_parameter({"path": "rig.specimen.k", **table}, "parameter.0", "N/m")
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
        free = parameter(distribution=kind, **given)
        np.testing.assert_allclose(free.values_at(FRACTIONS), judged[kind].ppf(FRACTIONS), rtol=1e-9)
        cut = parameter(distribution=kind, **given, **{"min": low, "max": high})
        inside = judged[kind].cdf([low, high])
        np.testing.assert_allclose(
            cut.values_at(FRACTIONS), judged[kind].ppf(inside[0] + FRACTIONS * np.ptp(inside)), rtol=1e-9
        )
        assert cut.values_at(np.array([0.0, 1.0])) == pytest.approx([low, high])
        assert np.isfinite(free.values_at(np.array([0.0, 1.0]))).all()
    same = parameter(distribution="lognormal", median=float(judged["lognormal"].median()), dispersion=spread)
    np.testing.assert_allclose(same.values_at(FRACTIONS), judged["lognormal"].ppf(FRACTIONS), rtol=1e-9)
    drawn = parameter(distribution="triangular", likeliest=likeliest, **{"min": low, "max": high})
    np.testing.assert_allclose(drawn.values_at(FRACTIONS), judged["triangular"].ppf(FRACTIONS), rtol=1e-9)


@pytest.mark.parametrize("kind", ["latin-hypercube", "sobol", "random"])
def test_correlated_parameters_keep_their_distributions_and_have_the_correlations(kind):
    parameters = [
        parameter(name="a", distribution="normal", mean=2000.0, deviation=100.0),
        parameter(name="b", distribution="lognormal", median=15.0, dispersion=0.4),
        parameter(name="c", **{"min": 1.0, "max": 3.0}),
    ]
    correlations = [("a", "b", 0.7), ("b", "c", -0.4)]
    table = points(parameters, kind, 8192, 5, correlations)
    behind = np.stack([table["a"], np.log(table["b"]), stats.norm.ppf((table["c"] - 1) / 2)])
    found = np.corrcoef(behind)
    # four standard errors of a correlation, (1 - r^2) / sqrt(n)
    for i, j, value in ((0, 1, 0.7), (1, 2, -0.4), (0, 2, 0.0)):
        assert abs(found[i, j] - value) < 4 * (1 - value**2) / np.sqrt(8192)
    judges = (stats.norm(2000, 100), stats.lognorm(0.4, scale=15.0), stats.uniform(1, 2))
    for column, judge in zip(table.values(), judges, strict=True):
        assert stats.kstest(column, judge.cdf).pvalue > 1e-3


def test_inconsistent_correlations_are_rejected():
    fractions = np.random.default_rng(0).random((4, 3))
    correlations = [("a", "b", 0.9), ("b", "c", 0.9), ("a", "c", -0.9)]
    with pytest.raises(ParameterError, match="not possible together"):
        correlate(fractions, ["a", "b", "c"], correlations)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ({"distribution": "norm"}, 'got "norm"; expected one of uniform, normal'),
        ({"distribution": 3}, "distribution: got 3; expected one of uniform"),
        ({"mean": 1.0, "deviation": 1.0}, "got mean without a distribution; expected one of"),
        ({"distribution": "normal", "mean": 1.0}, "normal needs mean and deviation; got mean"),
        ({"distribution": "normal", "median": 1.0, "dispersion": 1.0}, "normal needs mean and deviation"),
        ({"distribution": "lognormal", "median": -1.0, "dispersion": 1.0}, "median: got -1; must be above 0"),
        ({"distribution": "normal", "mean": 1.0, "deviation": 0.0}, "deviation: got 0; must be above 0"),
        ({"distribution": "normal", "mean": 1.0, "deviation": "1 mm"}, "which is mm; needs"),
        ({"distribution": "normal", "mean": 1.0, "deviation": 1.0, "count": 3}, "count: not used"),
        ({"distribution": "normal", "mean": 1.0, "deviation": 1.0, "min": 2.0, "max": 1.0}, "is empty"),
        ({"distribution": "normal", "mean": 0.0, "deviation": 1.0, "min": 60.0}, "has no probability"),
        (
            {"distribution": "triangular", "min": 0.0, "max": 1.0, "likeliest": 2.0},
            "likeliest: got 2; must be within 0 to 1",
        ),
    ],
)
def test_an_invalid_distribution_is_reported(table, text):
    _, faults = read_parameter({"path": "rig.specimen.k", **table}, "parameter.0", "N/m")
    assert text in faults[0].text, faults


TABLE = {
    "test": "substructuring/cs1",
    "measures": ["peak displacement"],
    "parameter": [
        {"path": "rig.actuator.delay", "distribution": "normal", "mean": "4 ms", "deviation": "1 ms"},
        {"path": "numerical.c", "name": "damping", "min": 10.0, "max": 20.0},
        {"path": "compensator.kind", "name": "law", "values": ["none"]},
    ],
    "correlation": [{"parameters": ["delay", "damping"], "coefficient": 0.5}],
    "design": {"kind": "random", "count": 6, "seed": 2},
}


def test_the_plain_data_of_a_campaign_contain_distributions():
    campaign = parse(TABLE)
    again = Campaign.from_dict(campaign.to_dict())
    assert again == campaign
    for name, column in campaign.points().items():
        np.testing.assert_array_equal(again.points()[name], column)
    assert parse({**TABLE, "correlation": []}).fingerprint != campaign.fingerprint


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"correlation": 3}, "expected a list of tables"),
        (
            {"correlation": [{"parameters": ["delay"], "coefficient": 0.5}]},
            "expected the names of two parameters",
        ),
        (
            {"correlation": [{"parameters": ["delay", "dumping"], "coefficient": 0.5}]},
            'did you mean "damping"',
        ),
        (
            {"correlation": [{"parameters": ["delay", "law"], "coefficient": 0.5}]},
            'no numeric parameter "law"',
        ),
        (
            {"correlation": [{"parameters": ["delay", "damping"], "coefficient": 1}]},
            "must be above -1 and below 1",
        ),
        ({"correlation": [{"parameters": ["delay", "delay"], "coefficient": 0.1}]}, "each pair once"),
        ({"design": {"kind": "saltelli", "count": 4}}, "a saltelli design has independent parameters"),
        ({"correlation": [], "design": {"kind": "morris", "count": 4}}, "parameter delay: is unbounded"),
    ],
)
def test_a_distribution_that_cannot_be_sampled_is_reported(change, text):
    with pytest.raises(TestFileError, match=text):
        parse({**TABLE, **change})
