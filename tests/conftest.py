"""What all tests share: no program is compiled twice, nor in the next session; arrays have the shapes they name."""

import faulthandler
import gc
import importlib.metadata
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import jaxtyping
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def _helper(name):
    """Import a module beside this one, for all tests."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


# before anything of the package is imported
jaxtyping.install_import_hook(_helper("shape_checks").annotated(), "shape_checks.checked")
_helper("seeded_faults")
_helper("recorded_numbers")


# What one test process compiles the others, the commands that tests start, and the next session find. It lies in
# pytest's own folder, which `make clean` removes; a place that the user has named stays as it is. Said here, before a
# shelf's own conftest imports the package.
OURS = Path(__file__).parents[1] / ".pytest_cache"
os.environ.setdefault("DOVETAIL_PROCESS", "1")  # programs are cached, memory is guarded
os.environ.setdefault("DOVETAIL_PROGRAM_CACHE", str(OURS / "programs"))
os.environ.setdefault("DOVETAIL_CACHE", str(OURS))  # what a C++ compiler builds: once for all


# XLA's older emitter compiles code outside of loops in half the time; XLA ends the process at an unknown flag.
if importlib.metadata.version("jaxlib").startswith("0.10."):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_use_fusion_emitters=false".strip()


# Seconds that a test marked slow may take; `timeout` in pyproject.toml is for the others. The longest slow test takes
# half an hour on a quiet machine.
SLOW_LIMIT = 7200.0
GRACE = 120.0  # s, from the time limit of a test to the end of its process
_stderr = None  # of the process; pytest redirects it while a test runs


def pytest_configure(config):
    global _stderr
    _stderr = os.fdopen(os.dup(2), "w")
    # a program that cannot be loaded costs time, nothing else
    config.addinivalue_line("filterwarnings", "ignore:.*persistent compilation cache.*")


@pytest.fixture(scope="session")
def browsers():
    """`browsers(*flags)` starts a browser to look at pages with, where there is one; one playwright for a process."""
    sync = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium to look with")
    with sync.sync_playwright() as playwright:
        opened = []

        def open_(*flags):
            launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *flags])
            opened.append(launched)
            return launched

        yield open_
        for browser in opened:
            browser.close()


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    """End a process that does not react to the time limit of a test, and print where its threads are.

    The limit is a signal, which is handled between two steps of the interpreter: not within compiled code.
    """
    faulthandler.dump_traceback_later(settings.timeout + GRACE, exit=True, file=_stderr)


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_cancel_timer(item):
    faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Slow tests have a longer time limit. Who drops programs is last.

    Hypothesis draws its examples from ranges, not from constants of the source: reading all of the source for
    them takes seconds.
    """
    items.sort(key=lambda item: item.get_closest_marker("drops") is not None)
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_LIMIT))
    if providers := sys.modules.get("hypothesis.internal.conjecture.providers"):
        vars(providers)["_get_local_constants"] = lambda: providers._local_constants


def pytest_collection_finish(session):
    """What was imported stays until the end: nobody need look through it for what can be freed.

    What is compiled is kept as well, as far as half of the memory is enough for all test processes.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)  # what compiled programs hold is much, and little of it can be freed
    if programs := sys.modules.get("dovetail.core.programs"):
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        programs.guard.set_thresholds(
            max(programs.DROP_MEMORY, programs.resource_limits().memory / 2 / workers), maps_fraction=0.5
        )


@pytest.fixture
def recorded():
    """`recorded(test)`: the run of a simulation without computing it: its first output, growing by 1 % a sample."""

    import jax
    import numpy as np

    from dovetail.testing.outcome import Outcome
    from dovetail.testing.run import Run, recording_of

    def make(test, count=4):
        system = test.numerical
        first = jax.jit(lambda: system.output(0.0, system.init(), None))()
        growth = 1 + 0.01 * np.arange(count)
        records = {name: np.multiply.outer(growth, np.asarray(value)) for name, value in first.items()}
        data = recording_of(
            test, np.arange(count) / test.rate, records, {"mode": "simulate", "title": test.title}
        )
        return Run(test, "simulate", data, Outcome.FINISHED)

    return make


@pytest.fixture
def pseudodynamic_text():
    """File of a pseudo-dynamic test that takes seconds."""
    return """title = "A pseudo-dynamic test"
rate = 1000
duration = "20 ms"
numerical = { kind = "oscillator", m = [2.2], c = [15.0], k = [2250.0] }
excitation = { kind = "sine", amplitude = "5 mm", frequency = "3 Hz" }
[rig]
actuator = { kind = "delay", delay = "8 ms" }
specimen = { kind = "standard-linear-solid", k = 2250.0, relaxing_fraction = 0.3, tau = "0.5 s" }
[pseudodynamic]
move_time = "80 ms"
settling_time = "40 ms"
"""
