"""The index of kinds is complete and current, and finds parts that are not loaded."""

import subprocess
import sys

from dovetail.core import Flow, kind_index
from dovetail.mechanics import Oscillator
from dovetail.transfer import Transfer


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERYTHING = """
import importlib, pkgutil, dovetail
from dovetail.core import kind_index
for module in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
    importlib.import_module(module.name)
print(kind_index.index_text(), end="")
"""


def test_the_index_equals_the_registered_classes():
    """Every module is imported in a separate process, because tests register kinds too."""
    assert fresh(EVERYTHING) == kind_index.FILE.read_text("utf-8"), (
        "the index of kinds is out of date; update it with: make index"
    )


def test_finding_a_part_loads_only_its_module():
    output = fresh(
        "import sys\n"
        "from dovetail.core.kinds import find, names\n"
        "from dovetail.core import Flow\n"
        "assert 'towed-rope' in names(Flow)\n"
        "print(find('spring').__module__)\n"
        "others = ('dovetail.air', 'dovetail.sea', 'dovetail.studies')\n"
        "print(*(name for name in sys.modules if name.startswith(others)))\n"
    )
    assert output == "dovetail.specimens.spring\n\n"


def test_an_entry_lists_the_bases_of_its_class():
    entry = kind_index.entries()["oscillator"]
    assert entry == kind_index.entry_of(Oscillator)
    assert entry.is_one_of((Flow,))
    assert entry.is_one_of((Transfer, Oscillator))
    assert not entry.is_one_of((Transfer,))


def test_a_kind_missing_from_its_module_is_found_in_the_sources():
    output = fresh(
        "from dovetail.core import kind_index, kinds\n"
        "for kind, module in {'spring': 'dovetail.nowhere', 'storey': 'dovetail.specimens.spring'}.items():\n"
        "    kind_index.entries()[kind] = kind_index.entries()[kind]._replace(module=module)\n"
        "    print(kinds.find(kind).__module__)\n"
        "del kind_index.entries()['load-cell']\n"
        "print(kinds.find('load-cell').__module__)\n"
    )
    assert output.split() == [f"dovetail.specimens.{name}" for name in ("spring", "storey", "load_cell")]


def test_a_damaged_index_is_ignored(tmp_path, monkeypatch):
    damaged = tmp_path / "kinds.json"
    damaged.write_text("<<<<<<< {")
    monkeypatch.setattr(kind_index, "FILE", damaged)
    assert kind_index.entries.__wrapped__() == {}
