"""Measures of a run: numbers computed inside the batch, or by a function of `fidelity` or of the user.

========================= ==================================================================================
`"peak displacement"`     of any recorded signal: `peak`, `rms`, `mean`, `min`, `max`, `final`
`"rms e1"`, `"peak e"`    errors over the rms of the reference solution, as in `fidelity.norms` (e1, e2, e)
`"fidelity.delay"`        any field of `fidelity.compare`: delay, gain, residual, growth_rate, rms.e2, ...; or an
                          error of the first contact: rebound_speed_error, peak_force_error, ...
`"stability.margin"`      of `test.stability()` at each point, without a run: margin, growth, critical_delay
`"file:function"`         function of the user: `f(run)` or `f(run, reference)`, datasets in, a number out
========================= ==================================================================================

The first two, and functions marked `@jax_measure`, are part of the compiled batch, which stores no signals for them.
The others are computed run by run from a dataset, about a millisecond each.

If a limit is reached, the samples up to it count, as in a rehearsal.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.core import signals, user_parts
from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.core.renamed import new_name, remark

STUDIES = "dovetail.studies."  # prefix of the modules that a campaign may name
ERRORS = ("e1", "e2", "e")
CONTACT_ERRORS = (  # of the first contact, as in [accept]
    *("rebound_speed_error", "rebound_energy_error", "peak_force_error", "penetration_error"),
    "contact_duration_error",
)
FIDELITY_FIELDS = (
    *("delay", "gain", "residual", "loop_opening", "growth_rate", "energy_added", "added_energy_fraction"),
    *(f"{norm}.{error}" for norm in ("rms", "peak") for error in ERRORS),
    *CONTACT_ERRORS,
)


def _mean(x, n, m):
    return jnp.sum(jnp.where(m, x, 0.0), axis=0) / n


_OVER_TIME: dict[str, Callable[..., Any]] = {
    "peak": lambda x, n, m: jnp.max(jnp.where(m, jnp.abs(x), 0.0)),
    "rms": lambda x, n, m: jnp.sqrt(jnp.sum(_mean(x**2, n, m))),
    "mean": lambda x, n, m: jnp.mean(_mean(x, n, m)),
    "min": lambda x, n, m: jnp.min(jnp.where(m, x, jnp.inf)),
    "max": lambda x, n, m: jnp.max(jnp.where(m, x, -jnp.inf)),
    "final": lambda x, n, m: jnp.sum(
        jnp.where(jnp.arange(len(x)) == n - 1, jnp.reshape(x, (len(x), -1))[:, 0], 0.0)
    ),
}


@dataclass(frozen=True)
class Measure:
    """Number computed from a run.

    `compute` takes records, reference records and the tick length if compiled, otherwise datasets. If `of_test`, it
    takes the stability of the test.
    """

    name: str
    compute: Callable[..., Any]
    is_compiled: bool
    needs_reference: bool
    unit: str = "1"
    about: str = ""
    of_test: bool = False  # computed from the test with the values of a point, without a run


def jax_measure(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a user measure written in JAX: `f(records, reference, dt)`, arrays by signal name, time first.

    `records["valid"]` is true for every sample that counts; `reference` is None without the reference solution.
    """
    function.is_jax_measure = True  # type: ignore[attr-defined]  # a mark on the function itself
    return function


def read_measure(text: str) -> Measure:
    """Return the measure that a text names."""
    if ":" in text:
        return _user_measure(text)
    if text.startswith("fidelity."):
        return _fidelity_measure(text.removeprefix("fidelity."))
    if text.startswith("stability."):
        return _stability_measure(text.removeprefix("stability."))
    reduction, _, label = text.partition(" ")
    if reduction not in _OVER_TIME or not label:
        hint = remark(new_name("measures", reduction)) if label else ""
        raise ParameterError(
            f'"{text}": unknown measure; '
            + (
                hint
                or 'expected "peak displacement", "rms e1", "fidelity.delay", "stability.margin" or '
                f'"module:function" ({", ".join(_OVER_TIME)} of a signal)'
            )
        )
    if label in ERRORS:
        if reduction not in ("peak", "rms"):
            raise ParameterError(f'"{text}": unknown measure of an error; expected peak or rms')
        about = f"{reduction} of {label} over rms of the reference solution"
        return Measure(f"{reduction}_{label}", _error_measure(reduction, label), True, True, "1", about)
    name = label.replace(" ", "_")
    signal = signals.signal(name)
    return Measure(
        f"{reduction}_{name}",
        _signal_measure(reduction, name),
        True,
        False,
        signal.unit,
        f"{reduction} of {signal.label}",
    )


def _signal_measure(reduction: str, name: str) -> Callable[..., Any]:
    def compute(records, reference, dt):
        if name not in records:
            raise UnknownNameError(
                "recorded signal", name, [key for key in records if key != "valid"], renamed="signals"
            )
        x = records[name]
        mask = jnp.reshape(records["valid"], (len(x), *(1,) * (x.ndim - 1)))
        return _OVER_TIME[reduction](x, jnp.sum(records["valid"]), mask)

    return compute


def _error_measure(norm: str, error: str) -> Callable[..., Any]:
    def compute(records, reference, dt):
        mask = records["valid"]
        z, x, true = records["displacement"], records["measured_displacement"], reference["displacement"]
        mask, n = jnp.reshape(mask, (len(z), *(1,) * (z.ndim - 1))), jnp.sum(mask)
        e = {"e1": true - z, "e2": z - x, "e": true - x}[error]
        size = (
            jnp.sqrt(_mean(e**2, n, mask))
            if norm == "rms"
            else jnp.max(jnp.where(mask, jnp.abs(e), 0.0), axis=0)
        )
        return jnp.max(size / jnp.sqrt(_mean(true**2, n, mask)))  # of the axis with the largest error

    return compute


def _fidelity_measure(field: str) -> Measure:
    if field not in FIDELITY_FIELDS:
        raise UnknownNameError(
            "field of fidelity.compare", field, FIDELITY_FIELDS, renamed="measures.fidelity"
        )

    def compute(run, reference):
        from dovetail.fidelity import compare, first_contact_errors

        if field in CONTACT_ERRORS:
            return first_contact_errors(run, reference)[field]
        value: Any = compare(run, reference)
        for step in field.split("."):
            value = value[step] if isinstance(value, dict) else getattr(value, step)
        return float(np.max(np.abs(value))) if np.ndim(value) else float(value)

    unit = {"delay": "s", "growth_rate": "1/s", "energy_added": "J"}.get(field, "1")
    about = f"{field} of the comparison with the reference solution"
    return Measure("fidelity_" + field.replace(".", "_"), compute, False, True, unit, about)


STABILITY = {  # measure: field of `testing.Stability`, unit, meaning
    "margin": ("margin", "s", "delay margin of the sampled loop"),
    "growth": ("growth_rate", "1/s", "growth rate of the sampled loop"),
    "critical_delay": ("critical_delay", "s", "critical delay of the substructures"),
}


# sign of the worst value; a measure that is not listed is worst where its magnitude is largest
WORST_SIGN = {"stability_growth": 1.0, "stability_margin": -1.0, "stability_critical_delay": -1.0}


def _stability_measure(name: str) -> Measure:
    """Return a measure of `test.stability()`: infinite if stable for any delay, NaN if not determined."""
    if name not in STABILITY:
        raise UnknownNameError("measure of stability", name, STABILITY, renamed="measures.stability")
    field, unit, about = STABILITY[name]

    def compute(stability):
        return float(getattr(stability, field))

    return Measure(f"stability_{name}", compute, False, False, unit, about, of_test=True)


def _user_measure(text: str) -> Measure:
    function = find_function(text)
    name = text.rpartition(":")[2]
    if getattr(function, "is_jax_measure", False):
        return Measure(name, function, True, False, about=_first_line(function))
    parameters = inspect.signature(function).parameters
    required = [p for p in parameters.values() if p.default is p.empty and p.kind < p.VAR_POSITIONAL]
    if len(parameters) < 1 or len(required) > 2:
        raise ParameterError(f'"{text}": expected a function of a run, or of a run and the reference')
    run_only = len(required) == 1

    def compute(run, reference):
        value = np.asarray(function(run) if run_only else function(run, reference), float)
        return float(value) if value.ndim == 0 else float(np.max(np.abs(value)))

    return Measure(name, compute, False, not run_only, about=_first_line(function))


def find_function(text: str) -> Callable[..., Any]:
    """Return the function named `"file:function"` of a file of parts, or `"dovetail.studies.module:function"`.

    Only files of parts that are loaded and the studies are searched: a campaign file of another person must not import
    a module that happens to be in the current folder, nor call a function such as `shutil.rmtree`.

    Raises
    ------
    UnknownNameError
        If the file of parts is not loaded.
    ParameterError
        If the module or the function does not exist.
    """
    module, _, name = text.partition(":")
    if not module or not name:
        raise ParameterError(f'"{text}": is not the name of a function; expected "file:function"')
    try:
        of_study = module.startswith(STUDIES)
        function = getattr(importlib.import_module(module) if of_study else user_parts.module(module), name)
    except ImportError as error:
        raise ParameterError(f'"{text}": {error}') from error
    except AttributeError as error:
        raise ParameterError(f'"{text}": {module} has no {name}') from error
    if not callable(function) or (of_study and getattr(function, "__module__", "") != module):
        raise ParameterError(f'"{text}": is not a function')
    return function


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def select_samples(records: Mapping[str, np.ndarray], valid: np.ndarray) -> dict[str, np.ndarray]:
    """Return the samples of all records that count."""
    return {name: np.asarray(values)[valid] for name, values in records.items()}
