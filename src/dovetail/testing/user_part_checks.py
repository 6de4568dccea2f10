"""Checks of user parts before a run: signals and shapes that the loop needs.

Each user part is traced once with signals of the shape of the interface. Its outputs must have the shape that the loop
needs, and its state must keep its shape: otherwise an array that is too short would be broadcast to all axes without a
message. Parts of Dovetail are not checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from dovetail.core import Block, Flow
from dovetail.core.errors import Fault
from dovetail.core.signals import MOTION, READING
from dovetail.core.tracing_errors import TRACING_ERRORS, tracing_reason
from dovetail.specimens.base import Specimen
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.test import Test

# function of (x, inputs): states by the method that returns them (a rate counts as a state), and output signals
Step = Callable[[Any, Any], tuple[dict[str, Any], Any]]


class CheckedPart(NamedTuple):
    """Position of a part in the loop."""

    path: str
    part: Block | Flow
    inputs: dict[str, Any]  # input signals by name
    step: Step
    outputs: tuple[str, ...]  # output signals that the loop needs


def faults(test: Test) -> list[Fault]:
    """Return the faults of user parts, each with the path of the part."""
    return [
        Fault(checked.path, f"{type(checked.part).__name__} {text}")
        for checked in _checked_parts(test)
        if _is_user_part(checked.part)
        for text in _signal_faults(checked, test.shape)
    ]


def _checked_parts(test: Test) -> Iterator[CheckedPart]:
    """Return the parts of the loop with shapes, and the signals between them."""
    shape, dt = test.shape, test.dt
    signal = jax.ShapeDtypeStruct(shape, float)
    motion, read = dict.fromkeys(MOTION, signal), dict.fromkeys(READING, signal)
    driven = Driven(test.numerical.with_sample_time(dt, shape), test.excitation.with_sample_time(dt, shape))
    force = {"force": signal}
    yield CheckedPart(
        "numerical",
        driven.flow,
        force,
        lambda x, u: _flow_step(driven, x, u["force"]),
        ("displacement", *MOTION[1:]),
    )
    for path, block, inputs, outputs in (
        ("compensator", test.compensator, motion | read, "command"),
        ("feedback", test.feedback, motion | read, "feedback_force"),
    ):
        sized = block.with_sample_time(dt, shape)
        yield CheckedPart(path, sized, inputs, _block_step(sized, dt), (outputs,))
    if not isinstance(test.rig, Rig):
        return
    rig = test.rig.with_sample_time(dt, shape)
    yield CheckedPart(
        "rig.specimen", rig.specimen, motion, lambda x, u: _flow_step(rig.specimen, x, u), ("force",)
    )
    for name, part in (
        ("actuator", rig.actuator),
        ("sensor", rig.sensor),
        ("position_sensor", rig.position_sensor),
    ):
        yield CheckedPart(f"rig.{name}", part, {"signal": signal}, _transfer_step(part, dt), ("signal",))


def _flow_step(flow: Flow, x: Any, u: Any) -> tuple[dict[str, Any], Any]:
    states = {"derivative": flow.derivative(0.0, x, u)}
    if flow.jumps:
        states["jump"] = flow.jump(0.0, x, u)
    return states, flow.output(0.0, x, u)


def _block_step(block: Block, dt: float) -> Step:
    def step(x: Any, u: Any) -> tuple[dict[str, Any], Any]:
        x, signals = block.step(0.0, dt, x, u)
        return {"step": x}, signals

    return step


def _transfer_step(block: Block, dt: float) -> Step:
    """Return the step function of a part with one input array and one output array."""

    def step(x: Any, u: Any) -> tuple[dict[str, Any], Any]:
        x, y = block.step(0.0, dt, x, u["signal"])
        return {"step": x}, {"signal": y}

    return step


def _signal_faults(checked: CheckedPart, shape: tuple[int, ...]) -> Iterator[str]:
    """Return the faults of a part, as predicates."""
    accepted = ", ".join(checked.inputs)
    try:
        state = jax.eval_shape(checked.part.init)
        states, signals = jax.eval_shape(checked.step, state, checked.inputs)
    except TRACING_ERRORS as error:
        yield f"cannot be evaluated for {accepted} of shape {shape}: {tracing_reason(error)}"
        return
    spread = (
        [()] if isinstance(checked.part, Specimen) else []
    )  # the rig broadcasts a scalar force to all axes
    for name in checked.outputs:
        if name in signals and (actual := signals[name].shape) not in [shape, *spread]:
            yield (
                f'returns "{name}" of shape {actual}, but the interface has shape {shape}; return one '
                "value for each axis"
            )
    if not any(name in signals for name in checked.outputs[:1]):
        names = ", ".join(sorted(signals)) or "no signal"
        yield f'returns {names}; the loop needs "{checked.outputs[0]}" of shape {shape}'
    for method, after in states.items():
        yield from _state_faults(method, state, after, shape)


def _state_faults(method: str, state: Any, after: Any, shape: tuple[int, ...]) -> Iterator[str]:
    """Return the differences between the initial state and what a method returns, with the remedy."""
    old, new = str(jax.tree.structure(state)), str(jax.tree.structure(after))
    if old != new:
        yield f"has a state of {old}, but {method} returns {new}; return the same structure from init and {method}"
        return
    for (path, before), then in zip(
        jax.tree_util.tree_leaves_with_path(state), jax.tree.leaves(after), strict=True
    ):
        if before.shape != then.shape:
            name = jax.tree_util.keystr(path, simple=True, separator=".")
            where = f' "{name}"' if name else ""
            remedy = (
                "set the shape of the interface in with_sample_time and return jnp.zeros(self.shape) from init "
                "(`dovetail new part NAME` writes an example)"
                if (before.shape, then.shape) == ((), shape)
                else f"return arrays of the same shapes from init and {method}"
            )
            yield f"has a state{where} of shape {before.shape}, but {method} returns shape {then.shape}; {remedy}"


def _is_user_part(part: Any) -> bool:
    """True if the part or any part in it is a user part."""
    is_user = type(part).__module__.split(".")[0] != "dovetail"
    return is_user or any(
        _is_user_part(value) for value in vars(part).values() if isinstance(value, Block | Flow)
    )
