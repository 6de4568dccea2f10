"""Header and records of a netCDF file in the classic format with 64-bit offsets.

A file is a header, the values of the fixed variables, and then one record after another: a record has one sample of
each variable over the record dimension. A record is appended without a change of what is there, and the number of
records in the header is written after them, so the file is complete after each append, whatever ends the process.
Format: NetCDF Users' Guide, "The NetCDF Classic Format Specification".
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAGIC = b"CDF\x02"
NUMBER_AT = 4  # [B] where the number of records is
DIMENSION, VARIABLE, ATTRIBUTE = 10, 11, 12
CHAR = 2
TYPES = {1: ">i1", CHAR: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8"}
CODES = {np.dtype(name): code for code, name in TYPES.items()}
MAX_HEADER = 16 * 2**20  # [B]
UNKNOWN_SIZE = 2**32 - 1  # for a variable of 4 GB or more


class FormatError(ValueError):
    """The bytes are not those of a classic netCDF file."""


@dataclass
class Variable:
    """Variable of a file: names of its dimensions, type of its values, attributes, and where it begins [B]."""

    dims: tuple[str, ...]
    dtype: np.dtype
    attrs: Mapping[str, Any] = field(default_factory=dict)
    begin: int = 0


@dataclass
class Header:
    """Header of a file. The record dimension has the length 0 in `dims`, and is the first of a record variable."""

    dims: dict[str, int]
    variables: dict[str, Variable]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    records: int = 0

    def shape(self, variable: Variable) -> tuple[int, ...]:
        """Return the shape of a fixed variable, or of one record."""
        return tuple(self.dims[dim] for dim in variable.dims if self.dims[dim])

    def size(self, variable: Variable) -> int:
        """Return the size of a fixed variable, or of one record, without padding [B]."""
        return math.prod(self.shape(variable)) * variable.dtype.itemsize

    @property
    def recorded(self) -> dict[str, Variable]:
        """Variables over the record dimension."""
        return {name: v for name, v in self.variables.items() if v.dims and not self.dims[v.dims[0]]}

    @property
    def record_dtype(self) -> np.dtype:
        """Type of a record, with the padding of each variable to four bytes."""
        recorded = self.recorded
        sizes = [self.size(v) for v in recorded.values()]
        if len(recorded) > 1:
            sizes = [size + -size % 4 for size in sizes]
        offsets = [sum(sizes[:i]) for i in range(len(sizes))]
        formats = [(v.dtype, self.shape(v)) for v in recorded.values()]
        return np.dtype(
            {"names": list(recorded), "formats": formats, "offsets": offsets, "itemsize": sum(sizes)}
        )

    @property
    def data_begin(self) -> int:
        """Where the first record is, or the end of the fixed variables [B]."""
        fixed = [v.begin + self.size(v) for name, v in self.variables.items() if name not in self.recorded]
        return min([v.begin for v in self.recorded.values()], default=max(fixed, default=0))

    def place(self, margin: int = 0) -> None:
        """Set where each variable begins, `margin` [B] behind the header."""
        at = len(self.encoded()) + margin
        recorded = self.recorded
        for name, variable in self.variables.items():
            if name not in recorded:
                variable.begin = at = at + -at % 4
                at += self.size(variable)
        at += -at % 8
        dtype = self.record_dtype
        for name, variable in recorded.items():
            variable.begin = at + dtype.fields[name][1] if dtype.fields else at

    def encoded(self) -> bytes:
        """Return the bytes of the header."""
        index = {name: i for i, name in enumerate(self.dims)}
        dims = [_name(name) + struct.pack(">i", length) for name, length in self.dims.items()]
        variables = []
        for name, variable in self.variables.items():
            ids = [index[dim] for dim in variable.dims]
            size = self.size(variable)
            size += -size % 4
            variables.append(
                _name(name)
                + struct.pack(f">{1 + len(ids)}i", len(ids), *ids)
                + _attributes(variable.attrs)
                + struct.pack(">iIq", CODES[variable.dtype], min(size, UNKNOWN_SIZE), variable.begin)
            )
        head = MAGIC + struct.pack(">I", self.records)
        return head + _list(DIMENSION, dims) + _attributes(self.attrs) + _list(VARIABLE, variables)


def decoded(data: bytes) -> Header:
    """Return the header at the start of a file.

    Raises
    ------
    FormatError
        If the bytes are not a complete header.
    """
    try:
        return _Parser(data).header()
    except (struct.error, IndexError, KeyError, UnicodeDecodeError, ValueError) as error:
        raise FormatError(f"its header is damaged ({error})") from error


class _Parser:
    """Position in the bytes of a header."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def header(self) -> Header:
        if self.take(4) != MAGIC:
            raise ValueError("other magic bytes")
        (records,) = self.unpack(">I")
        names, dims = [], {}
        for _ in range(self.count(DIMENSION)):
            names.append(self.name())
            (dims[names[-1]],) = self.unpack(">I")
        if len(dims) != len(names) or list(dims.values()).count(0) > 1:
            raise ValueError("dimensions")
        header = Header(dims, {}, self.attributes(), records)
        for _ in range(self.count(VARIABLE)):
            name = self.name()
            (rank,) = self.unpack(">I")
            variable_dims = tuple(names[i] for i in self.unpack(f">{min(rank, len(self.data))}I"))
            attrs = self.attributes()
            code, _, begin = self.unpack(">iIq")
            header.variables[name] = Variable(variable_dims, np.dtype(TYPES[code]), attrs, begin)
            if begin < 0 or any(not dims[dim] for dim in variable_dims[1:]):
                raise ValueError(f"variable {name[:40]}")
        begins = [(v.begin, v.begin - offset) for v, offset in self._offsets(header)]
        if len({start for _, start in begins}) > 1:
            raise ValueError("positions of the records")
        return header

    @staticmethod
    def _offsets(header: Header) -> list[tuple[Variable, int]]:
        if sum(header.size(v) for v in header.recorded.values()) > 2**31:
            raise ValueError("size of a record")
        fields: Mapping[str, Any] = header.record_dtype.fields or {}
        return [(v, fields[name][1]) for name, v in header.recorded.items()]

    def take(self, size: int) -> bytes:
        part = self.data[self.at : self.at + size]
        if len(part) < size:
            raise ValueError("too short")
        self.at += size
        return part

    def unpack(self, text: str) -> tuple[Any, ...]:
        return struct.unpack(text, self.take(struct.calcsize(text)))

    def count(self, tag: int) -> int:
        present, number = self.unpack(">II")
        if present not in (0, tag) or number > len(self.data):
            raise ValueError("list")
        return int(number)

    def padded(self, size: int) -> bytes:
        part = self.take(size)
        self.take(-size % 4)
        return part

    def name(self) -> str:
        return self.padded(*self.unpack(">I")).decode()

    def attributes(self) -> dict[str, Any]:
        attributes: dict[str, Any] = {}
        for _ in range(self.count(ATTRIBUTE)):
            name = self.name()
            code, number = self.unpack(">iI")
            dtype = np.dtype(TYPES[code])
            values = self.padded(number * dtype.itemsize)
            if code == CHAR:
                attributes[name] = values.decode()
            else:
                array = np.frombuffer(values, dtype).astype(dtype.newbyteorder("="))
                attributes[name] = array if number != 1 else array[0].item()
        return attributes


def _name(text: str) -> bytes:
    return _padded(text.encode(), len(text.encode()))


def _padded(data: bytes, number: int) -> bytes:
    return struct.pack(">I", number) + data + bytes(-len(data) % 4)


def _list(tag: int, parts: Sequence[bytes]) -> bytes:
    return struct.pack(">II", tag if parts else 0, len(parts)) + b"".join(parts)


def _attributes(attributes: Mapping[str, Any]) -> bytes:
    """Return texts, numbers and rows of numbers as bytes; integers have four bytes."""
    parts = []
    for name, value in attributes.items():
        if isinstance(value, str):
            code, data, number = CHAR, value.encode(), len(value.encode())
        else:
            values = np.atleast_1d(np.asarray(value))
            code = 4 if values.dtype.kind in "iu" else 6
            data, number = values.astype(TYPES[code]).tobytes(), len(values)
        parts.append(_name(name) + struct.pack(">i", code) + _padded(data, number))
    return _list(ATTRIBUTE, parts)
