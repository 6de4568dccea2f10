"""The scene of a run: the view in a process of its own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from dovetail.studio.page.scene import Scenes


def test_what_is_no_run_is_told_in_words(tmp_path):
    async def ask():
        scenes = Scenes()
        try:
            return await scenes.address(tmp_path / "nothing")
        finally:
            scenes.close()

    with ThreadPoolExecutor(
        1
    ) as beside:  # a thread of its own: the browser of another test has a loop in this one
        words = beside.submit(asyncio.run, ask()).result()
    assert not words.startswith("http")
    assert "nothing" in words
