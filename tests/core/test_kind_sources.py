"""The kinds read from the sources are those of the classes, and finding one imports its module only."""

import json
import re
import subprocess
import sys
from collections import Counter

from dovetail.core import Flow, kind_sources
from dovetail.mechanics import Oscillator
from dovetail.transfer import Transfer


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERYTHING = """
import importlib, json, pkgutil, dovetail
from dovetail.core import kinds
for module in pkgutil.walk_packages(dovetail.__path__, "dovetail."):
    importlib.import_module(module.name)
print(json.dumps({name: kinds.entry_of(cls) for name, cls in kinds.all_kinds().items()}))
"""


def test_the_entries_read_from_the_sources_equal_those_of_the_classes():
    """Every module is imported in a separate process, because tests register kinds too."""
    of_classes = json.loads(fresh(EVERYTHING).splitlines()[-1])
    of_sources = json.loads(json.dumps(kind_sources.entries()))
    assert of_sources == of_classes
    assert len(of_sources) > 200


def test_no_two_classes_of_the_package_have_the_same_name():
    names = [
        name
        for path in kind_sources.PACKAGE.rglob("*.py")
        for name in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.M)
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


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
    entry = kind_sources.entries()["oscillator"]
    assert entry.is_one_of((Flow,))
    assert entry.is_one_of((Transfer, Oscillator))
    assert not entry.is_one_of((Transfer,))
