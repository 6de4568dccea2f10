"""Playback clock."""

import pytest

from dovetail.view import Playback


def test_time_passes_only_while_playing_and_at_the_chosen_speed():
    playback = Playback(0.0, 10.0, speed=2.0)
    assert playback.advance(1.0) == 0.0
    playback.play()
    assert playback.advance(1.5) == pytest.approx(3.0)
    playback.pause()
    assert playback.advance(5.0) == pytest.approx(3.0)


def test_playback_stops_at_the_end_and_restarts_from_the_beginning():
    playback = Playback(1.0, 2.0)
    playback.play()
    assert playback.advance(5.0) == 2.0
    assert not playback.playing
    playback.play()
    assert playback.position == 1.0


def test_a_moment_outside_the_recording_is_its_nearest_end():
    playback = Playback(1.0, 2.0)
    playback.seek(-3.0)
    assert playback.position == 1.0
    playback.seek(9.0)
    assert playback.position == 2.0
