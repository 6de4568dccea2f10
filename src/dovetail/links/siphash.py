"""SipHash-2-4 with 128-bit output: a short message authentication code.

The rig protocol signs every message with it. It needs a 16-byte key, no tables and thirty lines of C, so it is suitable
for a microcontroller. This is the Python version (about 50 us per datagram); the native tick has its own
[aumasson2012siphash].
"""

from __future__ import annotations

_MASK = 0xFFFFFFFFFFFFFFFF
KEY_LENGTH, TAG_LENGTH = 16, 16


def siphash128(key: bytes, message: bytes) -> bytes:
    """Return the 16-byte tag of a message under a 16-byte key.

    >>> siphash128(bytes(range(16)), b"").hex()
    'a3817f04ba25a8e66df67214c7550293'
    """
    if len(key) != KEY_LENGTH:
        raise ValueError(f"got a key of {len(key)} bytes; SipHash takes {KEY_LENGTH}")
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D ^ 0xEE,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    ]
    whole = len(message) - len(message) % 8
    last = (len(message) & 0xFF) << 56 | int.from_bytes(message[whole:], "little")
    words = [int.from_bytes(message[i : i + 8], "little") for i in range(0, whole, 8)]
    for word in (*words, last):
        v[3] ^= word
        _rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xEE
    _rounds(v, 4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    _rounds(v, 4)
    second = v[0] ^ v[1] ^ v[2] ^ v[3]
    return first.to_bytes(8, "little") + second.to_bytes(8, "little")


def _rounds(v: list[int], count: int) -> None:
    a, b, c, d = v
    for _ in range(count):
        a = (a + b) & _MASK
        b = ((b << 13 | b >> 51) & _MASK) ^ a
        a = (a << 32 | a >> 32) & _MASK
        c = (c + d) & _MASK
        d = ((d << 16 | d >> 48) & _MASK) ^ c
        a = (a + d) & _MASK
        d = ((d << 21 | d >> 43) & _MASK) ^ a
        c = (c + b) & _MASK
        b = ((b << 17 | b >> 47) & _MASK) ^ c
        c = (c << 32 | c >> 32) & _MASK
    v[:] = a, b, c, d
