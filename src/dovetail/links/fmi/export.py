"""Write a model or a test as an FMU: FMI 2.0 or 3.0 for co-simulation.

The functions of the model are compiled to StableHLO and put into the FMU (`jax.export`); a small binary, the same
for every model, starts a Python process that runs them. So the importing tool's machine needs a Python with JAX,
which the description says (`needsExecutionTool`), but neither Dovetail nor the model's source. The interpreter
is the one that wrote the FMU, or that named in DOVETAIL_PYTHON, or `python3`.

A flow becomes an FMU with its inputs, its outputs, and its scalar parameters; it is integrated with a fixed
step of at most `step` inside each step of the importing tool, the input held. A test, or a simulation, becomes an
FMU without inputs whose outputs are the records of its rehearsal; it takes steps of whole ticks.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tempfile
import uuid
import zipfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.export
import jax.numpy as jnp
import numpy as np

from dovetail.core import RK4, Flow, Method, Sampled
from dovetail.core.errors import LinkError, UnknownNameError
from dovetail.core.signals import signal
from dovetail.links.fmi.binary import put_binary
from dovetail.links.fmi.description import FmuVariable, description
from dovetail.mechanics import Substructure
from dovetail.specimens import Specimen
from dovetail.testing import Runnable

FOLDERS = {"2.0": "linux64", "3.0": "x86_64-linux"}


@dataclasses.dataclass(frozen=True)
class _Model:
    """Three functions over flat values, and what the values are."""

    parameters: list[FmuVariable]
    inputs: list[FmuVariable]
    outputs: list[FmuVariable]
    start: Callable  # (parameters, t, inputs) -> state
    step: Callable  # (parameters, t, h, number, state, inputs) -> state
    show: Callable  # (parameters, t, state, inputs) -> outputs
    length: float  # [s] of the internal step
    whole: bool  # only whole numbers of it can be taken
    duration: float | None = None


def export(
    model: Flow | Runnable,
    path: str | Path,
    *,
    version: str = "2.0",
    inputs: Any = None,
    step: float = 1e-3,
    method: Method | None = None,
) -> Path:
    """Write `model` as the FMU at `path`, which ends in `.fmu`.

    Parameters
    ----------
    model
        A flow, a test (its rehearsal) or a simulation.
    version
        `"2.0"` or `"3.0"`.
    inputs
        Of a flow: a pytree of its input's form, whose values are the FMU's start values. A numerical
        substructure and a specimen with one axis need none.
    step
        Of a flow: the longest integration step [s].
    method
        Of a flow: how it is integrated; RK4 unless told otherwise.

    Raises
    ------
    LinkError
        If the package brought no binary and there is no C compiler or no FMPy (whose headers are used), or the
        version is another.
    """
    path = Path(path)
    if version not in FOLDERS:
        raise LinkError(f'FMI version "{version}": there are {" and ".join(FOLDERS)}')
    if isinstance(model, Runnable):
        described, title = _of_test(model), model.title
    else:
        described = _of_flow(model, inputs, step, method or RK4())
        title = (type(model).__doc__ or "").split("\n")[0]
    token = f"{{{uuid.uuid4()}}}"
    name = "".join(c if c.isalnum() else "_" for c in path.stem) or "model"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        inside = folder / "resources"
        inside.mkdir()
        binaries = folder / "binaries" / FOLDERS[version]
        binaries.mkdir(parents=True)
        for call, data in _serialised(described).items():
            (inside / f"{call}.bin").write_bytes(data)
        about = {
            "token": token,
            "step": described.length,
            "whole": described.whole,
            "parameters": [each.start for each in described.parameters],
            "inputs": [each.start for each in described.inputs],
            "outputs": [each.name for each in described.outputs],
        }
        (inside / "about.json").write_text(json.dumps(about), "utf-8")
        (inside / "python.txt").write_text(sys.executable + "\n", "utf-8")
        here = resources.files("dovetail.links.fmi")
        (inside / "fmu_worker.py").write_bytes(here.joinpath("fmu_worker.py").read_bytes())
        put_binary(binaries / f"{name}.so", version)
        text = description(version, name, token, title, described)
        (folder / "modelDescription.xml").write_text(text, "utf-8")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(folder))
    return path


def _serialised(model: _Model) -> dict[str, bytes]:
    """The three functions as StableHLO."""
    p, u = jnp.zeros(len(model.parameters)), jnp.zeros(len(model.inputs))
    t, number = jnp.zeros(()), jnp.zeros((), dtype=int)
    state = jax.eval_shape(model.start, p, t, u)
    calls = {
        "start": (model.start, (p, t, u)),
        "step": (model.step, (p, t, t, number, state, u)),
        "show": (model.show, (p, t, state, u)),
    }
    return {
        name: bytes(jax.export.export(jax.jit(call))(*given).serialize())
        for name, (call, given) in calls.items()
    }


def _of_flow(flow: Flow, inputs: Any, step: float, method: Method) -> _Model:
    u0 = _usual_input(flow) if inputs is None else inputs
    u0 = jax.tree.map(lambda v: jnp.asarray(v, dtype=float), u0)
    flat_u, to_u = jax.flatten_util.ravel_pytree(u0)
    named = [
        (_path(path), leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(flow)
        if eqx.is_inexact_array(leaf) and leaf.ndim == 0
    ]
    scalars, rest = eqx.partition(flow, lambda leaf: eqx.is_inexact_array(leaf) and leaf.ndim == 0)
    flat_p, to_p = jax.flatten_util.ravel_pytree(scalars)
    x0 = flow.init()
    shapes, tree = jax.tree.flatten((x0, method.init(flow, x0)))

    def made(p):
        return eqx.combine(to_p(p), rest)

    def start(p, t, u):
        sampled = Sampled(made(p), method)
        return tuple(jnp.asarray(leaf) for leaf in jax.tree.leaves(sampled.init()))

    def advance(p, t, h, number, state, u):
        sampled, held = Sampled(made(p), method), to_u(u)
        x, h = tree.unflatten(state), h / number

        def one(i, x):
            after = sampled.step(t + i * h, h, x, held)[0]
            return jax.tree.map(lambda new, old: jnp.asarray(new, old.dtype), after, x)

        return tuple(jax.tree.leaves(jax.lax.fori_loop(0, number, one, x)))

    def show(p, t, state, u):
        shown = made(p).output(t, tree.unflatten(state)[0], to_u(u))
        return jax.flatten_util.ravel_pytree(jax.tree.map(lambda v: jnp.asarray(v, float), shown))[0]

    shown = jax.eval_shape(lambda: flow.output(0.0, x0, u0))
    ins = _variables(u0, np.asarray(flat_u), "")
    outs = _variables(shown, None, "")
    taken = {each.name for each in ins}
    outs = [
        dataclasses.replace(each, name=f"shown.{each.name}") if each.name in taken else each for each in outs
    ]
    parameters = [
        FmuVariable(f"parameters.{name}", float(value), "", "")
        for (name, _), value in zip(named, np.asarray(flat_p), strict=True)
    ]
    return _Model(parameters, ins, outs, start, advance, show, step, False)


def _of_test(test: Runnable) -> _Model:
    prepared = test.prepared()

    def tick(state, k):
        state, records = prepared.advance(state, k, 1)
        return state, {name: values[0] for name, values in records.items()}

    def begin():
        state, record = prepared.start()
        like = jax.eval_shape(lambda: tick(state, jnp.zeros((), dtype=int)))
        first = {name: jnp.asarray(record.get(name, 0.0), of.dtype) for name, of in like[1].items()}
        state = jax.tree.map(lambda v, of: jnp.asarray(v, of.dtype), state, like[0])
        return (
            state,
            jnp.zeros((), dtype=int),
            {n: jnp.broadcast_to(v, like[1][n].shape) for n, v in first.items()},
        )

    _, tree = jax.tree.flatten(jax.eval_shape(begin))

    def start(p, t, u):
        return tuple(jax.tree.leaves(begin()))

    def advance(p, t, h, number, state, u):
        def one(_, x):
            state, k, _ = x
            state, record = tick(state, k)
            return jax.tree.map(lambda new, old: jnp.asarray(new, old.dtype), (state, k + 1, record), x)

        return tuple(jax.tree.leaves(jax.lax.fori_loop(0, number, one, tree.unflatten(state))))

    def show(p, t, state, u):
        record = tree.unflatten(state)[2]
        return jax.flatten_util.ravel_pytree({n: v.astype(float) for n, v in record.items()})[0]

    shown = jax.eval_shape(begin)[2]
    return _Model(
        [], [], _variables(shown, None, ""), start, advance, show, test.dt, True, duration=test.duration
    )


def _usual_input(flow: Flow) -> Any:
    names = ("excitation", "excitation_rate", "force") if isinstance(flow, Substructure) else ()
    names = ("displacement", "velocity", "acceleration") if isinstance(flow, Specimen) else names
    if not names:
        raise LinkError(f"{type(flow).__name__}: say what its input is, export(flow, path, inputs={{...}})")
    return dict.fromkeys(names, 0.0)


def _path(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _variables(tree: Any, values: np.ndarray | None, prefix: str) -> list[FmuVariable]:
    """One for each number in a tree, in the order of raveling; those of an array are counted from 1."""
    found: list[FmuVariable] = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        name, shape = prefix + (_path(path) or "u"), np.shape(leaf)
        unit = label = ""
        try:
            known = signal(name.split(".")[-1])
            unit, label = known.unit, known.label
        except UnknownNameError:
            pass
        for index in np.ndindex(*shape):
            place = f"[{','.join(str(i + 1) for i in index)}]" if index else ""
            start = None if values is None else float(values[len(found)])
            found.append(FmuVariable(name + place, start, unit, label))
    return found
