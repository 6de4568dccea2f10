"""Reading of a served rig and a served cell at rest: position, start of the test, limits; nothing moves."""

import numpy as np
import pytest
from tests.links.conftest import Bench, Served
from tests.links.conftest import served as served  # a fixture
from tests.studio.test_tunables import TEST

from dovetail.app import Action, Document
from dovetail.app.rig_reading import read_rig
from dovetail.core.errors import LinkError

CELL = """
[pseudodynamic]
move_time = "2 s"
max_speed = "10 mm/s"
home_pose = [0.25]
"""


@pytest.fixture
def document(tmp_path):
    """A test with limits that starts 2 mm from rest and moves there in 3 s."""
    file = tmp_path / "mine.toml"
    start = TEST.replace('k = "2250 N/m"', 'k = "2250 N/m"\nz0 = "2 mm"', 1).replace(
        "record_every = 10\n", ""
    )
    limits = '[limits]\ndisplacement = "20 mm"\nforce = "60 N"\napproach_time = "3 s"\n'
    file.write_text(f"rate = 100\n{start}{limits}{CELL}", "utf-8")
    return Document.open(str(file))


def test_a_rig_at_rest_is_read_with_the_motion_to_the_start_and_both_limits(document, served):
    assert document.fault == ""
    server = served(document.test, limits={"displacement": 0.015}, name="bench 4")
    reading = read_rig(Action("realtime", document, address=str(server.address)))
    assert reading.name == "bench 4"
    assert (reading.position, reading.start, reading.approach) == ("0 m", "2 mm", "2 mm in 3 s")
    assert reading.limits == (
        ("displacement", "20 mm", "15 mm"),
        ("velocity", "none", "none"),
        ("force", "60 N", "none"),
    )
    assert (server.session or server.last_session).tick_count == 0


def test_a_cell_is_read_in_its_own_frame(document):
    bench = Bench()
    bench.where = np.array([0.2])
    cell = Served(bench)
    reading = read_rig(Action("pseudodynamic", document, address=cell.url))
    assert (reading.name, reading.position, reading.start) == ("bench", "200 mm", "252 mm")
    assert reading.approach == "52 mm in 5.2 s"  # at 10 mm/s
    assert bench.made == []


def test_no_rig_answers_at_a_free_port(document):
    with pytest.raises(LinkError, match="no rig answers"):
        read_rig(Action("realtime", document, address="udp://127.0.0.1:1"))
