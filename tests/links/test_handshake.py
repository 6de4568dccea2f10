"""The handshake: agreed, refused, and never fooled by noise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.errors import LinkError
from dovetail.links.handshake import Hello, Welcome

KEY, OTHER = bytes(range(16)), bytes(16)
HELLO = Hello(axes=1, rate=1000.0, silence=20, limits={"force": 200.0}, nonce="0011223344556677")
SIGNALS = (("measured_displacement", 1), ("measured_force", 1))
WELCOME = Welcome(session=0xABC, port=7001, signals=SIGNALS, limits={"force": 90.0}, name="bench 3")


def test_the_hello_is_text_that_a_person_can_read():
    assert HELLO.pack(None).decode() == (
        "DOVETAIL RIG 1\naxes 1\nrate 1000.0\nsilence 20\nnonce 0011223344556677\nlimit force 200.0\nmac -\n"
    )


@pytest.mark.parametrize("key", [None, KEY])
def test_both_messages_are_read_back(key):
    sent = HELLO.pack(key)
    assert Hello.parse(sent, key) == HELLO
    assert Welcome.parse(WELCOME.pack(sent, key), sent, key) == WELCOME
    assert WELCOME.count == 2


def test_a_refusal_says_why():
    sent = HELLO.pack(KEY)
    with pytest.raises(LinkError, match="the rig refused: has 2 axes, not 1"):
        Welcome.parse(Welcome(refusal="has 2 axes, not 1").pack(sent, KEY), sent, KEY)


@pytest.mark.parametrize(
    ("theirs", "ours", "text"),
    [
        (OTHER, KEY, "the keys differ"),
        (None, KEY, "the other side has no key"),
        (KEY, None, "the other side uses a key"),
    ],
)
def test_a_wrong_key_is_told_apart(theirs, ours, text):
    with pytest.raises(LinkError, match=text):
        Hello.parse(HELLO.pack(theirs), ours)


def test_an_old_answer_does_not_pass_for_a_new_one():
    old, new = HELLO.pack(KEY), Hello(axes=1, rate=1000.0, silence=20).pack(KEY)
    with pytest.raises(LinkError, match="signature"):
        Welcome.parse(WELCOME.pack(old, KEY), new, KEY)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ((b"RIG 1", b"RIG 2"), "version 2"),
        ((b"axes 1", b"axes 0"), "both at least 1"),
        ((b"axes 1", b"axes one"), 'got axes "one"; needs a whole number'),
        ((b"rate 1000.0", b"rate nan"), 'got rate "nan"; needs a positive number'),
        ((b"silence 20\n", b""), 'the line "silence" is missing'),
        ((b"DOVETAIL", b"HTTP/1.1"), "not the rig protocol"),
        ((b"limit force", b"limit F!"), 'got the name "F!"'),
    ],
)
def test_a_faulty_hello_is_answered_with_its_fault(change, text):
    with pytest.raises(LinkError, match=text):
        Hello.parse(HELLO.pack(None).replace(*change), None)


def test_an_answer_needs_position_and_force():
    sent = HELLO.pack(None)
    lacking = Welcome(session=1, port=7001, signals=SIGNALS[:1]).pack(sent, None)
    with pytest.raises(LinkError, match="needs measured_displacement and measured_force"):
        Welcome.parse(lacking, sent, None)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=300))
def test_noise_is_refused_in_words(data):
    for parse in (lambda: Hello.parse(data, None), lambda: Welcome.parse(data, b"", None)):
        with pytest.raises(LinkError, match="handshake|version"):
            parse()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 200), st.integers(1, 255))
def test_a_corrupted_signed_hello_is_refused(offset, flip):
    data = bytearray(HELLO.pack(KEY))
    data[offset % (len(data) - 1)] ^= flip  # all but the last newline, which carries nothing
    with pytest.raises(LinkError):
        Hello.parse(bytes(data), KEY)
