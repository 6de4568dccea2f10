"""A co-simulation FMU as a numerical substructure or as a specimen, through FMPy.

An FMU steps itself and keeps its state to itself, so it is advanced by a method of its own,
`CoSimulation`, named where another test names RK4; its inputs are held over a step, taken at its middle for the
numerical substructure and at its end for the specimen, whose motion is known by then. The compiled loop calls out to
it; so a test with an FMU runs and is rehearsed, one at a time, but has no derivatives, no batch and no ideal:
`emulate` gives numbers that are not finite.

The names of the FMU's variables are given where they differ from ours::

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

from dovetail.core import Flow, Method, kind
from dovetail.core.errors import DovetailError, LinkError, UnknownNameError
from dovetail.core.parameter import file_name
from dovetail.links.fmi.unpack_folder import new_folder
from dovetail.mechanics import Substructure
from dovetail.specimens import Specimen

MOST_OPEN = 8  # instances of a process; the one that was not used for longest is closed for the next


class Slave:
    """One instance of an FMU, 2.0 or 3.0, with values by name; `close` ends it and what it started."""

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
        except Exception as error:  # of many kinds, none of them FMPy's own
            self.close()
            raise LinkError(f"{file}: is no FMU that can be read ({str(error)[:500]})") from error
        finally:
            os.chdir(
                here
            )  # FMPy goes into the FMU's folder, and stays there when its library cannot be loaded

    def _open(self) -> None:
        fmpy = _fmpy()
        self.description = fmpy.read_model_description(self.file)
        if self.description.coSimulation is None:
            raise LinkError(f"{self.file}: holds no co-simulation; export it as one")
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
        """End the instance, with whatever processes it has, and remove what was unpacked."""
        fmu, self.fmu = self.fmu, None
        try:
            if fmu is not None:
                fmu.freeInstance()  # its library with it
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def check(self, names: dict[str, str], what: str) -> None:
        """That all of these are there."""
        for name in names.values():
            if name not in self.references:
                raise UnknownNameError(f"{what} of {self.file}", name, list(self.references))

    def begin(self) -> None:
        """To the start, at time zero."""
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
        """Values by name."""
        wanted = [self.references[name] for name in names]
        return np.array(self.fmu.getFloat64(wanted) if self.three else self.fmu.getReal(wanted), dtype=float)

    def write(self, names: list[str], values: Any) -> None:
        """Set values by name."""
        which, values = [self.references[name] for name in names], [float(v) for v in values]
        if names:
            (self.fmu.setFloat64 if self.three else self.fmu.setReal)(which, values)

    def step(self, count: int, t: float, h: float, inputs: list[str], values: Any) -> None:
        """The step after `count` of them. What went before is not to be had again, but for the start."""
        if count == 0:
            self.begin()
        if count != self.count:
            raise LinkError(f"{self.file}: has taken {self.count} steps and cannot go back to {count}")
        self.write(inputs, values)
        if h > 0:
            self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)
        self.count, self.fresh = self.count + 1, False


def _fmpy() -> Any:
    try:
        import fmpy
    except ImportError:
        raise LinkError('reading an FMU needs FMPy: pip install "dovetail-hybrid[fmi]"') from None
    return fmpy


_open: OrderedDict[tuple[str, tuple[tuple[str, float], ...]], Slave] = (
    OrderedDict()
)  # the last used at its end


def slave(file: str, start: tuple[tuple[str, float], ...]) -> Slave:
    """The instance of this process for a file and start values; begun anew if it was closed meanwhile."""
    known = _open.pop((file, start), None)
    while known is None and len(_open) >= MOST_OPEN:
        _open.popitem(last=False)[1].close()
    _open[file, start] = found = known or Slave(file, start)
    return found


def close_all() -> None:
    """End all instances of this process."""
    while _open:
        _open.popitem()[1].close()


@jax.custom_jvp
def _no_rate(x: Any) -> Any:
    """Not finite, so that whoever integrates an FMU as if it had an equation sees it; its slope is zero."""
    return jax.tree.map(lambda v: jnp.full_like(v, jnp.nan), x)


@_no_rate.defjvp
def _no_slope(primals, tangents):
    return _no_rate(*primals), jax.tree.map(jnp.zeros_like, tangents[0])


class _Fmu(Flow):
    """What both have in common. The state is what the FMU showed last, and how many steps it has taken."""

    file: str = file_name(default="")
    inputs: dict[str, str] = eqx.field(static=True, default_factory=dict)
    outputs: dict[str, str] = eqx.field(static=True, default_factory=dict)
    start: dict[str, float] = eqx.field(static=True, default_factory=dict)

    usual_inputs: ClassVar[tuple[str, ...]] = ()
    usual_outputs: ClassVar[tuple[str, ...]] = ()
    at: ClassVar[float] = 0.5  # share of a step at which its inputs are taken

    @property
    def slave(self) -> Slave:
        """The instance behind it."""
        found = slave(str(Path(self.file).resolve()), tuple(sorted(self.start.items())))
        found.check(self.taken, "input")
        found.check(self.shown, "output")
        return found

    @property
    def taken(self) -> dict[str, str]:
        """Our names of inputs with the FMU's: those named, else those of ours that it has."""
        return self.inputs or {name: name for name in self.usual_inputs if name in self._names}

    @property
    def shown(self) -> dict[str, str]:
        """Our names of outputs with the FMU's."""
        return {**{name: name for name in self.usual_outputs}, **self.outputs}

    @property
    def _names(self) -> dict[str, int]:
        return slave(str(Path(self.file).resolve()), tuple(sorted(self.start.items()))).references

    def init(self):
        self.slave.begin()
        first = self.slave.read(list(self.shown.values()))
        return {"shown": jnp.asarray(first), "count": jnp.zeros(())}

    def derivative(self, t, x, u):
        return _no_rate(x)

    def output(self, t, x, u):
        return dict(zip(self.shown, x["shown"], strict=True))

    def advance(self, t, h, x, u):
        """One step of the FMU under these inputs."""

        def call(count, t, h, values):
            self.slave.step(int(count), float(t), float(h), list(self.taken.values()), np.asarray(values))
            return self.slave.read(list(self.shown.values()))

        values = (
            jnp.stack([jnp.asarray(u[name], dtype=float) for name in self.taken])
            if self.taken
            else jnp.zeros(0)
        )
        like = jax.ShapeDtypeStruct((len(self.shown),), float)
        shown = io_callback(
            call, like, x["count"], jnp.asarray(t, dtype=float), jnp.asarray(h, dtype=float), values
        )
        return {"shown": shown, "count": x["count"] + 1}


@kind("fmu-substructure")
class FmuSubstructure(_Fmu, Substructure):
    """A co-simulation FMU as the numerical substructure, with `CoSimulation` as the test's method.

    It shows displacement, velocity and acceleration and takes the force; whatever else is named is recorded.
    """

    usual_inputs = ("excitation", "excitation_rate", "force")
    usual_outputs = ("displacement", "velocity", "acceleration")


@kind("fmu-specimen")
class FmuSpecimen(_Fmu, Specimen):
    """A co-simulation FMU as a virtual specimen, with `CoSimulation` as the rig's method: motion in, force out."""

    usual_inputs = ("displacement", "velocity", "acceleration")
    usual_outputs = ("force",)
    at = 1.0


class _Given(Flow):
    """In the place of an FMU: shows what it is given."""

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return u

    def output(self, t, x, u):
        return u


@kind("co-simulation")
class CoSimulation(Method):
    """Lets an FMU take the step itself, under inputs held over it."""

    def step(self, flow, t, dt, x, u, memory):
        is_fmu = lambda node: isinstance(node, _Fmu)  # noqa: E731
        found = [node for node in jax.tree.leaves(flow, is_leaf=is_fmu) if is_fmu(node)]
        if len(found) != 1:
            raise LinkError(f"co-simulation: {type(flow).__name__} holds {len(found)} FMUs; it takes one")
        probe = jax.tree.map(lambda node: _Given() if is_fmu(node) else node, flow, is_leaf=is_fmu)
        given = probe.derivative(t + found[0].at * dt, x, u)
        return found[0].advance(t, dt, x, given), memory
