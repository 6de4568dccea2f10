"""xarray without the import of optional libraries at its first dataset and its first file.

xarray checks whether an array belongs to pint, dask, cupy or sparse, and whether dask has a scheduler. For this it
imports each of these libraries that is installed. That takes one second in a run that uses none of them. Arrays of a
library that is not imported cannot exist. This module therefore reports such a library as absent until it is
imported, and checks again then. All other behaviour of xarray is unchanged.

    from dovetail.core.light_xarray import xarray as xr
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import xarray  # noqa: F401  (imported from here by other modules)
from xarray import backends
from xarray.namedarray import pycompat, utils

ARRAYS = ("cubed", "cupy", "dask", "pint", "sparse")
ABSENT = SimpleNamespace(module=None, version=pycompat.Version("0.0.0"), type=(), available=False)


def _only_if_there(module: ModuleType | None, name: str, otherwise: Any) -> None:
    """Make a function of xarray return `otherwise` if its library is not imported.

    The library is an argument of the call, or dask. In a version of xarray without this function nothing changes.
    """
    asked = getattr(module, name, None)

    def answer(*arguments: Any, **options: Any) -> Any:
        library = next((each for each in arguments if isinstance(each, str)), "dask")
        if library in ARRAYS and library not in sys.modules:
            return otherwise
        return asked(*arguments, **options) if asked else otherwise

    if module is not None and callable(asked):
        vars(module)[name] = answer


_only_if_there(pycompat, "_get_cached_duck_array_module", ABSENT)
_only_if_there(utils, "is_dask_collection", False)
for _room in ("locks", "writers"):
    _only_if_there(getattr(backends, _room, None), "get_dask_scheduler", None)
