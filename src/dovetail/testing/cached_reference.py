"""The ideal of a recorded run, kept in its folder: computed once, and then read.

To emulate a long chain or a docking takes longer than to rehearse it, and every look at a run asks for it. It is a
run's folder of its own (`ideal` in that of the run), taken as long as it is of the same test and was computed by the
same versions; else, or where it is damaged, it is computed again.
"""

from __future__ import annotations

import shutil
import tomllib
from contextlib import suppress
from pathlib import Path

from dovetail.core.errors import DovetailError
from dovetail.testing.run import Progress, Run
from dovetail.testing.run_folder import provenance, save
from dovetail.testing.saved_run import TEST, read
from dovetail.testing.test_file import PROVENANCE, dump

NAME = "ideal"


def ideal_of(run: Run, folder: str | Path, progress: Progress | None = None) -> Run | None:
    """The ideal of a run in a folder; None where it has none. A folder that cannot be written keeps none."""
    place = Path(folder) / NAME
    found = _kept(run, place)
    if found is not None:
        return found
    found = run.ideal(progress)
    if found is not None:
        with suppress(OSError, DovetailError):
            shutil.rmtree(place, ignore_errors=True)
            save(found, place)
    return found


def _kept(run: Run, place: Path) -> Run | None:
    """What is kept there, where it is the ideal of this run."""
    try:
        said = tomllib.loads((place / TEST).read_text("utf-8"))
        if said.get(PROVENANCE, {}).get("versions") != provenance("emulate")["versions"]:
            return None
        found = read(place)
        return found if dump(found.test) == dump(run.test) else None
    except (OSError, ValueError, DovetailError):
        return None
