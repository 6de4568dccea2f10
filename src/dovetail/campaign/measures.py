"""What is kept of a run: numbers computed inside the batch, or by any function of fidelity or of the user.

========================= ==================================================================================
`"peak displacement"`     of any recorded signal: `peak`, `rms`, `mean`, `least`, `most`, `last`
`"rms e1"`, `"peak e"`    errors against the ideal over its rms, as `fidelity.norms` has them (e1, e2, e)
`"fidelity.delay"`        any field of `fidelity.compare`: delay, gain, rest, growth_rate, rms.e2, ...
`"stability.margin"`      of `test.stability()` at each point: margin, growth, critical_delay; no run needed for it
`"module:function"`       of the user: `f(run)` or `f(run, ideal)`, datasets in, a number out
========================= ==================================================================================

The first two, and functions marked `@compiled`, are part of the compiled batch: traces are reduced where they are
made. The others get one run after another as a dataset, which costs about a millisecond each.

Where a limit was met, a run counts up to there, as a rehearsal does.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.core import signals
from dovetail.core.errors import ParameterError, UnknownNameError

ERRORS = ("e1", "e2", "e")
COMPARED = (
    *("delay", "gain", "rest", "opening", "growth_rate", "energy_added", "energy_share"),
    *(f"{norm}.{error}" for norm in ("rms", "peak") for error in ERRORS),
)


def _mean(x, n, m):
    return jnp.sum(jnp.where(m, x, 0.0), axis=0) / n


_OVER_TIME: dict[str, Callable[..., Any]] = {
    "peak": lambda x, n, m: jnp.max(jnp.where(m, jnp.abs(x), 0.0)),
    "rms": lambda x, n, m: jnp.sqrt(jnp.sum(_mean(x**2, n, m))),
    "mean": lambda x, n, m: jnp.mean(_mean(x, n, m)),
    "least": lambda x, n, m: jnp.min(jnp.where(m, x, jnp.inf)),
    "most": lambda x, n, m: jnp.max(jnp.where(m, x, -jnp.inf)),
    "last": lambda x, n, m: jnp.sum(
        jnp.where(jnp.arange(len(x)) == n - 1, jnp.reshape(x, (len(x), -1))[:, 0], 0.0)
    ),
}


@dataclass(frozen=True)
class Measure:
    """A number of a run. `compute` takes records, ideal records and the length of a tick (compiled), or datasets.

    A measure `of_test` takes the stability of the test instead.
    """

    name: str
    compute: Callable[..., Any]
    compiled: bool
    needs_ideal: bool
    unit: str = "1"
    about: str = ""
    of_test: bool = False  # of the test with a point's values, and not of a run


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a user's measure that is written in JAX: `f(records, ideal, dt)`, arrays by signal, time first.

    `records["kept"]` is true for every sample that counts; `ideal` is None where the campaign has no ideal.
    """
    function.compiled = True  # type: ignore[attr-defined]  # a mark on the function itself
    return function


def read_measure(text: str) -> Measure:
    """A measure from its words."""
    if ":" in text:
        return _user(text)
    if text.startswith("fidelity."):
        return _fidelity(text.removeprefix("fidelity."))
    if text.startswith("stability."):
        return _stability(text.removeprefix("stability."))
    how, _, what = text.partition(" ")
    if how not in _OVER_TIME or not what:
        raise ParameterError(
            f'"{text}": is no measure; say "peak displacement", "rms e1", "fidelity.delay", "stability.margin" or '
            '"module:function" '
            f"({', '.join(_OVER_TIME)} of a signal)"
        )
    if what in ERRORS:
        if how not in ("peak", "rms"):
            raise ParameterError(f'"{text}": of an error there are peak and rms')
        return Measure(
            f"{how}_{what}", _error(how, what), True, True, "1", f"{how} of {what} over rms of the ideal"
        )
    signal = signals.signal(what.replace(" ", "_"))
    name = what.replace(" ", "_")
    return Measure(f"{how}_{name}", _reduced(how, name), True, False, signal.unit, f"{how} of {signal.label}")


def _reduced(how: str, name: str) -> Callable[..., Any]:
    def compute(records, ideal, dt):
        if name not in records:
            raise UnknownNameError(
                "recorded signal", name, [key for key in records if key != "kept"], renamed="signals"
            )
        x = records[name]
        kept = jnp.reshape(records["kept"], (len(x), *(1,) * (x.ndim - 1)))
        return _OVER_TIME[how](x, jnp.sum(records["kept"]), kept)

    return compute


def _error(how: str, which: str) -> Callable[..., Any]:
    def compute(records, ideal, dt):
        kept = records["kept"]
        z, x, true = records["displacement"], records["measured_displacement"], ideal["displacement"]
        kept, n = jnp.reshape(kept, (len(z), *(1,) * (z.ndim - 1))), jnp.sum(kept)
        e = {"e1": true - z, "e2": z - x, "e": true - x}[which]
        size = (
            jnp.sqrt(_mean(e**2, n, kept))
            if how == "rms"
            else jnp.max(jnp.where(kept, jnp.abs(e), 0.0), axis=0)
        )
        return jnp.max(size / jnp.sqrt(_mean(true**2, n, kept)))  # of the worst axis

    return compute


def _fidelity(field: str) -> Measure:
    if field not in COMPARED:
        raise UnknownNameError("field of fidelity.compare", field, COMPARED, renamed="measures.fidelity")

    def compute(run, ideal):
        from dovetail.fidelity import compare

        value: Any = compare(run, ideal)
        for step in field.split("."):
            value = value[step] if isinstance(value, dict) else getattr(value, step)
        return float(np.max(np.abs(value))) if np.ndim(value) else float(value)

    unit = {"delay": "s", "growth_rate": "1/s", "energy_added": "J"}.get(field, "1")
    return Measure(
        "fidelity_" + field.replace(".", "_"),
        compute,
        False,
        True,
        unit,
        f"{field} of the comparison with the ideal",
    )


STABILITY = {  # measure: field of `testing.Stability`, unit, meaning
    "margin": ("margin", "s", "extra delay that the loop as it runs bears"),
    "growth": ("growth_rate", "1/s", "growth rate of the sampled loop"),
    "critical_delay": ("critical_delay", "s", "critical delay of the substructures"),
}


WORSE = {"stability_growth": 1.0, "stability_margin": -1.0, "stability_critical_delay": -1.0}  # else the size


def _stability(name: str) -> Measure:
    """A number of `test.stability()`; infinite where no delay destabilises, NaN where it is not known."""
    if name not in STABILITY:
        raise UnknownNameError("measure of stability", name, STABILITY, renamed="measures.stability")
    field, unit, about = STABILITY[name]

    def compute(outlook):
        return float(getattr(outlook, field))

    return Measure(f"stability_{name}", compute, False, False, unit, about, of_test=True)


def _user(text: str) -> Measure:
    function = find_function(text)
    name = text.rpartition(":")[2]
    if getattr(function, "compiled", False):
        return Measure(name, function, True, False, about=_first_line(function))
    taken = len(inspect.signature(function).parameters)
    required = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.default is p.empty and p.kind < p.VAR_POSITIONAL
    ]
    if taken < 1 or len(required) > 2:
        raise ParameterError(f'"{text}": a measure takes a run, or a run and the ideal')
    alone = len(required) == 1

    def compute(run, ideal):
        value = np.asarray(function(run) if alone else function(run, ideal), float)
        return float(value) if value.ndim == 0 else float(np.max(np.abs(value)))

    return Measure(name, compute, False, not alone, about=_first_line(function))


def find_function(text: str) -> Callable[..., Any]:
    """The function that `"module:function"` names.

    Raises
    ------
    ParameterError
        If there is no such module, or nothing of that name in it.
    """
    module, _, name = text.partition(":")
    if not module or not name:
        raise ParameterError(f'"{text}": names no function; write "module:function"')
    try:
        found = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ParameterError(
            f'"{text}": {error}; the module must be importable here, and on every worker of a cluster'
        ) from error
    except AttributeError as error:
        raise ParameterError(f'"{text}": {module} has no {name}') from error
    if not callable(found):
        raise ParameterError(f'"{text}": is no function')
    return found


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def cut(records: Mapping[str, np.ndarray], kept: np.ndarray) -> dict[str, np.ndarray]:
    """Records up to where a run counts."""
    return {name: np.asarray(values)[kept] for name, values in records.items()}
