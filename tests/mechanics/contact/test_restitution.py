import jax.numpy as jnp
import pytest

from dovetail.mechanics.contact import Flores, Goldsmith, HerbertMcWhannellRestitution


def test_goldsmith_decreases_linearly_to_zero():
    law = Goldsmith(alpha=0.2)
    assert float(law(jnp.array(0.1))) == pytest.approx(0.98)
    assert float(law(jnp.array(10.0))) == 0.0


def test_herbert_mcwhannell_at_01_metre_per_second():
    assert float(HerbertMcWhannellRestitution()(jnp.array(0.1))) == pytest.approx(1 - 0.026 * 0.1 ** (1 / 3))


def test_contact_law_uses_the_restitution_at_the_impact_speed():
    law = Flores(stiffness=1e9, restitution=0.5, restitution_law=Goldsmith(alpha=2.0))
    same = Flores(stiffness=1e9, restitution=0.8)
    assert float(law.force(1e-4, 0.05, 0.1)) == pytest.approx(float(same.force(1e-4, 0.05, 0.1)))
