"""Where the time of the tests goes: processor time, tracing, lowering and compiling of every file, the dearest last.

`PYTHONPATH=tests .venv/bin/python -m pytest -p account tests/testing` prints it at the end. Tracing and the rest are by
the clock, so that on a busy machine they may be more than the processor time they are part of.
"""

import os
from collections import defaultdict

import pytest

NAMES = {
    "jaxpr_trace_duration": "trace",
    "jaxpr_to_mlir_module_duration": "lower",
    "backend_compile_duration": "compile",
}
now = dict.fromkeys(["own", "others", *NAMES.values(), "programs", "kept"], 0.0)
files = defaultdict(lambda: dict.fromkeys(now, 0.0))


def _lasted(event, seconds, **about):
    if name := NAMES.get(event.rpartition("/")[2]):
        now[name] += seconds
        now["programs"] += name == "compile"


def _happened(event, **about):
    now["kept"] += event.endswith("cache_hits")


def _taken():
    times = os.times()
    return now | {
        "own": times.user + times.system,
        "others": times.children_user + times.children_system,
    }


def pytest_collection_finish(session):
    """Not before: the package says how JAX begins."""
    import jax

    jax.monitoring.register_event_duration_secs_listener(_lasted)
    jax.monitoring.register_event_listener(_happened)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    before = _taken()
    done = yield
    for name, value in _taken().items():
        files[item.nodeid.partition("::")[0]][name] += value - before[name]
    return done


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(
        "processor time [s] own, of processes; trace, lower, compile [s]; programs, of them kept"
    )
    for file, row in sorted(files.items(), key=lambda entry: entry[1]["own"] + entry[1]["others"]):
        seconds = "".join(f"{row[name]:8.1f}" for name in ("own", "others", *NAMES.values()))
        terminalreporter.write_line(f"{seconds}{row['programs']:7.0f}{row['kept']:7.0f}  {file}")
