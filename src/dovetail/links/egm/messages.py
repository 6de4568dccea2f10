"""Messages of EGM in the protobuf wire format, as dictionaries.

Contains the parts of protobuf that EGM uses: varints, doubles, repeated doubles (packed or not) and nested messages.
Unknown fields are skipped, as in protobuf, so messages of newer controllers can be read.
"""

from __future__ import annotations

import struct
from typing import Any

from dovetail.core.errors import LinkError

# number: (name, kind), where the kind is "uint", "bool", "double", "doubles" or the name of a message
MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "Header": {1: ("seqno", "uint"), 2: ("tm", "uint"), 3: ("mtype", "uint")},
    "Cartesian": {1: ("x", "double"), 2: ("y", "double"), 3: ("z", "double")},
    "Quaternion": {1: ("u0", "double"), 2: ("u1", "double"), 3: ("u2", "double"), 4: ("u3", "double")},
    "Clock": {1: ("sec", "uint"), 2: ("usec", "uint")},
    "Pose": {1: ("pos", "Cartesian"), 2: ("orient", "Quaternion"), 3: ("euler", "Cartesian")},
    "Joints": {1: ("joints", "doubles")},
    "Speed": {1: ("value", "doubles")},
    "State": {1: ("state", "uint")},
    "Motion": {
        1: ("joints", "Joints"),
        2: ("cartesian", "Pose"),
        3: ("externalJoints", "Joints"),
        4: ("time", "Clock"),
    },
    "SpeedRef": {1: ("joints", "Joints"), 2: ("cartesians", "Speed"), 3: ("externalJoints", "Joints")},
    "MeasuredForce": {1: ("fcActive", "bool"), 2: ("force", "doubles")},
    "EgmRobot": {
        1: ("header", "Header"),
        2: ("feedBack", "Motion"),
        3: ("planned", "Motion"),
        4: ("motorState", "State"),
        5: ("mciState", "State"),
        6: ("mciConvergenceMet", "bool"),
        8: ("rapidExecState", "State"),
        9: ("measuredForce", "MeasuredForce"),
        10: ("utilizationRate", "double"),
    },
    "EgmSensor": {1: ("header", "Header"), 2: ("planned", "Motion"), 3: ("speedRef", "SpeedRef")},
}
DATA, CORRECTION = 2, 3  # header.mtype: from the controller; to it
MOTORS_ON, MCI_STOPPED, MCI_RUNNING, RAPID_RUNNING = 1, 2, 3, 2
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def encode(message: str, values: dict[str, Any]) -> bytes:
    """Return the bytes of a message; missing values are omitted."""
    data = b""
    for number, (name, kind) in MESSAGES[message].items():
        if name not in values:
            continue
        value = values[name]
        if kind in ("uint", "bool"):
            data += _varint(number << 3 | VARINT) + _varint(int(value))
        elif kind == "double":
            data += _varint(number << 3 | FIXED64) + struct.pack("<d", value)
        elif kind == "doubles":  # not packed, as in the messages of the controllers
            for each in value:
                data += _varint(number << 3 | FIXED64) + struct.pack("<d", each)
        else:
            inner = encode(kind, value)
            data += _varint(number << 3 | BYTES) + _varint(len(inner)) + inner
    return data


def decode(message: str, data: bytes) -> dict[str, Any]:
    """Return the values of a message by name.

    Raises
    ------
    LinkError
        If the bytes are not a valid message.
    """
    try:
        return _decode(message, memoryview(data), 0)
    except (IndexError, struct.error, RecursionError) as error:
        raise LinkError(f"EGM: got {len(data)} bytes that are not a valid {message}") from error


def _decode(message: str, data: memoryview, depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        name, kind = MESSAGES[message].get(number, ("", ""))
        if wire == VARINT:
            value, at = _read_varint(data, at)
            if kind in ("uint", "bool"):
                values[name] = bool(value) if kind == "bool" else value
        elif wire == FIXED64:
            (value,), at = struct.unpack_from("<d", data, at), at + 8
            if kind == "double":
                values[name] = value
            elif kind == "doubles":
                values.setdefault(name, []).append(value)
        elif wire == BYTES:
            size, at = _read_varint(data, at)
            if at + size > len(data):
                raise IndexError
            piece, at = data[at : at + size], at + size
            if kind == "doubles":
                values.setdefault(name, []).extend(struct.unpack(f"<{size // 8}d", piece))
            elif kind in MESSAGES:
                values[name] = _decode(kind, piece, depth + 1)
        elif wire == FIXED32:
            at += 4
            if at > len(data):
                raise IndexError
        else:
            raise IndexError
    return values


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*data, value])


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for i in range(10):
        byte = data[at + i]
        value |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return value, at + i + 1
    raise IndexError
