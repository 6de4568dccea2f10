"""Numerical substructure defined by a user function."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Input, Output, Parameter, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.base import Substructure


def _named(function: str | Callable[..., Any]) -> str:
    """Return the import path of a function, "module:name"; a string is returned unchanged."""
    if isinstance(function, str):
        return function
    place = f"{function.__module__}:{function.__qualname__}"
    try:
        importable = _find(place)
    except ParameterError:
        importable = None
    if importable is not function:
        raise ParameterError(
            f"FunctionModel.function: {function.__qualname__} cannot be imported as {place}; define it at "
            "the top level of a module, so that a saved test can refer to it"
        )
    return place


def _find(place: str) -> Callable[..., Any]:
    module, colon, name = place.partition(":")
    try:
        if not colon:
            raise ValueError("no colon")
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ParameterError(
            f'FunctionModel.function: "{place}" not found ({error}); expected "module:name" of a function in '
            "a module that Python can import"
        ) from error
    if not callable(function):
        raise ParameterError(f'FunctionModel.function: "{place}" is not callable; name a function')
    model: Callable[..., Any] = function
    return model


def _arrays(values: Mapping[str, Any]) -> dict[str, jax.Array]:
    traced = jax.core.Tracer
    return {name: v if isinstance(v, traced) else jnp.asarray(v, float) for name, v in values.items()}


@kind("function-model")
class FunctionModel(Substructure):
    """Numerical substructure with linear or nonlinear equations in a function of time, state, input and parameters.

    .. code-block:: python

        def cubic_spring(t, x, u, p):      # in an importable module, here lab.models
            z, v = x
            a = (u["force"] - p["c"] * v - p["k"] * z - p["k3"] * z**3) / p["m"]
            return (v, a), {"displacement": z, "velocity": v, "acceleration": a}

    The function returns the rate of the state and the output. Displacement and velocity in the output must
    follow from the state alone. In Python pass the function itself, in a test file its import path, `function =
    "lab.models:cubic_spring"`. The input holds `excitation`, `excitation_rate` and `force`. The parameters
    are traced, so they can be scheduled, batched and differentiated. Use `jax.numpy` and do not branch on
    values. Further output signals are recorded under their names, which must be declared
    (`dovetail.core.signals.declare`).

    Reading a test file that names a function imports the module of the function.
    """

    function: str = eqx.field(static=True, converter=_named)
    start: Parameter = parameter("1", "initial state, one entry for each state")
    parameters: dict[str, float] = eqx.field(converter=_arrays, default_factory=dict)

    def __check_init__(self) -> None:
        _find(self.function)
        if isinstance(self.start, jax.Array) and self.start.ndim == 0:
            raise ParameterError(
                "FunctionModel.start: expected a list with one entry for each state, got a number"
            )

    def init(self) -> jax.Array:
        return self.start

    def derivative(self, t: Time, x: State, u: Input) -> State:
        rate, _ = _find(self.function)(t, x, u, self.parameters)
        return jnp.asarray(rate)

    def output(self, t: Time, x: State, u: Input) -> Output:
        return _find(self.function)(t, x, u, self.parameters)[1]
