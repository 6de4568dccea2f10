"""Blocks, integration methods, steady states, linearisation, signals, units and errors.

Depends on: no other package of Dovetail. Parts are displayed through `extensions`.

Importing this package sets float64 as the default of JAX and selects XLA options:

- Simulation loops are compiled as one function. By default XLA does this only for loops that use less than a kilobyte
  in a step; larger loops run each operation separately, about seven times slower.
- Code outside of such loops is compiled by XLA's older emitter, in half the time and memory.
- Programs carry no source locations, which reduces the time from function to program by a fifth. The environment
  variable `JAX_TRACEBACK_IN_LOCATIONS_LIMIT=10` restores them.

A guard (`programs`) drops compiled programs before a process reaches its limits. `program_cache` stores programs for
later processes.
"""

import os as _os
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

_FLAGS = ["--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=1048576"]
if _version("jaxlib").startswith("0.10."):  # XLA ends the process at an unknown flag
    _FLAGS.append("--xla_cpu_use_fusion_emitters=false")
for _flag in _FLAGS:
    if _flag.partition("=")[0] not in _os.environ.get("XLA_FLAGS", ""):
        _os.environ["XLA_FLAGS"] = f"{_os.environ.get('XLA_FLAGS', '')} {_flag}".strip()

import jax as _jax  # noqa: E402

_jax.config.update("jax_enable_x64", True)
_LOCATIONS = "jax_traceback_in_locations_limit"
if _LOCATIONS.upper() not in _os.environ and _LOCATIONS in _jax.config.values:
    _jax.config.update(_LOCATIONS, 0)

from dovetail.core import program_cache as _program_cache  # noqa: E402
from dovetail.core import program_text as _texts  # noqa: E402
from dovetail.core import programs as _programs  # noqa: E402, F401  (guards all later compilations)
from dovetail.lazily import lazily as _lazily  # noqa: E402

if TYPE_CHECKING:
    from dovetail.core import roles, signals
    from dovetail.core.block import Block, Flow, Method, Part, Sampled
    from dovetail.core.kinds import kind, parts_by_kind
    from dovetail.core.linear import LinearModel, Modes, linearise, modes
    from dovetail.core.methods import (
        BDF2,
        RK4,
        DormandPrince5,
        DormandPrince8,
        Euler,
        GeneralisedAlpha,
        ImplicitEuler,
        Rosenbrock3,
        SemiImplicitEuler,
        check_step,
        stability_limit,
    )
    from dovetail.core.parameter import Parameter, choice, constant, count, parameter

_program_cache.enable()
_texts.share()
_lazily(__name__)

__all__ = [
    "BDF2",
    "RK4",
    "Block",
    "DormandPrince5",
    "DormandPrince8",
    "Euler",
    "Flow",
    "GeneralisedAlpha",
    "ImplicitEuler",
    "LinearModel",
    "Method",
    "Modes",
    "Parameter",
    "Part",
    "Rosenbrock3",
    "Sampled",
    "SemiImplicitEuler",
    "check_step",
    "choice",
    "constant",
    "count",
    "kind",
    "linearise",
    "modes",
    "parameter",
    "parts_by_kind",
    "roles",
    "signals",
    "stability_limit",
]
