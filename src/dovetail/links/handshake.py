"""Handshake of the rig protocol over TCP: version, axes, rate, link timeout and limits.

The rig sends a challenge, the loop a hello, and the rig answers. The connection stays open, and closing it ends the
session. All messages are ASCII lines `word value...` between a first line `DOVETAIL RIG 2` and a last line `mac TAG`.
The tag is the hexadecimal SipHash-2-4-128 of all bytes before this line under the shared key, or `-` without a key. The
tag of the hello also covers the challenge, and the tag of the answer the hello with its nonce: neither an old hello nor
an old answer is accepted as a new one. The line `silence` contains the link timeout.
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
from dovetail.links.rig_protocol import MAX_VALUES, VERSION
from dovetail.links.siphash import siphash128

MAX_BYTES = 8192
Bounds = Mapping[str, ArrayLike]  # lines `limit WORD VALUE...`: one value for all axes, or one per axis
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


def is_complete(data: bytes) -> bool:
    """Return whether received bytes end with the last line of a message."""
    return data.endswith(b"\n") and b"\nmac " in data


def pack_challenge(key: bytes | None) -> bytes:
    """Return the bytes of a new challenge."""
    return _sign(VERSION, [f"challenge {secrets.token_hex(8)}"], b"", key)


def check_challenge(data: bytes, key: bytes | None) -> None:
    """Raise `LinkError` with the fault if received bytes are not the challenge of a rig."""
    version, lines = _check_signature(data, b"", key)
    if version != VERSION:
        raise LinkError(f"the rig uses version {version} of the rig protocol, this loop version {VERSION}")
    _word(_parse_lines(lines)[0], "challenge")


@dataclasses.dataclass(frozen=True)
class Hello:
    """Request of the loop."""

    axes: int
    rate: float  # [Hz] ticks per second
    link_timeout: int  # ticks without a message after which each side enters its safe state
    limits: Bounds = dataclasses.field(default_factory=dict)
    nonce: str = dataclasses.field(default_factory=lambda: secrets.token_hex(8))
    version: int = VERSION

    def pack(self, challenge: bytes, key: bytes | None) -> bytes:
        """Return the bytes of the answer to the bytes of a challenge."""
        lines = [
            f"axes {self.axes}",
            f"rate {self.rate!r}",
            f"silence {self.link_timeout}",
            f"nonce {self.nonce}",
        ]
        lines += _limit_lines(self.limits)
        return _sign(self.version, lines, challenge, key)

    @staticmethod
    def parse(data: bytes, challenge: bytes, key: bytes | None) -> Hello:
        """Return the hello in received bytes; raise `LinkError` with the fault."""
        version, lines = _check_signature(data, challenge, key)
        if version != VERSION:
            raise LinkError(
                f"the loop uses version {version} of the rig protocol, this rig version {VERSION}"
            )
        words, limits, _ = _parse_lines(lines)
        hello = Hello(
            axes=_integer(words, "axes"),
            rate=_positive(words, "rate"),
            link_timeout=_integer(words, "silence"),
            limits=limits,
            nonce=_word(words, "nonce"),
        )
        if not 1 <= hello.axes <= MAX_VALUES or hello.link_timeout < 1:
            raise LinkError(
                f"handshake: got {hello.axes} axes and silence {hello.link_timeout}; expected at least 1 for both"
            )
        for name, limit in limits.items():
            if isinstance(limit, tuple) and len(limit) != hello.axes:
                raise LinkError(f"handshake: got {len(limit)} limits of {name} for {hello.axes} axes")
        return hello


@dataclasses.dataclass(frozen=True)
class Welcome:
    """Answer of the rig: a session, or a refusal with its reason."""

    session: int = 0
    port: int = 0  # UDP port of the rig
    signals: tuple[tuple[str, int], ...] = ()  # names and numbers of values, in the order of the datagram
    limits: Bounds = dataclasses.field(default_factory=dict)  # limits of the rig
    name: str = "rig"
    refusal: str = ""  # reason of a refusal
    link_timeout: int = 0  # ticks: the smaller one of loop and rig; 0: that of the loop

    @property
    def count(self) -> int:
        """Number of values in a measurement."""
        return sum(size for _, size in self.signals)

    def pack(self, hello: bytes, key: bytes | None) -> bytes:
        """Return the bytes of the answer to the bytes of a hello."""
        if self.refusal:
            return _sign(VERSION, [f"refused {_plain(self.refusal)}"], hello, key)
        lines = [f"session {self.session:016x}", f"port {self.port}", f"name {_plain(self.name)}"]
        lines += [f"silence {self.link_timeout}"] if self.link_timeout else []
        lines += [f"signal {name} {size}" for name, size in self.signals]
        lines += _limit_lines(self.limits)
        return _sign(VERSION, lines, hello, key)

    @staticmethod
    def parse(data: bytes, hello: bytes, key: bytes | None) -> Welcome:
        """Return the answer in received bytes; raise `LinkError` with the fault, or with the reason of a refusal."""
        version, lines = _check_signature(data, hello, key)
        if version != VERSION:
            raise LinkError(
                f"the rig uses version {version} of the rig protocol, this loop version {VERSION}"
            )
        words, limits, signals = _parse_lines(lines)
        if "refused" in words:
            raise LinkError(f"the rig refused: {words['refused']}")
        session = _word(words, "session")
        if not re.fullmatch(r"[0-9a-f]{16}", session):
            raise LinkError(f'handshake: got session "{session[:40]}"; expected 16 hexadecimal digits')
        welcome = Welcome(
            int(session, 16),
            _integer(words, "port"),
            signals,
            limits,
            words.get("name", "rig"),
            link_timeout=_integer(words, "silence") if "silence" in words else 0,
        )
        names = [name for name, _ in signals]
        missing = {"measured_displacement", "measured_force"} - set(names)
        if missing or len(set(names)) < len(names) or welcome.count > MAX_VALUES:
            raise LinkError(
                f"handshake: got signals {names}; expected measured_displacement, measured_force, and others once each"
            )
        if not 1 <= welcome.port <= 65535:
            raise LinkError(f"handshake: got port {welcome.port}; expected 1 to 65535")
        return welcome


def _limit_lines(limits: Bounds) -> list[str]:
    """Return one line per limit; an axis without limit is `inf` if other axes have one."""
    lines = []
    for name, limit in limits.items():
        values = [float(value) for value in np.ravel(limit)]
        if any(map(math.isfinite, values)):
            lines.append(" ".join(["limit", name, *map(repr, values)]))
    return lines


def _plain(text: str) -> str:
    """Return the text as one line of printable ASCII."""
    return "".join(c if " " <= c <= "~" else "?" for c in text)[:200]


def _sign(version: int, lines: list[str], before: bytes, key: bytes | None) -> bytes:
    body = "".join(f"{line}\n" for line in (f"DOVETAIL RIG {version}", *lines)).encode("ascii")
    return body + f"mac {siphash128(key, before + body).hex() if key else '-'}\n".encode("ascii")


def _check_signature(data: bytes, before: bytes, key: bytes | None) -> tuple[int, list[str]]:
    """Return version and lines of a message after checking its tag."""
    body, mac, tag = data.rpartition(b"mac ")
    try:
        first, *lines = body.decode("ascii").splitlines()
        version = int(first.removeprefix("DOVETAIL RIG "))
    except (UnicodeDecodeError, ValueError):
        raise LinkError(
            "handshake: got bytes that are not the rig protocol; check whether another program uses this port"
        ) from None
    if not mac or not first.startswith("DOVETAIL RIG "):
        raise LinkError(
            "handshake: got bytes that are not the rig protocol; check whether another program uses this port"
        )
    expected = siphash128(key, before + body).hex() if key else "-"
    if not hmac.compare_digest(tag.strip(), expected.encode()):
        if key and tag.strip() == b"-":
            raise LinkError("handshake: the other side has no key; give both sides the same key file")
        hint = "the keys differ" if key else "the other side uses a key; give its file with --key"
        raise LinkError(f"handshake: the signature is wrong: {hint}")
    return version, lines


def _parse_lines(lines: list[str]) -> tuple[dict[str, str], Bounds, tuple[tuple[str, int], ...]]:
    """Return single words, limits and signals of a message; unknown words are ignored."""
    words: dict[str, str] = {}
    limits: dict[str, ArrayLike] = {}
    signals: list[tuple[str, int]] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word in ("limit", "signal"):
            name, _, number = rest.partition(" ")
            if not _NAME.fullmatch(name):
                raise LinkError(
                    f'handshake: got the name "{name[:40]}"; expected lower-case letters, digits and _'
                )
            if word == "limit":
                each = number.split(" ")
                values = tuple(_positive({name: text}, name, endless=len(each) > 1) for text in each)
                limits[name] = values if len(values) > 1 else values[0]
            else:
                signals.append((name, _integer({name: number}, name)))
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
        raise LinkError(f'handshake: got {name} "{text[:40]}"; expected a positive number')
    return value


def _integer(words: dict[str, str], name: str) -> int:
    text = _word(words, name)
    if not re.fullmatch(r"\d{1,9}", text):
        raise LinkError(f'handshake: got {name} "{text[:40]}"; expected an integer')
    return int(text)
