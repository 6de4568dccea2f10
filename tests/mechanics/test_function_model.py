"""A function of one's own as a numerical substructure."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import ParameterError
from dovetail.mechanics import FunctionModel, Oscillator
from dovetail.testing.test_file import dump, parse

PARAMETERS = {"m": 2.2, "c": 15.0, "k": 2250.0, "k3": 0.0}


def hardening(t, x, u, p):
    """Mass on a spring that hardens, from a moving support."""
    z, v = x
    reach = z - u["excitation"]
    support = p["c"] * (v - u["excitation_rate"]) + p["k"] * reach + p["k3"] * reach**3
    a = (u["force"] - support) / p["m"]
    return (v, a), {"displacement": z, "velocity": v, "acceleration": a}


def test_a_linear_function_is_the_oscillator():
    model = FunctionModel(hardening, start=[0.01, 0.3], parameters=PARAMETERS)
    u = {"excitation": 0.004, "excitation_rate": -0.2, "force": 7.0}
    expected = Oscillator(m=2.2, c=15.0, k=2250.0).output(0.0, {"z": 0.01, "v": 0.3}, u)
    shown = model.output(0.0, model.init(), u)
    np.testing.assert_allclose(model.derivative(0.0, model.init(), u), [0.3, expected["acceleration"]])
    assert {k: float(v) for k, v in shown.items()} == pytest.approx(
        {k: float(v) for k, v in expected.items()}
    )


def test_parameters_are_differentiable():
    u = {"excitation": 0.0, "excitation_rate": 0.0, "force": 0.0}

    def acceleration(k3):
        model = FunctionModel(hardening, start=[0.1, 0.0], parameters={**PARAMETERS, "k3": k3})
        return model.output(0.0, model.init(), u)["acceleration"]

    assert float(jax.grad(acceleration)(jnp.asarray(5.0))) == pytest.approx(-(0.1**3) / 2.2)


def test_a_test_with_a_function_is_written_by_name_and_read_back():
    test = dv.Test(
        numerical=FunctionModel(hardening, start=[0.0, 0.0], parameters=PARAMETERS),
        rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        duration=0.1,
    )
    table = dump(test)
    assert table["numerical"]["function"] == f"{__name__}:hardening"
    again = parse(table)
    assert again.numerical.parameters["k"] == 2250.0
    assert dump(again) == table


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("no_such_module:f", "not found"),
        ("dovetail.mechanics:no_such_name", "not found"),
        ("dovetail.mechanics", "no colon"),
        ("dovetail.mechanics:__doc__", "is not callable"),
    ],
)
def test_a_path_without_function_is_reported(place, text):
    with pytest.raises(ParameterError, match=text):
        FunctionModel(place, start=[0.0])


def test_a_function_without_importable_name_is_rejected():
    with pytest.raises(ParameterError, match="define it at the top level of a module"):
        FunctionModel(lambda t, x, u, p: (x, {}), start=[0.0])


def test_a_single_number_is_rejected_as_state():
    with pytest.raises(ParameterError, match="expected a list"):
        FunctionModel(hardening, start=0.0)
