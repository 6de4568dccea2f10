"""A package whose names are loaded at their first use."""

import pickle
import sys
from importlib import import_module

import pytest

PACKAGE = {
    "__init__": (
        '"""A package."""\n\nfrom typing import TYPE_CHECKING\n\nfrom dovetail.lazily import lazily\n\n'
        "if TYPE_CHECKING:\n"
        "    from a_room import corner\n"
        "    from a_room.chair import Chair, sit\n"
        "    from a_room.sweep import sweep\n\n"
        'lazily(__name__)\n\n__all__ = ["Chair", "corner", "sit", "sweep"]\n'
    ),
    "chair": "class Chair:\n    pass\n\n\ndef sit():\n    return Chair()\n",
    "corner": "angle = 90\n",
    "sweep": "def sweep():\n    return 'clean'\n",
}


@pytest.fixture
def room(tmp_path, monkeypatch):
    (tmp_path / "a_room").mkdir()
    for name, text in PACKAGE.items():
        (tmp_path / "a_room" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("a_room")
    for name in [name for name in sys.modules if name.partition(".")[0] == "a_room"]:
        del sys.modules[name]


def loaded() -> set[str]:
    return {name for name in sys.modules if name.startswith("a_room.")}


def test_a_name_loads_its_module_and_no_other(room):
    assert loaded() == set()
    assert isinstance(room.sit(), room.Chair)
    assert loaded() == {"a_room.chair"}
    assert room.corner.angle == 90


def test_a_function_named_like_its_module_remains_the_function(room):
    module = import_module("a_room.sweep")
    assert room.sweep is module.sweep
    from a_room import sweep

    assert sweep() == "clean"


def test_an_unknown_attribute_lists_the_known_ones(room):
    with pytest.raises(AttributeError, match="'a_room' has no attribute 'table'; it has Chair, corner, sit"):
        room.table  # noqa: B018
    assert not hasattr(room, "table")


def test_a_package_lists_its_names_and_lets_them_be_replaced(room, monkeypatch):
    assert {"Chair", "corner", "sit", "sweep"} <= set(dir(room))
    monkeypatch.setattr(room, "sit", lambda: "on the floor")
    assert room.sit() == "on the floor"


def test_a_package_is_sent_to_a_worker_by_its_name(room):
    assert pickle.loads(pickle.dumps(room)) is room
