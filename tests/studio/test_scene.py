"""3-D view of a run in a separate process."""

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from dovetail.studio.scene import SceneServers, _end, _read_address


def test_a_folder_without_a_run_is_reported(tmp_path):
    async def ask():
        return await SceneServers().address(tmp_path / "nothing")

    with ThreadPoolExecutor(
        1
    ) as process:  # a thread of its own: the browser of another test has a loop in this one
        assert process.submit(asyncio.run, ask()).result() == f"no run in {tmp_path / 'nothing'}"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("drawing\\nopen      http://127.0.0.1:1/?token=a", "http://127.0.0.1:1/?token=a"),
        ("dovetail: the view needs viser", "dovetail: the view needs viser"),
        ("", "the view ended"),
    ],
)
def test_an_error_of_the_view_is_shown(printed, told):
    view = subprocess.Popen(
        [sys.executable, "-Sc", f"print('{printed}', end='')"], stdout=subprocess.PIPE, text=True
    )
    assert _read_address(view).startswith(told)
    _end(view)
