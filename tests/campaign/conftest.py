"""A model of a few numbers in a file of parts, as a user's would be; and a small campaign over it."""

import pytest

from dovetail.campaign import parse

MODEL = '''
import jax.numpy as jnp

from dovetail.campaign import requires, returns


def oscillator(mass, stiffness=100.0, damping=1.0, law="linear"):
    """Natural frequency and damping ratio."""
    power = {"linear": 0.5, "square": 1.0}[law]
    frequency = (stiffness / mass) ** power
    return {"frequency": frequency, "ratio": damping / (2 * jnp.sqrt(stiffness * mass))}


def many(points):
    if any(p["mass"] == 3.0 for p in points):
        raise ZeroDivisionError("three is too many")
    return {"double": [2 * p["mass"] for p in points]}


@returns(omega="rad/s")
@requires("mass", stiffness=100.0)
def frequencies(points):
    return {"omega": [(p["stiffness"] / p["mass"]) ** 0.5 for p in points]}


def wide(mass):
    return {"pair": jnp.array([mass, mass])}


def largest(run):
    return float(abs(run["displacement"]).max())


not_a_function = 3
'''


@pytest.fixture
def models(tmp_path):
    """Files of parts, as a campaign names them: one, `campaign_models.py`."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "campaign_models.py").write_text(MODEL)
    return [str(folder / "campaign_models.py")]


@pytest.fixture
def small(models):
    """Twelve points of a grid in chunks of four."""

    def make(**changes):
        table = {
            "model": "campaign_models:oscillator",
            "parts": models,
            "chunk": 4,
            "batch": 2,
            "parameter": [
                {"path": "mass", "unit": "kg", "values": [1.0, 2.0, 4.0, 8.0]},
                {"path": "damping", "values": [0.5, 1.0, 2.0]},
            ],
        }
        return parse({**table, **changes})

    return make
