"""A part of one's own that does not fit is refused with its name, the signal and both shapes."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import pytest

from dovetail.compensation import Compensator
from dovetail.core import Parameter, parameter
from dovetail.core.errors import TestFileError
from dovetail.mechanics import Substructure
from dovetail.specimens.base import Memoryless
from dovetail.transfer import Transfer


class Pair(Substructure):
    """Two masses on springs, wrong as asked."""

    k: Parameter = parameter("N/m", "stiffness", default=100.0)
    velocity_axes: int = eqx.field(default=2, static=True)
    rate_size: int = eqx.field(default=2, static=True)

    def init(self):
        return {"x": jnp.zeros(2), "v": jnp.zeros(2)}

    def derivative(self, t, x, u):
        return {"x": x["v"], "v": (u["force"] - self.k * x["x"])[: self.rate_size]}

    def output(self, t, x, u):
        return {
            "displacement": x["x"],
            "velocity": x["v"][: self.velocity_axes],
            "acceleration": u["force"] - self.k * x["x"],
        }


class Spring(Memoryless):
    """A specimen for two axes, or one that cannot take them."""

    k: Parameter = parameter("N/m", "stiffness", default=(10.0, 10.0))

    def output(self, t, x, u):
        return {"force": -self.k * u["displacement"]}


class Lag(Transfer):
    """Gives less than it takes."""

    def init(self):
        return jnp.zeros(2)

    def step(self, t, dt, x, u):
        return u[:1], u[:1]


class Silent(Compensator):
    """Names its output wrongly."""

    def init(self):
        return ()

    def step(self, t, dt, x, u):
        return x, {"comand": u["displacement"]}


class Ratchet(Memoryless):
    """Branches on a value at the end of a step."""

    k: Parameter = parameter("N/m", "stiffness", default=(10.0, 10.0))

    def output(self, t, x, u):
        return {"force": -self.k * u["displacement"]}

    def jump(self, t, x, u):
        return x if u["displacement"][0] > 0 else ()


class OneState(Ratchet):
    """State of one axis, with a rate for each axis."""

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        return u["velocity"] - x

    def jump(self, t, x, u):
        return {"x": x}


@pytest.fixture
def told(make_cs1):
    def told(specimen=None, actuator=None, **parts) -> list[str]:
        test = make_cs1(delay=0.0)
        rig = dataclasses.replace(test.rig, specimen=specimen or Spring())
        rig = rig if actuator is None else dataclasses.replace(rig, actuator=actuator)
        test = dataclasses.replace(test, rig=rig, **({"numerical": Pair()} | parts))
        try:
            test.prepare()
        except TestFileError as error:
            return [f"{fault.path}: {fault.text}" for fault in error.faults]
        return []

    return told


def test_matching_parts_have_no_fault(told):
    assert told() == []


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {"numerical": Pair(velocity_axes=1)},
            'numerical: Pair returns "velocity" of shape (1,), but the interface has shape (2,)',
        ),
        (
            {"numerical": Pair(rate_size=1)},
            'numerical: Pair has a state "v" of shape (2,), but derivative returns shape (1,)',
        ),
        (
            {"specimen": Spring(k=jnp.ones(3))},
            "rig.specimen: Spring cannot be evaluated for 2 axes",
        ),
        ({"specimen": Spring(k=jnp.ones(3))}, "mul got incompatible shapes for broadcasting: (3,), (2,)"),
        ({"specimen": Ratchet()}, "use jnp.where"),
        ({"specimen": OneState()}, "return jnp.zeros(self.shape) from init"),
        ({"specimen": OneState()}, "return the same structure from init and jump"),
        (
            {"actuator": Lag()},
            'rig.actuator: Lag returns "signal" of shape (1,), but the interface has shape (2,)',
        ),
        (
            {"actuator": Lag()},
            "rig.actuator: Lag has a state of shape (2,), but step returns shape (1,)",
        ),
        (
            {"compensator": Silent()},
            'compensator: Silent returns comand; the loop needs "command" of shape (2,)',
        ),
    ],
)
def test_a_wrong_shape_names_the_part_the_signal_and_both_shapes(told, parts, said):
    assert any(said in text for text in told(**parts)), told(**parts)
