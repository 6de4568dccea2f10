"""Lazy loading of the public names of a package.

A package lists the modules of its public names once, in imports for type checkers and readers:

    if TYPE_CHECKING:
        from dovetail.transfer.delay import Delay

    lazily(__name__)

`transfer.Delay` then imports that module only; the other modules of the package are not loaded. The imports are read
from the source of the package, so they are not duplicated.
"""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


def lazily(package: str) -> None:
    """Load the names that `package` imports under `if TYPE_CHECKING` at their first use."""
    module = sys.modules[package]
    module.__dict__["_places"] = places(module)
    module.__class__ = Lazy


def places(package: ModuleType) -> dict[str, tuple[str, str]]:
    """Return module and original name of every name that a package imports under `if TYPE_CHECKING`."""
    source = package.__spec__.loader.get_source(package.__name__)  # type: ignore[union-attr]  # never None
    blocks = (node for node in ast.parse(source).body if isinstance(node, ast.If))
    imports = [
        node
        for block in blocks
        if ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    ]
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in imports
        for alias in node.names
    }


class Lazy(ModuleType):
    """Package whose public names are loaded at their first use."""

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__["_places"]:
            known = ", ".join(sorted(self.__dict__.get("__all__", ())))
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}; it has {known}")
        module, there = self.__dict__["_places"][name]
        whole = module == self.__name__  # a module of this package, itself a public name
        value = import_module(f"{module}.{there}") if whole else getattr(import_module(module), there)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, unless an imported submodule would replace a public name of the same name."""
        place = self.__dict__["_places"].get(name)
        if isinstance(value, ModuleType) and place not in (None, (self.__name__, name)):
            return
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the package by name, like any module: workers receive functions that refer to packages."""
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self.__dict__["_places"]} - {"_places"})
