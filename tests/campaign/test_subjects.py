"""Models and evaluations: batched, in words grouped, and failing point by point."""

import dataclasses

import numpy as np
import pytest

from dovetail.campaign import parse
from dovetail.campaign.plan import Campaign
from dovetail.campaign.subjects import subject_of
from dovetail.core.errors import AnalysisError, TestFileError


def evaluated(table):
    campaign = parse(table)
    return subject_of(campaign).evaluate(campaign.points())


def test_a_model_is_evaluated_at_every_point(small):
    campaign = small()
    points = campaign.points()
    found = subject_of(campaign).evaluate(points).values
    np.testing.assert_allclose(found["frequency"].array, np.sqrt(100 / points["mass"]), rtol=1e-15)
    np.testing.assert_allclose(
        found["ratio"].array, points["damping"] / 20 / np.sqrt(points["mass"]), rtol=1e-15
    )


def test_text_values_select_kinds_and_constants_are_set(models):
    found = evaluated(
        {
            "model": "campaign_models:oscillator",
            "parts": models,
            "set": {"stiffness": 400.0},
            "parameter": [
                {"path": "law", "values": ["linear", "square"]},
                {"path": "mass", "values": [1.0, 4.0]},
            ],
        }
    )
    np.testing.assert_allclose(found.values["frequency"].array, [20, 10, 400, 100])


def test_a_point_that_is_not_finite_has_failed(models):
    parameter = {"path": "mass", "values": [-1.0, 1.0]}
    found = evaluated({"model": "campaign_models:oscillator", "parts": models, "parameter": [parameter]})
    assert found.reasons == {0: "frequency is not finite"}
    assert np.isfinite(found.values["frequency"].array[1])


def test_an_evaluation_that_raises_loses_only_the_points_to_blame(models):
    parameter = {"path": "mass", "values": [1.0, 2.0, 3.0, 4.0, 5.0]}
    found = evaluated({"evaluate": "campaign_models:many", "parts": models, "parameter": [parameter]})
    assert found.reasons == {2: "ZeroDivisionError: three is too many"}
    np.testing.assert_array_equal(found.values["double"].array, [2, 4, np.nan, 8, 10])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"model": "campaign_models:nothing"}, "has no nothing"),
        ({"model": "no_such_module:f"}, 'no file of parts "no_such_module.py"'),
        ({"model": "campaign_models:not_a_function"}, "is not a function"),
        (
            {"parameter": [{"path": "weight", "values": [1]}]},
            'no parameter of campaign_models:oscillator "weight"',
        ),
        ({"parameter": [{"path": "damping", "values": [1]}]}, "needs mass"),
    ],
)
def test_a_model_with_wrong_arguments_is_reported(models, change, text):
    table = {
        "model": "campaign_models:oscillator",
        "parts": models,
        "parameter": [{"path": "mass", "values": [1]}],
    }
    with pytest.raises(TestFileError, match=text):
        parse({**table, **change})


def test_a_model_with_wrong_shapes_is_reported(models):
    with pytest.raises(AnalysisError, match=r"pair has the shape \(2,\); expected one number"):
        evaluated(
            {"model": "campaign_models:wide", "parts": models, "parameter": [{"path": "mass", "values": [1]}]}
        )


def test_an_evaluation_receives_all_its_declared_inputs(models):
    parameter = {"path": "mass", "values": [1.0, 4.0]}
    found = evaluated({"evaluate": "campaign_models:frequencies", "parts": models, "parameter": [parameter]})
    np.testing.assert_array_equal(found.values["omega"].array, [10, 5])
    assert found.values["omega"].attrs == {"units": "rad/s"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("mas", 'no parameter of campaign_models:frequencies "mas"; did you mean "mass"'),
        ("colour", "known: mass, stiffness"),
        ("stiffness", "needs mass; add a"),
    ],
)
def test_an_unknown_input_of_an_evaluation_is_reported(models, path, text):
    with pytest.raises(TestFileError, match=text):
        parse(
            {
                "evaluate": "campaign_models:frequencies",
                "parts": models,
                "parameter": [{"path": path, "values": [1]}],
            }
        )


def test_the_source_of_a_user_function_belongs_to_the_campaign(small, tmp_path):
    campaign = small()
    assert "from dovetail.campaign import requires, returns" in campaign.parts["campaign_models"]
    elsewhere = Campaign.from_dict(campaign.to_dict())  # on a worker, without the file
    (tmp_path / "modules" / "campaign_models.py").unlink()
    again = subject_of(elsewhere).evaluate(campaign.points()).values["frequency"].array
    np.testing.assert_array_equal(
        again, subject_of(campaign).evaluate(campaign.points()).values["frequency"].array
    )
    assert dataclasses.replace(campaign, parts={"campaign_models": []}).fingerprint != campaign.fingerprint
