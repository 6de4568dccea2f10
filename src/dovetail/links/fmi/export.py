"""Export of a model or a test as an FMU: FMI 2.0 or 3.0 for co-simulation.

The FMU contains the functions of the model as StableHLO (`jax.export`) and a small binary, the same for all models,
which starts a Python process that runs them. Therefore the machine of the importing tool requires Python with JAX, as
stated in the description (`needsExecutionTool`), but neither Dovetail nor the source of the model. The interpreter is
the one that wrote the FMU, or DOVETAIL_PYTHON, or `python3`.

The FMU of a flow has its inputs, its outputs and its scalar parameters. It is integrated with a fixed step of at most
`step` within each step of the importing tool, with constant inputs. The FMU of a test or a simulation has no inputs;
its outputs are the records of its rehearsal, and its steps are integer numbers of ticks.
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

from dovetail.core import RK4, Flow, Method
from dovetail.core.advance import ALL_SAMPLES, advance_samples, begin, row_shapes
from dovetail.core.block import Time
from dovetail.core.clock import EqualSteps, LoopState
from dovetail.core.errors import LinkError, UnknownNameError
from dovetail.core.keep import Rows, Selected
from dovetail.core.monitor import NoMonitor
from dovetail.core.signals import signal
from dovetail.core.system import FlowSystem
from dovetail.links.fmi.binary import write_binary
from dovetail.links.fmi.description import FmuVariable, description
from dovetail.mechanics import Substructure
from dovetail.specimens import Specimen
from dovetail.testing import Test
from dovetail.testing.modes import all_modes

FOLDERS = {"2.0": "linux64", "3.0": "x86_64-linux"}


@dataclasses.dataclass(frozen=True)
class _Model:
    """Three functions of flat values, with the variables."""

    parameters: list[FmuVariable]
    inputs: list[FmuVariable]
    outputs: list[FmuVariable]
    start: Callable  # (parameters, t, inputs) -> state
    step: Callable  # (parameters, t, h, number, state, inputs) -> state
    show: Callable  # (parameters, t, state, inputs) -> outputs
    length: float  # [s] of the internal step
    whole_steps: bool  # only integer multiples of the internal step are possible
    duration: float | None = None


def export(
    model: Flow | Test,
    path: str | Path,
    *,
    version: str = "2.0",
    inputs: Any = None,
    step: float = 1e-3,
    method: Method | None = None,
) -> Path:
    """Write `model` as an FMU to `path`, which ends in `.fmu`.

    Parameters
    ----------
    model
        A flow, a test (its rehearsal) or a simulation.
    version
        `"2.0"` or `"3.0"`.
    inputs
        Of a flow: pytree of its inputs, with the start values of the FMU. Not necessary for a numerical substructure
        or a specimen with one axis.
    step
        Of a flow: largest integration step [s].
    method
        Of a flow: integration method (default: RK4).

    Raises
    ------
    LinkError
        If the version is unknown, or if the package contains no binary and the C compiler or FMPy (for its headers) is
        missing.
    """
    path = Path(path)
    if version not in FOLDERS:
        raise LinkError(f'FMI version: got "{version}"; expected {" or ".join(FOLDERS)}')
    if isinstance(model, Test):
        exported, title = _test_model(model), model.title
    else:
        exported = _flow_model(model, inputs, step, method or RK4())
        title = (type(model).__doc__ or "").split("\n")[0]
    token = f"{{{uuid.uuid4()}}}"
    name = "".join(c if c.isalnum() else "_" for c in path.stem) or "model"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        resource_folder = folder / "resources"
        resource_folder.mkdir()
        binaries = folder / "binaries" / FOLDERS[version]
        binaries.mkdir(parents=True)
        for call, data in _serialise(exported).items():
            (resource_folder / f"{call}.bin").write_bytes(data)
        about = {
            "token": token,
            "step": exported.length,
            "whole_steps": exported.whole_steps,
            "parameters": [each.start for each in exported.parameters],
            "inputs": [each.start for each in exported.inputs],
            "outputs": [each.name for each in exported.outputs],
        }
        (resource_folder / "about.json").write_text(json.dumps(about), "utf-8")
        (resource_folder / "python.txt").write_text(sys.executable + "\n", "utf-8")
        here = resources.files("dovetail.links.fmi")
        (resource_folder / "fmu_worker.py").write_bytes(here.joinpath("fmu_worker.py").read_bytes())
        write_binary(binaries / f"{name}.so", version)
        text = description(version, name, token, title, exported)
        (folder / "modelDescription.xml").write_text(text, "utf-8")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(folder))
    return path


def _serialise(model: _Model) -> dict[str, bytes]:
    """Return the three functions as StableHLO."""
    p, u = jnp.zeros(len(model.parameters)), jnp.zeros(len(model.inputs))
    t, number = jnp.zeros(()), jnp.zeros((), dtype=int)
    state = jax.eval_shape(model.start, p, t, u)
    calls = {
        "start": (model.start, (p, t, u)),
        "step": (model.step, (p, t, t, number, state, u)),
        "show": (model.show, (p, t, state, u)),
    }
    return {
        name: bytes(jax.export.export(jax.jit(call))(*arguments).serialize())
        for name, (call, arguments) in calls.items()
    }


class CommunicationStep(EqualSteps):
    """Equal integration steps of a communication step."""

    start: Time  # [s]

    def interval(self, system: Any, now: LoopState) -> tuple[Time, Time]:
        return self.start + now.k * self.dt, self.dt


def _flow_model(flow: Flow, inputs: Any, step: float, method: Method) -> _Model:
    u0 = _default_input(flow) if inputs is None else inputs
    u0 = jax.tree.map(lambda v: jnp.asarray(v, dtype=float), u0)
    flat_u, to_u = jax.flatten_util.ravel_pytree(u0)
    named = [
        (_path(path), leaf)
        for path, leaf in jax.tree_util.tree_leaves_with_path(flow)
        if eqx.is_inexact_array(leaf) and leaf.ndim == 0
    ]
    scalars, rest = eqx.partition(flow, lambda leaf: eqx.is_inexact_array(leaf) and leaf.ndim == 0)
    flat_p, to_p = jax.flatten_util.ravel_pytree(scalars)
    monitor, keep = NoMonitor(), Selected()

    def with_parameters(p):
        return eqx.combine(to_p(p), rest)

    def first(p, u):
        return begin(FlowSystem(with_parameters(p), method, held=to_u(u)), monitor, keep)[0]

    _, tree = jax.tree.flatten(jax.eval_shape(lambda: first(flat_p, flat_u).x))

    def start(p, t, u):
        return tuple(jax.tree.leaves(first(p, u).x))

    def advance(p, t, h, number, state, u):
        system = FlowSystem(with_parameters(p), method, held=to_u(u))
        now = LoopState(jnp.zeros((), int), t, tree.unflatten(state), monitor.start({})[0])
        clock = CommunicationStep(h / number, number, t)
        now, _, _ = advance_samples(system, clock, monitor, keep, now, ALL_SAMPLES)
        return tuple(jax.tree.leaves(now.x))

    def show(p, t, state, u):
        outputs = with_parameters(p).output(t, tree.unflatten(state)[0], to_u(u))
        return jax.flatten_util.ravel_pytree(jax.tree.map(lambda v: jnp.asarray(v, float), outputs))[0]

    outputs = jax.eval_shape(lambda: flow.output(0.0, flow.init(), u0))
    ins = _variables(u0, np.asarray(flat_u), "")
    outs = _variables(outputs, None, "")
    input_names = {each.name for each in ins}
    outs = [
        dataclasses.replace(each, name=f"output.{each.name}") if each.name in input_names else each
        for each in outs
    ]
    parameters = [
        FmuVariable(f"parameters.{name}", float(value), "", "")
        for (name, _), value in zip(named, np.asarray(flat_p), strict=True)
    ]
    return _Model(parameters, ins, outs, start, advance, show, step, False)


def _test_model(test: Test) -> _Model:
    mode = all_modes()[test.default_mode]()
    prepared = test.prepare()
    system, monitor, clock = mode.system(prepared), mode.monitor(prepared), mode.clock(prepared)

    def tick(now):
        now, _, rows = advance_samples(system, clock, monitor, Rows(), now, 1)
        return now, {name: values[0] for name, values in rows.items()}

    def first():
        now, shown = begin(system, monitor, Rows())
        return now, {
            name: jnp.broadcast_to(jnp.asarray(shown.get(name, 0.0), of.dtype), of.shape)
            for name, of in row_shapes(system, monitor).items()
        }

    _, tree = jax.tree.flatten(jax.eval_shape(first))

    def start(p, t, u):
        return tuple(jax.tree.leaves(first()))

    def advance(p, t, h, number, state, u):
        def one(_, x):
            return jax.tree.map(lambda new, old: jnp.asarray(new, old.dtype), tick(x[0]), x)

        return tuple(jax.tree.leaves(jax.lax.fori_loop(0, number, one, tree.unflatten(state))))

    def show(p, t, state, u):
        record = tree.unflatten(state)[1]
        return jax.flatten_util.ravel_pytree({n: v.astype(float) for n, v in record.items()})[0]

    outputs = jax.eval_shape(first)[1]
    return _Model(
        [], [], _variables(outputs, None, ""), start, advance, show, test.dt, True, duration=test.duration
    )


def _default_input(flow: Flow) -> Any:
    names = ("excitation", "excitation_rate", "force") if isinstance(flow, Substructure) else ()
    names = ("displacement", "velocity", "acceleration") if isinstance(flow, Specimen) else names
    if not names:
        raise LinkError(
            f"{type(flow).__name__}: the inputs are unknown; call export(flow, path, inputs={{...}})"
        )
    return dict.fromkeys(names, 0.0)


def _path(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _variables(tree: Any, values: np.ndarray | None, prefix: str) -> list[FmuVariable]:
    """Return one variable per number of a tree, in flat order; indices of arrays start at 1."""
    variables: list[FmuVariable] = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(tree):
        name, shape = prefix + (_path(path) or "u"), np.shape(leaf)
        unit, label = ("N", "interface force") if name == "force" else ("", "")
        try:
            description = signal(name.split(".")[-1])
            unit, label = description.unit, description.label
        except UnknownNameError:
            pass
        for index in np.ndindex(*shape):
            suffix = f"[{','.join(str(i + 1) for i in index)}]" if index else ""
            start = None if values is None else float(values[len(variables)])
            variables.append(FmuVariable(name + suffix, start, unit, label))
    return variables
