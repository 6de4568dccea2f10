"""Importing Dovetail changes two settings of a process, and no private name of another package is used."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNAPSHOT = """
import gc, json, os, signal, sys, warnings

def state():
    import jax, xarray
    modules = [m for n, m in sorted(sys.modules.items()) if n.split(".")[0] in ("jax", "jaxlib", "xarray", "equinox")]
    return {
        "jax.config": {k: repr(v) for k, v in jax.config.values.items()},
        "os.environ": dict(os.environ),
        "gc": gc.get_threshold(),
        "warnings": [repr(each) for each in warnings.filters],
        "signals": {str(n): repr(signal.getsignal(n)) for n in signal.valid_signals()},
        "sys.meta_path": [repr(each) for each in sys.meta_path],
        "hooks": [repr(h) for h in (sys.excepthook, sys.unraisablehook, sys.displayhook, *sys.path_hooks)],
        "attributes": {m.__name__: {k: id(v) for k, v in vars(m).items() if callable(v)} for m in modules},
    }

def differences(before, after):
    for topic, old in before.items():
        if isinstance(old, dict):
            for key in old:
                if isinstance(old[key], dict):
                    if changed := [k for k in old[key] if old[key][k] != after[topic].get(key, {}).get(k)]:
                        yield f"{topic} {key}: {changed}"
                elif old[key] != after[topic].get(key):
                    yield f"{topic}: {key}"
            if topic != "attributes":
                yield from (f"{topic}: {key}" for key in set(after[topic]) - set(old))
        elif old != after[topic]:
            yield topic
"""
README = """
test = dv.Test(
    numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
    rig=dv.Rig(actuator=dv.transfer.Delay(3e-3), specimen=dv.specimens.Spring(k=2250.0)),
    excitation=dv.Sine(amplitude=0.012, frequency=3.0),
    rate=1000.0,
    duration=0.05,
)
"""
# what Dovetail imports of others is imported first: their own changes are not Dovetail's
LIBRARIES = """
import equinox, h5netcdf, jax, jax.ffi, jax.numpy, jaxtyping, lineax, numpy, optimistix, scipy.linalg
import scipy.signal, xarray, xarray.backends
"""
PLAIN = {
    name: value
    for name, value in os.environ.items()
    if name not in ("XLA_FLAGS", "DOVETAIL_PROCESS", "JAX_COMPILATION_CACHE_DIR")
}


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**PLAIN, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_building_a_test_changes_float64_and_one_flag_of_xla_and_nothing_else():
    code = f"{SNAPSHOT}{LIBRARIES}\nbefore = state()\nimport dovetail as dv\n{README}\n"
    code += "print(*differences(before, state()), sep='\\n')"
    assert run(code) == ["jax.config: jax_enable_x64", "os.environ: XLA_FLAGS"]


FLAG = "import os, dovetail.core; print(dovetail.core.LOOP_FLAG); print(os.environ.get('XLA_FLAGS', ''))"


@pytest.mark.parametrize(
    ("before", "environment", "answer", "is_set"),
    [
        ("", {}, "set by Dovetail", True),
        ("import jax; ", {}, "set by Dovetail", True),
        ("import jax; jax.devices(); ", {}, "not set: XLA had started", False),
        ("", {"DOVETAIL_XLA_FLAGS": "0"}, "not set: forbidden", False),
        ("", {"XLA_FLAGS": "--xla_backend_extra_options=xla_a=1"}, "not set: XLA_FLAGS has other", False),
        ("", {"XLA_FLAGS": "--xla_cpu_enable_fast_math=false"}, "set by Dovetail", True),
    ],
    ids=["fresh", "jax imported", "xla started", "forbidden", "other options", "other flag"],
)
def test_the_flag_is_set_unless_xla_has_started_or_the_user_decides(before, environment, answer, is_set):
    said, flags = (*run(before + FLAG, **environment), "")[:2]
    assert said.startswith(answer)
    assert ("small_while_loop_byte_threshold=1048576" in flags) == is_set
    assert environment.get("XLA_FLAGS", "") in flags


def private_names(tree):
    """Yield private names of other packages that a module imports or takes from an imported name."""
    imported = {}
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
            imported |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [f"{node.module}.{alias.name}" for alias in node.names]
            imported |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        yield from (name for name in modules if is_private(name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            inner = node.value
            while isinstance(inner, ast.Attribute | ast.Call):
                inner = inner.func if isinstance(inner, ast.Call) else inner.value
            name = imported.get(inner.id, "") if isinstance(inner, ast.Name) else ""
            if name and is_private(f"{name}.{node.attr}"):
                yield f"{name}...{node.attr}"
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "setattr", "hasattr"):
            target, name, *_ = [*node.args, None]
            known = imported.get(getattr(target, "id", ""), "")
            if known and isinstance(name, ast.Constant) and is_private(f"{known}.{name.value}"):
                yield f"{known}.{name.value}"


ALLOWED = {"os._exit", "ctypes._SimpleCData"}  # documented by Python


def is_private(name):
    package, *others = name.split(".")
    if package in ("dovetail", "__future__") or name in ALLOWED:
        return False
    return any(part.startswith("_") and not part.startswith("__") for part in others)


def test_no_private_name_of_another_package_is_used():
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("examples/**/*.py")]
    assert len(files) > 400
    used = {
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in private_names(ast.parse(file.read_text("utf-8")))
    }
    assert used == set()


@pytest.mark.parametrize(
    "code",
    [
        "from jax._src import core",
        "import jax._src.core",
        "import xarray as xr\nxr.backends._x = 1",
        "from numpy import _core",
        "import jax\ngetattr(jax, '_src')",
        "import jax\njax.jit(f)._private",
    ],
)
def test_the_check_recognises_private_names(code):
    assert list(private_names(ast.parse(code)))
