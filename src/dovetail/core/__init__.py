"""Blocks, integration, trim, linearisation, signals and units, errors.

Depends on: nothing else of Dovetail; a part asks report to show it in a notebook.

Importing this package sets float64 as JAX's default and lets XLA compile whole simulation loops as one
function: by default XLA's CPU compiler does so only for loops that touch less than a kilobyte in a step,
and dispatches every operation of a larger one separately, which costs a hybrid loop a factor of seven. What is
outside of such loops is compiled by XLA's older emitter, in half the time and memory, from texts that share the
compiler's context (`texts`) and do not say of every operation where in the source it stands, which takes a fifth of
the time from a function to its program (`JAX_TRACEBACK_IN_LOCATIONS_LIMIT=10` brings it back). A guard (`programs`)
drops compiled programs before a process holds too many, and they are kept for the next process (`kept_programs`).
"""

import os as _os
from importlib.metadata import version as _version
from typing import TYPE_CHECKING

_FLAGS = ["--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=1048576"]
if _version("jaxlib").startswith("0.10."):  # XLA ends the process at a flag that it does not know
    _FLAGS.append("--xla_cpu_use_fusion_emitters=false")
for _flag in _FLAGS:
    if _flag.partition("=")[0] not in _os.environ.get("XLA_FLAGS", ""):
        _os.environ["XLA_FLAGS"] = f"{_os.environ.get('XLA_FLAGS', '')} {_flag}".strip()

import jax as _jax  # noqa: E402

_jax.config.update("jax_enable_x64", True)
_PLACES = "jax_traceback_in_locations_limit"
if _PLACES.upper() not in _os.environ and _PLACES in _jax.config.values:
    _jax.config.update(_PLACES, 0)

from dovetail.core import program_cache as _kept_programs  # noqa: E402
from dovetail.core import program_text as _texts  # noqa: E402
from dovetail.core import programs as _programs  # noqa: E402, F401  (guards what is compiled from here on)
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

_kept_programs.keep()
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
