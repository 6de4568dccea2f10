"""Cached reference solution of a recorded run, computed once and stored in the run folder.

The reference solution of a long chain or a docking test takes longer than the rehearsal, and reports and views need
it. It is stored as a run folder (`reference`) in the run folder. It is computed again if the test or the package
versions differ, if the run is longer, or if it is damaged.
"""

from __future__ import annotations

import shutil
import tomllib
from contextlib import suppress
from pathlib import Path

from dovetail.core import plain_file
from dovetail.core.advance import Progress
from dovetail.core.errors import DovetailError
from dovetail.testing.modes import Reference
from dovetail.testing.outcome import Outcome
from dovetail.testing.run import Run
from dovetail.testing.run_folder import provenance, save_run
from dovetail.testing.saved_run import TEST, read_run
from dovetail.testing.test_file import PROVENANCE, dump

NAME = "reference"


def reference_of(run: Run, folder: str | Path, progress: Progress | None = None) -> Run | None:
    """Return the reference solution of a run in a folder, or None; it is cached if the folder can be written."""
    cache = Path(folder) / NAME
    reference = _read_cached(run, cache)
    if reference is not None:
        return reference
    reference = run.reference(progress)
    if reference is not None:
        with suppress(OSError, DovetailError):
            shutil.rmtree(cache, ignore_errors=True)  # raises for a link, which is then left as it is
            if not cache.is_symlink():
                save_run(reference, cache)
    return reference


def _read_cached(run: Run, cache: Path) -> Run | None:
    """Return the cached run if it is the reference solution of this run."""
    try:
        plain_file.require_plain_tree(cache)
        table = tomllib.loads(plain_file.read(cache / TEST).decode("utf-8"))
        if table.get(PROVENANCE, {}).get("versions") != provenance(Reference.name)["versions"]:
            return None
        reference = read_run(cache)
        ends_early = reference.outcome is Outcome.FINISHED and (
            reference.recording.last_time < run.recording.last_time - 0.5 * run.test.dt
        )
        return reference if dump(reference.test) == dump(run.test) and not ends_early else None
    except (OSError, ValueError, DovetailError):
        return None
