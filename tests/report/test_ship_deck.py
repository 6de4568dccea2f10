"""An aircraft on a page and in motion: what is drawn is what was recorded."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import OutputError
from dovetail.mechanics.airframe import phases
from dovetail.mechanics.airframe.statics import equilibrium
from dovetail.report.html import write_page
from dovetail.report.ship_deck import (
    DeckScene,
    deck_animation,
    deck_sections,
    draw,
    strip,
    write_deck_animation,
)
from dovetail.report.simulation import simulation_page
from dovetail.report.style import new_figure
from dovetail.studies.registry import find_test
from dovetail.testing.outcome import Outcome
from dovetail.testing.run import Run, recording_of


@pytest.fixture(scope="module")
def run():
    """Records of an aircraft in the air, and standing on the deck."""
    test = dataclasses.replace(dv.load(find_test("shipboard/case-6-drop")), duration=0.3, rate=10.0)
    craft = test.numerical
    standing = equilibrium(dataclasses.replace(craft, initial_pose=jnp.array([0.0, 0.55, 0.0])))
    show = jax.jit(lambda x: craft.output(0.0, x, None))
    shown = [show(x) for x in (craft.init(), craft.init(), standing, standing)]
    records = {name: np.stack([np.asarray(one[name]) for one in shown]) for name in shown[0]}
    data = recording_of(test, 0.1 * np.arange(4), records, {"mode": "simulate", "title": test.title})
    return Run(test, "simulate", data, Outcome.FINISHED)


def test_feet_platforms_and_forces_have_recorded_positions(run):
    scene = DeckScene(run)
    _, ((axes,),) = new_figure()
    last = len(scene.times) - 1
    draw(axes, scene, last)
    nodes = run.data["node_position"].values[last]
    drawn = [line.get_xydata() for line in axes.lines]
    for a, b in run.test.numerical.gear.mesh.elements:
        assert any(np.allclose(d, nodes[[a - 1, b - 1]]) for d in drawn if d.shape == (2, 2))
    deck = scene.platform(0, last, (-2, -1))
    np.testing.assert_allclose(deck, run.test.numerical.platforms[0].body.corners())
    arrows = [t for t in axes.texts if getattr(t, "arrow_patch", None)]
    ends = np.array([arrow.xy for arrow in arrows])
    np.testing.assert_allclose(ends, nodes[list(run.test.numerical.feet)])
    dots = next(d for d in drawn if len(d) == 1)
    point = run.data["bristle_anchor"].values[last, 0][run.data["pair_normal_force"].values[last, 0] > 0]
    np.testing.assert_allclose(dots, point)


def test_a_page_shows_scene_motion_loads_and_solver_steps(run, tmp_path):
    titles = [section.title for section in deck_sections(run)]
    assert titles[0] == "Scene"
    assert titles[-3:] == ["Motion", "Loads", "Energy and solver steps"]
    text = write_page(simulation_page(run), tmp_path / "report.html").read_text()
    assert "solver steps per sample" in text


def test_a_strip_covers_the_whole_run(run):
    _, shown = strip(DeckScene(run), phases(run.test.numerical, run.data))
    assert (shown[0], shown[-1]) == (0.0, pytest.approx(0.3))


def test_it_moves_as_a_picture(run, tmp_path):
    path = write_deck_animation(run, tmp_path / "drop.gif", fps=10.0)
    assert path.read_bytes()[:3] == b"GIF"
    assert len(list(deck_animation(run, fps=10.0).new_frame_seq())) == 4
    with pytest.raises(OutputError, match="cannot be written"):
        write_deck_animation(run, tmp_path / "nowhere" / "drop.gif", fps=10.0)
