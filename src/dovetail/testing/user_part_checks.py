"""What a part of one's own gives, held against what the loop takes from it, before anything is computed.

Each is traced once with signals of the interface's shape. What it shows must have the shape that the loop takes, and
its state must keep its own: an array that is too short would be spread over all axes without a word. Parts of Dovetail
are not looked at again, their tests have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import jax

from dovetail.core import Block, Flow
from dovetail.core.errors import Fault
from dovetail.specimens.base import Specimen
from dovetail.testing.hybrid_loop import MOTION, READ, Driven
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    from dovetail.testing.test import Test

NOW = jax.ShapeDtypeStruct((), float)


class Place(NamedTuple):
    """Where a part stands in the loop."""

    path: str
    part: Block | Flow
    given: dict[str, Any]  # signals that it takes, by name
    called: Callable[
        ..., tuple[Any, Any]
    ]  # its next state, or the rate of it, and what it shows: of (x, given)
    shows: tuple[str, ...]  # signals that the loop takes from it


def faults(test: Test) -> list[Fault]:
    """What does not fit, each by the part's place."""
    return [
        Fault(place.path, f"{type(place.part).__name__} {text}")
        for place in _places(test)
        if _is_own(place.part)
        for text in _misfits(place, test.shape)
    ]


def _places(test: Test) -> Iterator[Place]:
    """The loop's parts, sized, with the signals between them."""
    shape, dt = test.shape, test.dt
    signal = jax.ShapeDtypeStruct(shape, float)
    motion, read = dict.fromkeys(MOTION, signal), dict.fromkeys(READ, signal)
    driven = Driven(test.numerical.sampled_at(dt, shape), test.excitation.sampled_at(dt, shape))
    force = {"force": signal}
    yield Place(
        "numerical",
        driven.flow,
        force,
        lambda x, u: _flows(driven, x, u["force"]),
        ("displacement", *MOTION[1:]),
    )
    for path, block, given, shows in (
        ("compensator", test.compensator, motion | read, "command"),
        ("feedback", test.feedback, motion | read, "force"),
    ):
        sized = block.sampled_at(dt, shape)
        yield Place(path, sized, given, _stepping(sized, dt), (shows,))
    if not isinstance(test.rig, Rig):
        return
    rig = test.rig.sampled_at(dt, shape)
    yield Place("rig.specimen", rig.specimen, motion, lambda x, u: _flows(rig.specimen, x, u), ("force",))
    for name, part in (
        ("actuator", rig.actuator),
        ("sensor", rig.sensor),
        ("position_sensor", rig.position_sensor),
    ):
        yield Place(f"rig.{name}", part, {"signal": signal}, _passing(part, dt), ("signal",))


def _flows(flow: Flow, x: Any, u: Any) -> tuple[Any, Any]:
    return flow.derivative(0.0, x, u), flow.output(0.0, x, u)


def _stepping(block: Block, dt: float) -> Callable[..., tuple[Any, Any]]:
    return lambda x, u: block.step(0.0, dt, x, u)


def _passing(block: Block, dt: float) -> Callable[..., tuple[Any, Any]]:
    """A part that takes one array and gives one."""

    def called(x, u):
        x, y = block.step(0.0, dt, x, u["signal"])
        return x, {"signal": y}

    return called


def _misfits(place: Place, shape: tuple[int, ...]) -> Iterator[str]:
    """What is wrong with a part, as what is said of it."""
    taken = ", ".join(place.given)
    try:
        state = jax.eval_shape(place.part.init)
        after, shown = jax.eval_shape(place.called, state, place.given)
    except (TypeError, ValueError) as error:
        yield f"cannot take {taken} of shape {shape}: {str(error).strip().splitlines()[0]}"
        return
    spread = [()] if isinstance(place.part, Specimen) else []  # one force for all axes is the rig's to spread
    for name in place.shows:
        if name in shown and (found := shown[name].shape) not in [shape, *spread]:
            yield f'gives "{name}" of shape {found}; the interface is {shape}: give one value for each axis'
    if not any(name in shown for name in place.shows[:1]):
        yield f'gives {", ".join(sorted(shown)) or "nothing"}; the loop takes "{place.shows[0]}" of shape {shape}'
    yield from _changed(place.part, state, after)


def _changed(part: Block | Flow, state: Any, after: Any) -> Iterator[str]:
    """How a state differs from what it becomes, or from its rate."""
    becomes = "has a rate" if isinstance(part, Flow) else "becomes one"
    kept, new = str(jax.tree.structure(state)), str(jax.tree.structure(after))
    if kept != new:
        yield f"has a state of {kept}, which {becomes} of {new}"
        return
    for (path, before), then in zip(
        jax.tree_util.tree_leaves_with_path(state), jax.tree.leaves(after), strict=True
    ):
        if before.shape != then.shape:
            name = jax.tree_util.keystr(path, simple=True, separator=".")
            where = f' "{name}"' if name else ""
            yield f"has a state{where} of shape {before.shape}, which {becomes} of shape {then.shape}"


def _is_own(part: Any) -> bool:
    """Whether any class in it is not Dovetail's."""
    own = type(part).__module__.split(".")[0] != "dovetail"
    return own or any(_is_own(value) for value in vars(part).values() if isinstance(value, Block | Flow))
