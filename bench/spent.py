"""Where the processor time of one process goes: imports, tracing, compiling, drawing, and the rest, which computes.

`python spent.py FILE -c CODE ARGUMENTS...` runs the code as `python -c` would and leaves the shares in FILE. Time
belongs to the innermost of what goes on: an import that happens while a figure is drawn is an import. The entries to
JAX's tracing and compiling are its own affairs; in a version without them their time counts as computing.
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


def _turn() -> None:
    """Book the time since the last turn on what went on."""
    global _since
    now = time.process_time()
    spent[_stack[-1]] += now - _since
    _since = now


def counted(what: str, function):
    """The function, with its time booked."""

    @functools.wraps(function)
    def inner(*arguments, **options):
        if _stack[-1] == what:
            return function(*arguments, **options)
        _turn()
        _stack.append(what)
        try:
            return function(*arguments, **options)
        finally:
            _turn()
            _stack.pop()

    return inner


HOOKS = {  # module: names in it, and what they do
    "jax._src.pjit": {"_trace_for_jit": "tracing"},
    "jax._src.interpreters.mlir": {"lower_jaxpr_to_module": "tracing"},
    "jax._src.compiler": {"compile_or_get_cached": "compiling"},
    "dovetail.report.html": {"svg": "drawing"},
    "dovetail.report.sections": {"pictures": "drawing"},
}


def _hook(name: str) -> None:
    """Count what a module does, once it is there."""
    module = sys.modules.get(name)
    for entry, what in HOOKS[name].items():
        function = getattr(module, entry, None)
        if function is not None and not hasattr(function, "__wrapped__"):
            setattr(module, entry, counted(what, function))


def _after_import(function):
    importing = counted("imports", function)

    @functools.wraps(function)
    def inner(*arguments, **options):
        before = len(sys.modules)
        found = importing(*arguments, **options)
        if len(sys.modules) != before:
            for name in HOOKS:
                if name in sys.modules:
                    _hook(name)
        return found

    return inner


if __name__ == "__main__":
    _, file, _, code, *arguments = sys.argv
    builtins.__import__ = _after_import(builtins.__import__)
    importlib.import_module = _after_import(importlib.import_module)
    sys.argv = ["-c", *arguments]
    ended = 0
    try:
        exec(compile(code, "<command>", "exec"), {"__name__": "__main__"})
    except SystemExit as ending:
        ended = ending.code
    _turn()
    with open(file, "w", encoding="utf-8") as kept:
        json.dump(spent, kept)
    sys.exit(ended)
