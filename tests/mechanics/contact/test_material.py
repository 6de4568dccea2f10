import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.contact import Material

# E [GPa], nu: Bondoky 2020, tables 4.2 and 8.1
PUBLISHED = {
    "steel": (200, 0.3),
    "aluminium": (69, 0.34),
    "polyimide": (4, 0.35),
    "rubber": (0.1, 0.5),
    "aluminium-2007": (71, 0.33),
    "peek": (4.34, 0.4),
    "ptfe": (0.45, 0.42),
}


def test_library_has_the_published_materials():
    library = parts_by_kind(Material)
    assert set(PUBLISHED) <= set(library)
    for name, (gigapascal, poisson) in PUBLISHED.items():
        material = library[name]()
        assert float(material.modulus) == pytest.approx(1e9 * gigapascal)
        assert float(material.poisson) == poisson


def test_user_material():
    assert float(Material(modulus=3e9, poisson=0.0).plane_modulus) == 3e9


@pytest.mark.parametrize("wrong", [{"modulus": 0.0}, {"modulus": -1e9}, {"poisson": 0.51}])
def test_impossible_material_is_an_error(wrong):
    with pytest.raises(ParameterError, match=f"Material.{next(iter(wrong))}: got"):
        Material(**wrong)
