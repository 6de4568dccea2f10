"""xarray, without the libraries that it looks for at its first dataset and its first file.

To tell whether an array is one of pint, dask, cupy or sparse, and whether dask computes elsewhere, xarray imports each
that is installed: a second for a run that has none of them. Arrays of a library that nobody imported cannot be there;
so such a library is taken as absent until somebody imports it, and asked again then. All else is xarray's own.

    from dovetail.core.light_xarray import xarray as xr
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import xarray  # noqa: F401  (for those who import it from here)
from xarray import backends
from xarray.namedarray import pycompat, utils

ARRAYS = ("cubed", "cupy", "dask", "pint", "sparse")
ABSENT = SimpleNamespace(module=None, version=pycompat.Version("0.0.0"), type=(), available=False)


def _only_if_there(module: ModuleType | None, name: str, otherwise: Any) -> None:
    """Let a function of xarray answer `otherwise` where it asks for a library that nobody imported.

    That is the library that it is called with, or dask. In a version of xarray without it nothing changes.
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
