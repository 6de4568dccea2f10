"""The clock of a recording that is played."""

import pytest

from dovetail.view import Player


def test_time_passes_only_while_playing_and_at_the_chosen_speed():
    player = Player(0.0, 10.0, speed=2.0)
    assert player.advance(1.0) == 0.0
    player.play()
    assert player.advance(1.5) == pytest.approx(3.0)
    player.hold()
    assert player.advance(5.0) == pytest.approx(3.0)


def test_it_stops_at_the_end_and_starts_anew_from_there():
    player = Player(1.0, 2.0)
    player.play()
    assert player.advance(5.0) == 2.0
    assert not player.playing
    player.play()
    assert player.position == 1.0


def test_a_moment_outside_the_recording_is_its_nearest_end():
    player = Player(1.0, 2.0)
    player.seek(-3.0)
    assert player.position == 1.0
    player.seek(9.0)
    assert player.position == 2.0
