"""Co-simulation FMU as a numerical substructure or as a specimen, through FMPy.

An FMU makes its own steps and keeps its own state. Therefore it has its own method, `CoSimulation`, in place of RK4.
Its inputs are constant over a step: those at the middle of the step for the numerical substructure, those at its end
for the specimen, whose motion is already known. The compiled loop calls the FMU. A test with an FMU can be run and
rehearsed, one at a time, without derivatives, batches and reference solution: `reference` gives values that are not
finite.

Name the variables of the FMU if they differ from those of Dovetail::

    FmuSubstructure(file="frame.fmu", inputs={"force": "F"}, outputs={"displacement": "x", "velocity": "v",
                    "acceleration": "a"}, start={"k": 2250.0})
"""

from __future__ import annotations

import os
import shutil
from collections import OrderedDict
from pathlib import Path
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from dovetail.core import Flow, Input, Method, Output, State, Time, kind
from dovetail.core.errors import DovetailError, LinkError, UnknownNameError
from dovetail.core.parameter import file_name
from dovetail.links.fmi.unpack_folder import new_folder
from dovetail.mechanics import Substructure
from dovetail.specimens import Specimen

MAX_OPEN = 8  # instances in a process; the least recently used one is closed for a new one


class Slave:
    """Instance of an FMU, 2.0 or 3.0, with values by name; `close` ends it and its processes."""

    def __init__(self, file: str, start: tuple[tuple[str, float], ...]):
        self.file, self.start = file, start
        self.fmu: Any = None
        self.folder = new_folder()
        here = os.getcwd()
        try:
            self._open()
        except DovetailError:
            self.close()
            raise
        except Exception as error:  # of various types, none specific to FMPy
            self.close()
            raise LinkError(f"{file}: cannot be read as an FMU ({str(error)[:500]})") from error
        finally:
            os.chdir(here)  # FMPy changes the folder, and does not restore it if the library cannot be loaded

    def _open(self) -> None:
        fmpy = _fmpy()
        self.description = fmpy.read_model_description(self.file)
        if self.description.coSimulation is None:
            raise LinkError(f"{self.file}: contains no co-simulation; export it for co-simulation")
        fmpy.extract(self.file, unzipdir=str(self.folder))
        self.references = {v.name: v.valueReference for v in self.description.modelVariables}
        self.three = self.description.fmiVersion.startswith("3")
        self.check({name: name for name, _ in self.start}, "start value")
        common = {
            "guid": self.description.guid,
            "unzipDirectory": str(self.folder),
            "modelIdentifier": self.description.coSimulation.modelIdentifier,
            "instanceName": self.description.modelName,
        }
        from fmpy import fmi2, fmi3

        fmu = (fmi3.FMU3Slave if self.three else fmi2.FMU2Slave)(**common)
        fmu.instantiate()
        self.fmu = fmu
        self.count, self.fresh = 0, False
        self.begin()

    def close(self) -> None:
        """End the instance and its processes, and remove the unpacked files."""
        fmu, self.fmu = self.fmu, None
        try:
            if fmu is not None:
                fmu.freeInstance()  # also unloads its library
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def check(self, names: dict[str, str], role: str) -> None:
        """Raise `UnknownNameError` if the FMU lacks a variable."""
        for name in names.values():
            if name not in self.references:
                raise UnknownNameError(f"{role} of {self.file}", name, list(self.references))

    def begin(self) -> None:
        """Reset to the start at time zero."""
        if self.fresh:
            return
        if self.count:
            self.fmu.terminate()
            self.fmu.reset()
        for name, value in self.start:
            self.write([name], [value])
        if not self.three:
            self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()
        self.count, self.fresh = 0, True

    def read(self, names: list[str]) -> np.ndarray:
        """Return values by name."""
        numbers = [self.references[name] for name in names]
        return np.array(
            self.fmu.getFloat64(numbers) if self.three else self.fmu.getReal(numbers), dtype=float
        )

    def write(self, names: list[str], values: Any) -> None:
        """Set values by name."""
        which, values = [self.references[name] for name in names], [float(v) for v in values]
        if names:
            (self.fmu.setFloat64 if self.three else self.fmu.setReal)(which, values)

    def step(self, count: int, t: float, h: float, inputs: list[str], values: Any) -> None:
        """Make the step after `count` steps; earlier steps cannot be repeated, except from the start."""
        if count == 0:
            self.begin()
        if count != self.count:
            raise LinkError(f"{self.file}: has made {self.count} steps and cannot return to step {count}")
        self.write(inputs, values)
        if h > 0:
            self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)
        self.count, self.fresh = self.count + 1, False


def _fmpy() -> Any:
    try:
        import fmpy
    except ImportError:
        raise LinkError('reading an FMU requires FMPy: pip install "dovetail-hybrid[fmi]"') from None
    return fmpy


_open: OrderedDict[tuple[str, tuple[tuple[str, float], ...]], Slave] = (
    OrderedDict()
)  # the last used at its end


def slave(file: str, start: tuple[tuple[str, float], ...]) -> Slave:
    """Return the instance of this process for a file and start values; a closed one is created again."""
    instance = _open.pop((file, start), None)
    while instance is None and len(_open) >= MAX_OPEN:
        _open.popitem(last=False)[1].close()
    _open[file, start] = instance = instance or Slave(file, start)
    return instance


def close_all() -> None:
    """Close all instances of this process."""
    while _open:
        _open.popitem()[1].close()


@jax.custom_jvp
def _no_rate(x: Any) -> Any:
    """Return NaN, so that the integration of an FMU by another method is noticed; the derivative is zero."""
    return jax.tree.map(lambda v: jnp.full_like(v, jnp.nan), x)


@_no_rate.defjvp
def _no_slope(primals, tangents):
    return _no_rate(*primals), jax.tree.map(jnp.zeros_like, tangents[0])


class _Fmu(Flow):
    """Base of both kinds. The state contains the last outputs of the FMU and its number of steps."""

    file: str = file_name(default="")
    inputs: dict[str, str] = eqx.field(static=True, default_factory=dict)
    outputs: dict[str, str] = eqx.field(static=True, default_factory=dict)
    start: dict[str, float] = eqx.field(static=True, default_factory=dict)

    default_inputs: ClassVar[tuple[str, ...]] = ()
    default_outputs: ClassVar[tuple[str, ...]] = ()
    input_fraction: ClassVar[float] = 0.5  # fraction of a step at which the inputs are evaluated

    @property
    def slave(self) -> Slave:
        """Instance of the FMU."""
        instance = slave(str(Path(self.file).resolve()), tuple(sorted(self.start.items())))
        instance.check(self.input_names, "input")
        instance.check(self.output_names, "output")
        return instance

    @property
    def input_names(self) -> dict[str, str]:
        """Names of inputs in Dovetail and in the FMU: `inputs`, or the default names that the FMU has."""
        return self.inputs or {name: name for name in self.default_inputs if name in self._names}

    @property
    def output_names(self) -> dict[str, str]:
        """Names of outputs in Dovetail and in the FMU."""
        return {**{name: name for name in self.default_outputs}, **self.outputs}

    @property
    def _names(self) -> dict[str, int]:
        return slave(str(Path(self.file).resolve()), tuple(sorted(self.start.items()))).references

    def init(self) -> State:
        self.slave.begin()
        first = self.slave.read(list(self.output_names.values()))
        return {"outputs": jnp.asarray(first), "count": jnp.zeros(())}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return _no_rate(x)

    def output(self, t: Time, x: State, u: Input) -> Output:
        return dict(zip(self.output_names, x["outputs"], strict=True))

    def advance(self, t, h, x, u):
        """Make one step of the FMU with these inputs."""

        def call(count, t, h, values):
            self.slave.step(
                int(count), float(t), float(h), list(self.input_names.values()), np.asarray(values)
            )
            return self.slave.read(list(self.output_names.values()))

        values = (
            jnp.stack([jnp.asarray(u[name], dtype=float) for name in self.input_names])
            if self.input_names
            else jnp.zeros(0)
        )
        like = jax.ShapeDtypeStruct((len(self.output_names),), float)
        outputs = io_callback(
            call, like, x["count"], jnp.asarray(t, dtype=float), jnp.asarray(h, dtype=float), values
        )
        return {"outputs": outputs, "count": x["count"] + 1}


@kind("fmu-substructure")
class FmuSubstructure(_Fmu, Substructure):
    """Co-simulation FMU as the numerical substructure, with `CoSimulation` as the method of the test.

    Outputs: displacement, velocity and acceleration; input: the force. Other named outputs are recorded.
    """

    default_inputs = ("excitation", "excitation_rate", "force")
    default_outputs = ("displacement", "velocity", "acceleration")


@kind("fmu-specimen")
class FmuSpecimen(_Fmu, Specimen):
    """Co-simulation FMU as a simulated specimen, with `CoSimulation` as the method of the rig: from motion to force."""

    default_inputs = ("displacement", "velocity", "acceleration")
    default_outputs = ("force",)
    input_fraction = 1.0


class _InputProbe(Flow):
    """Replaces an FMU and returns its inputs."""

    def init(self) -> State:
        return ()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return u

    def output(self, t: Time, x: State, u: Input) -> Output:
        return u


@kind("co-simulation")
class CoSimulation(Method):
    """Step of an FMU by itself, with inputs that are constant over the step."""

    def step(self, flow, t, dt, x, u, memory):
        is_fmu = lambda node: isinstance(node, _Fmu)  # noqa: E731
        fmus = [node for node in jax.tree.leaves(flow, is_leaf=is_fmu) if is_fmu(node)]
        if len(fmus) != 1:
            raise LinkError(f"co-simulation: {type(flow).__name__} contains {len(fmus)} FMUs; expected one")
        probe = jax.tree.map(lambda node: _InputProbe() if is_fmu(node) else node, flow, is_leaf=is_fmu)
        inputs = probe.derivative(t + fmus[0].input_fraction * dt, x, u)
        return fmus[0].advance(t, dt, x, inputs), memory
