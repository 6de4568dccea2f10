"""Blocks, integration methods, steady states, linearisation, signals, units and errors.

Depends on: no other package of Dovetail. Parts are displayed through `extensions`.

Importing this package changes two settings of the process (`docs/process-settings.md`):

- float64 is the default of JAX;
- XLA compiles simulation loops as one function, by one flag in `XLA_FLAGS`. Without it loops are 5 to 38 times slower.
  The flag is not set if XLA has started, if `XLA_FLAGS` sets it, or if `DOVETAIL_XLA_FLAGS=0`.

In processes that Dovetail starts (`DOVETAIL_PROCESS=1`), `programs` also stores compiled programs and guards memory.
"""

import os as _os
import sys as _sys
from typing import TYPE_CHECKING

from dovetail.lazily import lazily as _lazily


def _xla_has_started() -> bool:
    """Return whether XLA has read its flags: from then on JAX refuses another number of processors."""
    jax = _sys.modules.get("jax")
    if jax is None:
        return False
    name = "jax_num_cpu_devices"
    before = jax.config.values[name]
    try:
        jax.config.update(name, before + 1)
    except RuntimeError:
        return True
    jax.config.update(name, before)
    return False


def _set_loop_flag() -> str:
    """Let XLA compile simulation loops as one function; return who has set the flag, or why it is not set."""
    option, flags = "xla_cpu_small_while_loop_byte_threshold", _os.environ.get("XLA_FLAGS", "")
    if option in flags:
        return "set in XLA_FLAGS by the user"
    if _os.environ.get("DOVETAIL_XLA_FLAGS") == "0":
        return "not set: forbidden by DOVETAIL_XLA_FLAGS=0"
    if "--xla_backend_extra_options" in flags:
        return f"not set: XLA_FLAGS has other extra options; add {option}=1048576"
    if _xla_has_started():
        return "not set: XLA had started; import dovetail before the first computation with JAX"
    _os.environ["XLA_FLAGS"] = f"{flags} --xla_backend_extra_options={option}=1048576".strip()
    return "set by Dovetail"


LOOP_FLAG = _set_loop_flag()  # for `dovetail doctor`
import jax as _jax  # noqa: E402

_jax.config.update("jax_enable_x64", True)

if TYPE_CHECKING:
    from dovetail.core import roles, signals
    from dovetail.core.block import Block, Flow, Input, Method, Output, Part, State, Time
    from dovetail.core.flow_adapters import Sampled
    from dovetail.core.kinds import kind, parts_by_kind
    from dovetail.core.linear import LinearModel, Modes, linearise, modes
    from dovetail.core.methods import (
        BDF2,
        RK4,
        AdaptiveRungeKutta,
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
    from dovetail.core.parameter import OptionalParameter, Parameter, choice, constant, count, parameter

if _os.environ.get("DOVETAIL_PROCESS") == "1":
    from dovetail.core import programs as _programs

    _programs.start()
_lazily(__name__)

__all__ = [
    "BDF2",
    "RK4",
    "AdaptiveRungeKutta",
    "Block",
    "DormandPrince5",
    "DormandPrince8",
    "Euler",
    "Flow",
    "GeneralisedAlpha",
    "ImplicitEuler",
    "Input",
    "LinearModel",
    "Method",
    "Modes",
    "OptionalParameter",
    "Output",
    "Parameter",
    "Part",
    "Rosenbrock3",
    "Sampled",
    "SemiImplicitEuler",
    "State",
    "Time",
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
