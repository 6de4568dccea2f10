"""Co-simulation FMU as a numerical substructure or as a specimen, through FMPy.

The library of an FMU runs in a separate process, `instance_process`, with a deadline for every answer.

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

import importlib.util
import json
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from dovetail.core import Flow, Input, Method, Output, State, Time, kind, plain_file
from dovetail.core.errors import LinkError, UnknownNameError, reason
from dovetail.core.parameter import file_name
from dovetail.links.fmi import instance_process
from dovetail.mechanics import Substructure
from dovetail.specimens import Specimen

MAX_OPEN = 8  # instances in a process; the least recently used one is closed for a new one
MAX_ENTRIES, MAX_UNPACKED = 10_000, 2**31  # files in an FMU, and their size [B]
DEADLINE = 60.0  # [s] longest time of an answer
CLOSE_DEADLINE = 2.0  # [s] for the end of a process


class Slave:
    """Instance of an FMU in a separate process, with values by name; `close` ends it and its processes."""

    def __init__(self, file: str, start: tuple[tuple[str, float], ...]):
        self.file, self.start = file, start
        self.count, self.fresh = 0, False
        self.folder = Path(tempfile.mkdtemp(prefix="dovetail-fmu-"))
        self.process: subprocess.Popen | None = None
        try:
            _check_archive(file)
            self._start_process()
            self.references: dict[str, int] = self._call("variables", failed="cannot be read as an FMU")
            self.check({name: name for name, _ in start}, "start value")
            self.begin()
        except BaseException:
            self.close()
            raise

    def _start_process(self) -> None:
        if importlib.util.find_spec("fmpy") is None:
            raise LinkError('reading an FMU requires FMPy: pip install "dovetail-hybrid[fmi]"')
        command = [sys.executable, "-P", instance_process.__file__, self.file, str(self.folder)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )
        self.answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_read_answers, args=(self.process, self.answers), daemon=True).start()

    def _call(self, name: str, *arguments: Any, failed: str = "the FMU has failed") -> Any:
        """Return the result of a method of `instance_process.Instance`.

        Raises
        ------
        LinkError
            If the method fails, or the process ends or does not answer in time.
        """
        if self.process is None:
            raise LinkError(f"{self.file}: its process has ended; run the test again")
        try:
            self._send(name, arguments)
            answer = json.loads(self.answers.get(timeout=DEADLINE))
        except queue.Empty as error:
            self.close()
            raise LinkError(f"{self.file}: the FMU did not answer within {DEADLINE:g} s") from error
        except (OSError, ValueError) as error:
            raise LinkError(f"{self.file}: the FMU has ended its process ({self._ended()})") from error
        if "error" in answer:
            raise LinkError(f"{self.file}: {failed} ({answer['error']})")
        return answer["result"]

    def _send(self, name: str, arguments: Any = ()) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
        self.process.stdin.flush()

    def _ended(self) -> str:
        """Close the instance; return how its process has ended."""
        process = self.process
        assert process is not None
        with suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_DEADLINE)
        code = process.poll()
        self.close()
        if code is None:
            return "its answer is not valid"
        return f"exit code {code}" if code >= 0 else signal.strsignal(-code) or f"signal {-code}"

    def close(self) -> None:
        """End the instance and its processes, and remove the unpacked files."""
        if self.process is not None:
            with suppress(OSError, queue.Empty):
                self._send("close")
                self.answers.get(timeout=CLOSE_DEADLINE)
            process, self.process = self.process, None
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(CLOSE_DEADLINE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def check(self, names: dict[str, str], role: str) -> None:
        """Raise `UnknownNameError` if the FMU lacks a variable."""
        for name in names.values():
            if name not in self.references:
                raise UnknownNameError(f"{role} of {self.file}", name, list(self.references))

    def begin(self) -> None:
        """Reset to the start at time zero."""
        if not self.fresh:
            self._call("begin", self.start, self.count > 0)
            self.count, self.fresh = 0, True

    def read(self, names: list[str]) -> np.ndarray:
        """Return values by name."""
        return np.array(self._call("read", names), dtype=float)

    def step(self, count: int, t: float, h: float, inputs: list[str], values: Any) -> None:
        """Make the step after `count` steps; earlier steps cannot be repeated, except from the start."""
        if count == 0:
            self.begin()
        if count != self.count:
            raise LinkError(f"{self.file}: has made {self.count} steps and cannot return to step {count}")
        self._call("step", t, h, inputs, [float(value) for value in values])
        self.count, self.fresh = self.count + 1, False


def _read_answers(process: subprocess.Popen, answers: queue.SimpleQueue) -> None:
    """Pass on the lines of a process; an empty line at its end."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put("")


def _check_archive(file: str) -> None:
    """Raise `LinkError` if the list of an archive has too many files, or they are too large unpacked."""
    try:
        with plain_file.open_plain(file, follow=True) as opened, zipfile.ZipFile(opened) as archive:
            sizes = [entry.file_size for entry in archive.infolist()]
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
        raise LinkError(f"{file}: cannot be read as an FMU ({reason(error)})") from error
    if len(sizes) > MAX_ENTRIES or sum(sizes) > MAX_UNPACKED:
        raise LinkError(
            f"{file}: has {len(sizes)} files of {sum(sizes):.3g} bytes unpacked; "
            f"at most {MAX_ENTRIES} files of {MAX_UNPACKED:.3g} bytes are unpacked"
        )


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
