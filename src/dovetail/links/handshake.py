"""The handshake over TCP: version, axes, rate, silence and limits agreed in a few lines of text.

The loop says hello, the rig answers, the connection stays open: whoever closes it ends the session. Both
messages are ASCII lines `word value...` between a first line `DOVETAIL RIG 1` and a last line `mac TAG`. The
tag is the SipHash-2-4-128, in hexadecimal, of all bytes before that line under the shared key, `-` without a
key; the rig's tag covers the hello too, nonce and all, so that an old answer does not pass for a new one.
"""

from __future__ import annotations

import dataclasses
import hmac
import math
import re
import secrets
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from dovetail.core.errors import LinkError
from dovetail.links.rig_protocol import MOST_VALUES, VERSION
from dovetail.links.siphash import siphash128

MOST_BYTES = 8192
Bounds = Mapping[str, ArrayLike]  # lines `limit WORD VALUE...`: one for all axes, or one for each
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclasses.dataclass(frozen=True)
class Hello:
    """What the loop asks for."""

    axes: int
    rate: float  # [Hz] ticks per second
    silence: int  # ticks without a word after which each side goes to its safe state
    limits: Bounds = dataclasses.field(default_factory=dict)
    nonce: str = dataclasses.field(default_factory=lambda: secrets.token_hex(8))
    version: int = VERSION

    def pack(self, key: bytes | None) -> bytes:
        """The bytes on the wire."""
        lines = [f"axes {self.axes}", f"rate {self.rate!r}", f"silence {self.silence}", f"nonce {self.nonce}"]
        lines += _limit_lines(self.limits)
        return _signed(self.version, lines, b"", key)

    @staticmethod
    def parse(data: bytes, key: bytes | None) -> Hello:
        """A hello from the wire; `LinkError` says what is wrong with it."""
        version, lines = _opened(data, b"", key)
        if version != VERSION:
            raise LinkError(f"the loop speaks version {version} of the rig protocol, this rig {VERSION}")
        words, limits, _ = _sorted(lines)
        hello = Hello(
            axes=_whole(words, "axes"),
            rate=_positive(words, "rate"),
            silence=_whole(words, "silence"),
            limits=limits,
            nonce=_word(words, "nonce"),
        )
        if not 1 <= hello.axes <= MOST_VALUES or hello.silence < 1:
            raise LinkError(f"handshake: got {hello.axes} axes and silence {hello.silence}; both at least 1")
        for name, limit in limits.items():
            if isinstance(limit, tuple) and len(limit) != hello.axes:
                raise LinkError(f"handshake: got {len(limit)} limits of {name} for {hello.axes} axes")
        return hello


@dataclasses.dataclass(frozen=True)
class Welcome:
    """What the rig answers: a session, or why not."""

    session: int = 0
    port: int = 0  # UDP port of the rig
    signals: tuple[tuple[str, int], ...] = ()  # name and number of values, in the order of the datagram
    limits: Bounds = dataclasses.field(default_factory=dict)  # the rig's own
    name: str = "rig"
    refusal: str = ""  # why there is no session

    @property
    def count(self) -> int:
        """Values in a measurement."""
        return sum(size for _, size in self.signals)

    def pack(self, hello: bytes, key: bytes | None) -> bytes:
        """The bytes on the wire, in answer to the bytes of a hello."""
        if self.refusal:
            return _signed(VERSION, [f"refused {_plain(self.refusal)}"], hello, key)
        lines = [f"session {self.session:016x}", f"port {self.port}", f"name {_plain(self.name)}"]
        lines += [f"signal {name} {size}" for name, size in self.signals]
        lines += _limit_lines(self.limits)
        return _signed(VERSION, lines, hello, key)

    @staticmethod
    def parse(data: bytes, hello: bytes, key: bytes | None) -> Welcome:
        """An answer from the wire; `LinkError` says what is wrong with it, or why the rig refused."""
        version, lines = _opened(data, hello, key)
        if version != VERSION:
            raise LinkError(f"the rig speaks version {version} of the rig protocol, this loop {VERSION}")
        words, limits, signals = _sorted(lines)
        if "refused" in words:
            raise LinkError(f"the rig refused: {words['refused']}")
        session = _word(words, "session")
        if not re.fullmatch(r"[0-9a-f]{16}", session):
            raise LinkError(f'handshake: got session "{session[:40]}"; needs 16 hexadecimal digits')
        welcome = Welcome(int(session, 16), _whole(words, "port"), signals, limits, words.get("name", "rig"))
        names = [name for name, _ in signals]
        missing = {"measured_displacement", "measured_force"} - set(names)
        if missing or len(set(names)) < len(names) or welcome.count > MOST_VALUES:
            raise LinkError(f"handshake: got signals {names}; needs measured_displacement and measured_force")
        if not 1 <= welcome.port <= 65535:
            raise LinkError(f"handshake: got port {welcome.port}; needs 1 to 65535")
        return welcome


def _limit_lines(limits: Bounds) -> list[str]:
    """A line for each limit; an axis that has none while others do is `inf`."""
    lines = []
    for name, limit in limits.items():
        values = [float(value) for value in np.ravel(limit)]
        if any(map(math.isfinite, values)):
            lines.append(" ".join(["limit", name, *map(repr, values)]))
    return lines


def _plain(text: str) -> str:
    """One line of printable ASCII."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)[:200]


def _signed(version: int, lines: list[str], before: bytes, key: bytes | None) -> bytes:
    body = "".join(f"{line}\n" for line in (f"DOVETAIL RIG {version}", *lines)).encode("ascii")
    return body + f"mac {siphash128(key, before + body).hex() if key else '-'}\n".encode("ascii")


def _opened(data: bytes, before: bytes, key: bytes | None) -> tuple[int, list[str]]:
    """Version and lines of a message whose tag is right."""
    body, mac, tag = data.rpartition(b"mac ")
    try:
        first, *lines = body.decode("ascii").splitlines()
        version = int(first.removeprefix("DOVETAIL RIG "))
    except (UnicodeDecodeError, ValueError):
        raise LinkError("handshake: this is not the rig protocol; is another program on that port?") from None
    if not mac or not first.startswith("DOVETAIL RIG "):
        raise LinkError("handshake: this is not the rig protocol; is another program on that port?")
    wanted = siphash128(key, before + body).hex() if key else "-"
    if not hmac.compare_digest(tag.strip(), wanted.encode()):
        if key and tag.strip() == b"-":
            raise LinkError("handshake: the other side has no key; give both sides the same key file")
        hint = "the keys differ" if key else "the other side uses a key; give its file with --key"
        raise LinkError(f"handshake: the signature is wrong: {hint}")
    return version, lines


def _sorted(lines: list[str]) -> tuple[dict[str, str], Bounds, tuple[tuple[str, int], ...]]:
    """Single words, limits and signals of a message; unknown words are left alone."""
    words: dict[str, str] = {}
    limits: dict[str, ArrayLike] = {}
    signals: list[tuple[str, int]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word in ("limit", "signal"):
            name, _, number = rest.partition(" ")
            if not _NAME.fullmatch(name):
                raise LinkError(f'handshake: got the name "{name[:40]}"; lower-case letters, digits and _')
            if word == "limit":
                each = number.split(" ")
                values = tuple(_positive({name: text}, name, endless=len(each) > 1) for text in each)
                limits[name] = values if len(values) > 1 else values[0]
            else:
                signals.append((name, _whole({name: number}, name)))
        else:
            words[word] = rest
    return words, limits, tuple(signals)


def _word(words: dict[str, str], name: str) -> str:
    if not words.get(name):
        raise LinkError(f'handshake: the line "{name}" is missing')
    return words[name]


def _positive(words: dict[str, str], name: str, endless: bool = False) -> float:
    text = _word(words, name)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not ((math.isfinite(value) or endless) and value > 0):
        raise LinkError(f'handshake: got {name} "{text[:40]}"; needs a positive number')
    return value


def _whole(words: dict[str, str], name: str) -> int:
    text = _word(words, name)
    if not re.fullmatch(r"\d{1,9}", text):
        raise LinkError(f'handshake: got {name} "{text[:40]}"; needs a whole number')
    return int(text)
