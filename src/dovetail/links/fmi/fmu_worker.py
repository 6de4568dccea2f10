"""Process that computes the model of an FMU for its binary; see `fmu.c`.

Part of the resources of the FMU; requires JAX only. The model consists of three exported functions: `start`, `step` and
`show`. Their arguments: parameters, time [s], step [s] and number of integration steps, state, inputs.
"""

import json
import os
import socket
import struct
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


class Model:
    """Exported functions with their state."""

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
        """Start with these parameters and inputs; return the outputs."""
        split = len(self.about["parameters"])
        self.parameters, inputs = values[:split], values[split:]
        self.state = self.calls["start"](self.parameters, time, inputs)
        return self.show(time, inputs)

    def step(self, time, h, inputs):
        """Advance by `h` [s]; return the outputs."""
        ticks = h / self.about["step"]
        number = max(round(ticks), 1) if self.about["whole_steps"] else max(int(-(-(ticks - 1e-9) // 1)), 1)
        if self.about["whole_steps"] and abs(ticks - number) > 1e-6 * number:
            raise ValueError(
                f"got a step of {h:g} s; expected an integer number of ticks of {self.about['step']:g} s"
            )
        self.state = self.calls["step"](self.parameters, time, h, number, self.state, inputs)
        return self.show(time + h, inputs)

    def show(self, time, inputs):
        """Return the outputs."""
        return self.numpy.asarray(self.calls["show"](self.parameters, time, self.state, inputs), dtype=float)


def receive(stream, size):
    """Receive exactly `size` bytes; exit if the other side has closed."""
    data = b""
    while len(data) < size:
        piece = stream.recv(size - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def send_error(stream, error):
    """Send the text of an error."""
    text = f"{type(error).__name__}: {error}".encode()[:1000]
    stream.sendall(struct.pack("=BI", 1, len(text)) + text)


def main():
    """Answer requests until the quit request."""
    stream = socket.socket(fileno=0)
    about = json.loads((FOLDER / "about.json").read_text("utf-8"))
    counts = [len(about[name]) for name in ("parameters", "inputs", "outputs")]
    try:
        if sys.argv[1] != about["token"]:
            raise ValueError(f"got the token {sys.argv[1]}; expected {about['token']}")
        model = Model(about)
    except Exception as error:  # any error is passed to the importing tool
        send_error(stream, error)
        return
    first = struct.pack(f"={counts[0] + counts[1]}d", *about["parameters"], *about["inputs"])
    stream.sendall(struct.pack("=B3I", 0, *counts) + first)
    while True:
        request, time, h = struct.unpack("=cdd", receive(stream, 17))
        if request == b"Q":
            return
        number = counts[1] + (counts[0] if request == b"I" else 0)
        values = model.numpy.frombuffer(receive(stream, 8 * number))
        try:
            if request == b"I":
                outputs = model.start(time, values)
            else:
                outputs = model.step(time, h, values) if request == b"S" else model.show(time, values)
            stream.sendall(b"\0" + outputs.tobytes())
        except Exception as error:
            send_error(stream, error)


if __name__ == "__main__":
    os.environ |= {"JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}
    main()
