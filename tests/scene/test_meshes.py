"""User meshes."""

import numpy as np
import pytest
import trimesh

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.scene import shapes
from dovetail.scene.meshes import (
    MAX_TRIANGLES,
    parse_mesh_options,
    read_mesh,
    with_meshes,
    with_meshes_in_any,
)
from dovetail.scene.scene import Scene, Solid

SIZE = np.array([2.0, 0.5, 1.0])


@pytest.fixture
def saved(tmp_path):
    """A box of 2 m by 0.5 m by 1 m in a file of that kind."""

    def save(kind):
        box = trimesh.creation.box(SIZE)
        if kind == "gltf":  # a text and the numbers beside it
            for name, content in trimesh.Scene(box).export(file_type="gltf").items():
                (tmp_path / name).write_bytes(content)
            return tmp_path / "model.gltf"
        box.export(tmp_path / f"box.{kind}")
        return tmp_path / f"box.{kind}"

    return save


@pytest.mark.parametrize("kind", ["stl", "obj", "gltf", "glb", "ply"])
def test_a_box_is_read_from_every_mesh_format(saved, kind):
    mesh = read_mesh(saved(kind))
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), SIZE, rtol=1e-6)
    assert len(mesh.faces) == 12


def test_lengths_use_the_given_unit(saved):
    (mesh,) = parse_mesh_options([f"aircraft={saved('stl')}@mm"]).values()
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), 1e-3 * SIZE, rtol=1e-6)


def test_a_file_may_have_an_at_in_its_name(saved, tmp_path):
    path = saved("stl").rename(tmp_path / "old@mm.stl")
    np.testing.assert_allclose(
        np.ptp(parse_mesh_options([f"a={path}"])["a"].vertices, axis=0), SIZE, rtol=1e-6
    )


def scene():
    parts = ("drogue/ribs", "drogue/canopy", "probe")
    return Scene("t", np.arange(2.0), solids=[Solid(name, shapes.box((1, 1, 1))) for name in parts])


def test_a_mesh_replaces_a_part_or_a_group():
    mesh = shapes.box((3, 3, 3))
    one = with_meshes(scene(), {"probe": mesh})
    assert [solid.mesh is mesh for solid in one.solids] == [False, False, True]
    group = with_meshes(scene(), {"drogue": mesh})
    assert [(solid.name, solid.mesh is mesh) for solid in group.solids] == [
        ("drogue/ribs", True),
        ("probe", False),
    ]


def test_an_unknown_part_of_the_scene_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="drogue/canopy"):
        with_meshes(scene(), {"drouge": shapes.box((1, 1, 1))})
    with pytest.raises(UnknownNameError, match='"tail"'):
        with_meshes_in_any({"a": scene(), "b": scene()}, {"tail": shapes.box((1, 1, 1))})


def test_of_several_pictures_those_that_have_the_part_show_it():
    mesh = shapes.box((3, 3, 3))
    other = Scene("t", np.arange(2.0), solids=[Solid("arm", shapes.box((1, 1, 1)))])
    shown = with_meshes_in_any({"machine": scene(), "cell": other}, {"probe": mesh})
    assert shown["machine"].solids[2].mesh is mesh
    assert shown["cell"].solids[0] is other.solids[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("aircraft", "PART=FILE"),
        ("aircraft=nowhere.stl", "not found: nowhere.stl"),
        ("aircraft={stl}@yards", "unknown unit 'yards'.* m, cm, mm"),
        ("aircraft={text}", "unknown format; .*.stl, .obj"),
        ("aircraft={broken}", "cannot be read as a mesh|has no triangles"),
        ("aircraft={torn}", "cannot be read as a mesh|has no triangles"),
        ("aircraft={points}", "has no triangles; save a surface"),
    ],
)
def test_a_mesh_that_cannot_be_shown_is_rejected(saved, tmp_path, text, words):
    files = {"stl": saved("stl"), "text": tmp_path / "a.txt", "broken": tmp_path / "b.glb"}
    files |= {"torn": tmp_path / "c.stl", "points": tmp_path / "d.obj"}
    files["text"].write_text("nothing", "utf-8")
    files["broken"].write_bytes(b"glTF is not this")
    files["torn"].write_bytes(files["stl"].read_bytes()[:120])
    files["points"].write_text("v 0 0 0\nv 1 0 0\n", "utf-8")
    with pytest.raises(ParameterError, match=words):
        parse_mesh_options([text.format(**files)])


def test_a_mesh_with_too_many_triangles_is_rejected(tmp_path):
    path = tmp_path / "fine.stl"
    trimesh.creation.icosphere(subdivisions=7).export(path)
    with pytest.raises(ParameterError, match=str(MAX_TRIANGLES)):
        read_mesh(path)
