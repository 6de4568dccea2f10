"""Computes the model of an FMU for the binary that started this process; see `fmu.c`.

Stands alone in the FMU's resources: it needs JAX and nothing else. The model is three exported functions: `start`,
`step` and `show`. Their arguments: parameters, time [s], then step [s] and number of integration steps, state, inputs.
"""

import json
import os
import socket
import struct
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class Model:
    """The exported functions with the state in hand."""

    def __init__(self, about):
        import jax
        import jax.export
        import numpy

        self.numpy, self.about = numpy, about
        self.calls = {
            name: jax.jit(jax.export.deserialize((FOLDER / f"{name}.bin").read_bytes()).call)
            for name in ("start", "step", "show")
        }
        self.parameters = numpy.array(about["parameters"])
        self.state = None

    def start(self, time, values):
        """Begin with these parameters and inputs; what is shown."""
        split = len(self.about["parameters"])
        self.parameters, inputs = values[:split], values[split:]
        self.state = self.calls["start"](self.parameters, time, inputs)
        return self.show(time, inputs)

    def step(self, time, h, inputs):
        """Advance by `h` [s]; what is shown."""
        ticks = h / self.about["step"]
        number = max(round(ticks), 1) if self.about["whole"] else max(int(-(-(ticks - 1e-9) // 1)), 1)
        if self.about["whole"] and abs(ticks - number) > 1e-6 * number:
            raise ValueError(
                f"a step of {h:g} s: this test has ticks of {self.about['step']:g} s, take whole ones"
            )
        self.state = self.calls["step"](self.parameters, time, h, number, self.state, inputs)
        return self.show(time + h, inputs)

    def show(self, time, inputs):
        """The outputs."""
        return self.numpy.asarray(self.calls["show"](self.parameters, time, self.state, inputs), dtype=float)


def receive(stream, size):
    """Exactly so many bytes; the end of the other side is ours."""
    data = b""
    while len(data) < size:
        piece = stream.recv(size - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def failed(stream, error):
    """Tell what went wrong."""
    text = f"{type(error).__name__}: {error}".encode()[:1000]
    stream.sendall(struct.pack("=BI", 1, len(text)) + text)


def main():
    """Answer until told to quit."""
    stream = socket.socket(fileno=0)
    about = json.loads((FOLDER / "about.json").read_text("utf-8"))
    counts = [len(about[name]) for name in ("parameters", "inputs", "outputs")]
    try:
        if sys.argv[1] != about["token"]:
            raise ValueError(f"this model is {about['token']}, asked for was {sys.argv[1]}")
        model = Model(about)
    except Exception as error:  # whatever it is, the importing tool shows it
        failed(stream, error)
        return
    first = struct.pack(f"={counts[0] + counts[1]}d", *about["parameters"], *about["inputs"])
    stream.sendall(struct.pack("=B3I", 0, *counts) + first)
    while True:
        what, time, h = struct.unpack("=cdd", receive(stream, 17))
        if what == b"Q":
            return
        number = counts[1] + (counts[0] if what == b"I" else 0)
        values = model.numpy.frombuffer(receive(stream, 8 * number))
        try:
            if what == b"I":
                shown = model.start(time, values)
            else:
                shown = model.step(time, h, values) if what == b"S" else model.show(time, values)
            stream.sendall(b"\0" + shown.tobytes())
        except Exception as error:
            failed(stream, error)


if __name__ == "__main__":
    os.environ |= {"JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}
    main()
