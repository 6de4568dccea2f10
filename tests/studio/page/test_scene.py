"""The scene of a run: the view in a process of its own."""

import asyncio

import pytest

from dovetail.studio.page.scene import Scenes


def test_what_is_no_run_is_told_in_words(tmp_path):
    async def ask():
        scenes = Scenes()
        try:
            return await scenes.address(tmp_path / "nothing")
        finally:
            scenes.close()

    loop = asyncio.new_event_loop()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                asyncio.events, "_get_running_loop", lambda: None
            )  # a browser of another test has one
            words = loop.run_until_complete(ask())
    finally:
        loop.close()
    assert not words.startswith("http")
    assert "nothing" in words
