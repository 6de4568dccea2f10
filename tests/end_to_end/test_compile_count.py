"""A command compiles a handful of programs, and the same command loads all of them the second time."""

import os
import subprocess
import sys

import xarray as xr

from dovetail.core import programs

CODE = """
import collections, sys
import jax
seen = collections.Counter()
jax.monitoring.register_event_listener(lambda event, **about: seen.update([event.rpartition("/")[2]]))
from dovetail.cli.main import main
sys.argv = ["dovetail", *sys.argv[1:]]
try:
    main()
except SystemExit as ending:
    assert not ending.code, ending.code
print(seen["compile_requests_use_cache"], seen["cache_hits"])
"""
# tangents of the specimen, one tick of the loop and the numerical part for the assessment; whether the forces are
# linear;
# start and chunks of the rehearsal, start and chunks of the reference solution
MOST = 8


def test_a_second_run_compiles_nothing_and_gives_equal_results(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != programs.JAX_VARIABLE}
    environment[programs.FOLDER_VARIABLE] = str(tmp_path / "programs")
    counted = []
    for i in (1, 2):
        done = subprocess.run(
            [sys.executable, "-c", CODE, "run", "substructuring/cs1", "--no-report", "--out", f"run-{i}"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        counted.append([int(number) for number in done.stdout.splitlines()[-1].split()])
    (asked, _), (again, found) = counted
    assert asked <= MOST
    assert again == found == asked
    first, second = (xr.open_dataset(tmp_path / f"run-{i}" / "result.nc") for i in (1, 2))
    xr.testing.assert_identical(first.drop_attrs(), second.drop_attrs())
    first.close()
    second.close()
