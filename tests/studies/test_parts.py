"""What only one study has is found by its name, in a process that has imported no study."""

import subprocess
import sys

from dovetail.core.kinds import all_kinds

CODE = """
import sys
from dovetail import testing
from dovetail.core.kinds import find, parts_by_kind

assert not any(name.startswith("dovetail.studies.docking.") for name in sys.modules)
assert find("docking-map").__module__ == "dovetail.studies.docking.docking_map"
print(sorted(name for name, cls in parts_by_kind().items() if cls.__module__.startswith("dovetail.studies.")))
"""


def test_a_file_finds_the_parts_of_every_study_without_importing_them_first():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(
        sorted(n for n, c in all_kinds().items() if c.__module__.startswith("dovetail.studies."))
    )
