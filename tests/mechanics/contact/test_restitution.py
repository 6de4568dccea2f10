import jax.numpy as jnp
import pytest

from dovetail.mechanics.contact import Flores, Goldsmith, HerbertMcWhannellRestitution


def test_goldsmith_falls_linearly_and_stops_at_zero():
    law = Goldsmith(alpha=0.2)
    assert float(law(jnp.array(0.1))) == pytest.approx(0.98)
    assert float(law(jnp.array(10.0))) == 0.0


def test_herbert_mcwhannell_at_a_tenth_of_a_metre_a_second():
    assert float(HerbertMcWhannellRestitution()(jnp.array(0.1))) == pytest.approx(1 - 0.026 * 0.1 ** (1 / 3))


def test_a_contact_law_takes_its_restitution_from_the_impact_speed():
    law = Flores(stiffness=1e9, restitution=0.5, restitution_law=Goldsmith(alpha=2.0))
    same = Flores(stiffness=1e9, restitution=0.8)
    assert float(law.force(1e-4, 0.05, 0.1)) == pytest.approx(float(same.force(1e-4, 0.05, 0.1)))
