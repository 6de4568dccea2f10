"""Shares of the processor time of one process: imports, tracing, compiling, drawing, computing.

`python time_profile.py FILE -c CODE ARGUMENTS...` runs the code as `python -c` does and writes the shares to FILE as
JSON. Time is assigned to the innermost activity: an import during drawing is an import. Time outside the other
activities is computing. Tracing and compiling are counted at internal functions of JAX; in a version without these
functions their time is assigned to computing.
"""

import builtins
import functools
import importlib
import json
import sys
import time

spent = dict.fromkeys(("imports", "tracing", "compiling", "drawing", "computing"), 0.0)
_stack = ["computing"]
_since = time.process_time()


def _assign() -> None:
    """Assign the time since the last call to the activity on top of the stack."""
    global _since
    now = time.process_time()
    spent[_stack[-1]] += now - _since
    _since = now


def counted(activity: str, function):
    """Return the function, with its time assigned to an activity."""

    @functools.wraps(function)
    def inner(*arguments, **options):
        if _stack[-1] == activity:
            return function(*arguments, **options)
        _assign()
        _stack.append(activity)
        try:
            return function(*arguments, **options)
        finally:
            _assign()
            _stack.pop()

    return inner


HOOKS = {  # module: names in it, and their activity
    "jax._src.pjit": {"_trace_for_jit": "tracing"},
    "jax._src.interpreters.mlir": {"lower_jaxpr_to_module": "tracing"},
    "jax._src.compiler": {"compile_or_get_cached": "compiling"},
    "dovetail.report.html": {"svg": "drawing"},
    "dovetail.report.sections": {"pictures": "drawing"},
}


def _hook(name: str) -> None:
    """Count the functions of a loaded module."""
    module = sys.modules.get(name)
    for entry, activity in HOOKS[name].items():
        function = getattr(module, entry, None)
        if function is not None and not hasattr(function, "__wrapped__"):
            setattr(module, entry, counted(activity, function))


def _hooking(function):
    """Return an import function that is counted, and hooks the modules that it loads."""
    importing = counted("imports", function)

    @functools.wraps(function)
    def inner(*arguments, **options):
        before = len(sys.modules)
        module = importing(*arguments, **options)
        if len(sys.modules) != before:
            for name in HOOKS:
                if name in sys.modules:
                    _hook(name)
        return module

    return inner


if __name__ == "__main__":
    _, file, _, code, *arguments = sys.argv
    builtins.__import__ = _hooking(builtins.__import__)
    importlib.import_module = _hooking(importlib.import_module)
    sys.argv = ["-c", *arguments]
    exit_code = 0
    try:
        exec(compile(code, "<command>", "exec"), {"__name__": "__main__"})
    except SystemExit as ending:
        exit_code = ending.code
    _assign()
    with open(file, "w", encoding="utf-8") as output:
        json.dump(spent, output)
    sys.exit(exit_code)
