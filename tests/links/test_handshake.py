"""The handshake: agreed, refused, and never fooled by noise."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.errors import LinkError
from dovetail.links.handshake import Hello, Welcome, check_challenge, pack_challenge
from dovetail.links.rig_protocol import MAX_VALUES

KEY, OTHER = bytes(range(16)), bytes(16)
CHALLENGE = pack_challenge(KEY)
HELLO = Hello(axes=1, rate=1000.0, link_timeout=20, limits={"force": 200.0}, nonce="0011223344556677")
SIGNALS = (("measured_displacement", 1), ("measured_force", 1))
WELCOME = Welcome(
    session=0xABC, port=7001, signals=SIGNALS, limits={"force": 90.0}, name="bench 3", link_timeout=12
)


def test_the_hello_is_text_that_a_person_can_read():
    assert HELLO.pack(b"", None).decode() == (
        "DOVETAIL RIG 2\naxes 1\nrate 1000.0\nsilence 20\nnonce 0011223344556677\nlimit force 200.0\nmac -\n"
    )


@pytest.mark.parametrize("key", [None, KEY])
def test_both_messages_are_read_back(key):
    sent = HELLO.pack(CHALLENGE, key)
    assert Hello.parse(sent, CHALLENGE, key) == HELLO
    assert Welcome.parse(WELCOME.pack(sent, key), sent, key) == WELCOME
    assert WELCOME.count == 2


def test_a_refusal_states_the_reason():
    sent = HELLO.pack(CHALLENGE, KEY)
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
def test_a_wrong_key_has_its_own_error(theirs, ours, text):
    with pytest.raises(LinkError, match=text):
        Hello.parse(HELLO.pack(CHALLENGE, theirs), CHALLENGE, ours)


def test_an_old_answer_is_not_accepted_for_a_new_request():
    old, new = HELLO.pack(CHALLENGE, KEY), Hello(axes=1, rate=1000.0, link_timeout=20).pack(CHALLENGE, KEY)
    with pytest.raises(LinkError, match="signature"):
        Welcome.parse(WELCOME.pack(old, KEY), new, KEY)


def test_an_old_hello_does_not_pass_for_a_new_one():
    """Whoever recorded it cannot sign the challenge of another connection."""
    old = HELLO.pack(CHALLENGE, KEY)
    assert Hello.parse(old, CHALLENGE, KEY) == HELLO
    with pytest.raises(LinkError, match="signature"):
        Hello.parse(old, pack_challenge(KEY), KEY)


def test_every_challenge_is_another_and_is_signed():
    assert len({pack_challenge(None) for _ in range(100)}) == 100
    check_challenge(CHALLENGE, KEY)
    with pytest.raises(LinkError, match="the keys differ"):
        check_challenge(CHALLENGE, OTHER)
    with pytest.raises(LinkError, match='the line "challenge" is missing'):
        check_challenge(HELLO.pack(b"", None), None)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ((b"RIG 2", b"RIG 3"), "version 3"),
        ((b"axes 1", b"axes 0"), "expected at least 1"),
        ((b"axes 1", b"axes one"), 'got axes "one"; expected an integer'),
        ((b"rate 1000.0", b"rate nan"), 'got rate "nan"; expected a positive number'),
        ((b"silence 20\n", b""), 'the line "silence" is missing'),
        ((b"DOVETAIL", b"HTTP/1.1"), "not the rig protocol"),
        ((b"limit force", b"limit F!"), 'got the name "F!"'),
    ],
)
def test_a_faulty_hello_is_answered_with_its_fault(change, text):
    with pytest.raises(LinkError, match=text):
        Hello.parse(HELLO.pack(b"", None).replace(*change), b"", None)


def test_an_answer_needs_position_and_force():
    sent = HELLO.pack(b"", None)
    lacking = Welcome(session=1, port=7001, signals=SIGNALS[:1]).pack(sent, None)
    with pytest.raises(LinkError, match="expected measured_displacement"):
        Welcome.parse(lacking, sent, None)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=300))
def test_noise_is_rejected_with_a_message(data):
    for parse in (lambda: Hello.parse(data, b"", None), lambda: Welcome.parse(data, b"", None)):
        with pytest.raises(LinkError, match="handshake|version"):
            parse()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 200), st.integers(1, 255))
def test_a_corrupted_signed_hello_is_rejected(offset, flip):
    data = bytearray(HELLO.pack(CHALLENGE, KEY))
    data[offset % (len(data) - 1)] ^= flip  # all but the last newline, which carries nothing
    with pytest.raises(LinkError):
        Hello.parse(bytes(data), CHALLENGE, KEY)


@pytest.mark.parametrize("value", ["inf", "-inf", "0", "-1", "nan", ""])
def test_a_limit_without_effect_is_rejected(value):
    data = HELLO.pack(b"", None).replace(b"limit force 200.0", f"limit force {value}".encode())
    with pytest.raises(LinkError, match="expected a positive number|is missing"):
        Hello.parse(data, b"", None)


def test_an_axis_may_be_without_a_limit_where_another_has_one():
    hello = Hello(axes=2, rate=1000.0, link_timeout=20, limits={"force": (float("inf"), 5.0)})
    assert Hello.parse(hello.pack(CHALLENGE, KEY), CHALLENGE, KEY).limits == {"force": (float("inf"), 5.0)}
    assert (
        Hello.parse(
            Hello(2, 1e3, 20, {"force": (float("inf"),) * 2}).pack(CHALLENGE, KEY), CHALLENGE, KEY
        ).limits
        == {}
    )


def test_limits_are_one_for_all_axes_or_one_for_each():
    data = Hello(axes=2, rate=1000.0, link_timeout=20, limits={"force": (1.0, 2.0)}).pack(b"", None)
    with pytest.raises(LinkError, match="got 2 limits of force for 3 axes"):
        Hello.parse(data.replace(b"axes 2", b"axes 3"), b"", None)


@pytest.mark.parametrize(("axes", "silence"), [(1, 0), (0, 1), (MAX_VALUES + 1, 1)])
def test_a_hello_beyond_its_bounds_is_rejected(axes, silence):
    with pytest.raises(LinkError, match="expected at least 1"):
        Hello.parse(Hello(axes, 1000.0, silence).pack(b"", None), b"", None)
    edge = Hello(MAX_VALUES, 1000.0, 1)
    assert Hello.parse(edge.pack(b"", None), b"", None) == edge


def answered(**changes):
    """What the loop reads of an answer with these differences."""
    sent = HELLO.pack(b"", None)
    return Welcome.parse(dataclasses.replace(WELCOME, **changes).pack(sent, None), sent, None)


def test_a_signal_that_is_named_twice_is_rejected():
    with pytest.raises(LinkError, match="got signals"):
        answered(signals=(*SIGNALS, ("penetration", 1), ("penetration", 1)))


def test_an_answer_has_no_more_values_than_a_datagram_holds():
    room = MAX_VALUES - 2
    assert answered(signals=(*SIGNALS, ("temperature", room))).count == MAX_VALUES
    with pytest.raises(LinkError, match="got signals"):
        answered(signals=(*SIGNALS, ("temperature", room + 1)))


@pytest.mark.parametrize("port", [0, 65536])
def test_a_port_that_cannot_be_is_rejected(port):
    with pytest.raises(LinkError, match=f"got port {port}"):
        answered(port=port)
    assert [answered(port=edge).port for edge in (1, 65535)] == [1, 65535]
