"""SipHash-2-4-128 against the vectors of its authors' reference implementation."""

import pytest

from dovetail.links.siphash import siphash128

KEY = bytes(range(16))
# first entries of `vectors_sip128`: messages 00 01 02 ... of length 0, 1, 2, 3
VECTORS = [
    "a3817f04ba25a8e66df67214c7550293",
    "da87c1d86b99af44347659119b22fc45",
    "8177228da4a45dc7fca38bdef60affe4",
    "9c70b60c5267a94e5f33b6b02985ed51",
]


@pytest.mark.parametrize("length", range(4))
def test_the_published_test_vectors_are_reproduced(length):
    assert siphash128(KEY, bytes(range(length))).hex() == VECTORS[length]


def test_every_byte_of_message_and_key_matters():
    message = bytes(range(64))
    tags = {siphash128(KEY, message)}
    for i in range(64):
        tags.add(siphash128(KEY, message[:i] + bytes([message[i] ^ 1]) + message[i + 1 :]))
    for i in range(16):
        tags.add(siphash128(KEY[:i] + bytes([KEY[i] ^ 1]) + KEY[i + 1 :], message))
    assert len(tags) == 1 + 64 + 16


def test_a_key_of_another_length_is_rejected():
    with pytest.raises(ValueError, match="got a key of 3 bytes; SipHash takes 16"):
        siphash128(b"abc", b"")
