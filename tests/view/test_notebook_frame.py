"""View of a run in a notebook cell."""

import urllib.error
import urllib.request

import pytest

import dovetail as dv


def test_a_run_shows_itself_in_a_frame_until_it_is_closed():
    run = dv.load("substructuring/cs1", {"duration": 0.1}).rehearse()
    frame = run.view()
    assert f'src="{frame.address}"' in frame._repr_html_()
    with urllib.request.urlopen(frame.address, timeout=60) as page:
        assert page.status == 200
    frame.close()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(frame.address, timeout=60)
