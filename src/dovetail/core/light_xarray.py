"""xarray, without the libraries that it looks for at its first dataset.

To tell whether an array is one of pint, dask, cupy or sparse, xarray imports each that is installed: half a second for
a run that has none of them. An array of a library that nobody imported cannot be there; so such a library is taken as
absent until somebody imports it, and asked again then. All else is xarray's own.

    from dovetail.core.light_xarray import xarray as xr
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import xarray  # noqa: F401  (for those who import it from here)
from xarray.namedarray import pycompat, utils

ARRAYS = ("cubed", "cupy", "dask", "pint", "sparse")
ABSENT = SimpleNamespace(module=None, version=pycompat.Version("0.0.0"), type=(), available=False)

_known: Any = getattr(
    pycompat, "_get_cached_duck_array_module", None
)  # None in a version that goes another way
_is_dask_collection: Any = getattr(utils, "is_dask_collection", None)


def _known_if_there(library: str) -> Any:
    """What xarray knows of a library of arrays; nothing is imported for it."""
    return ABSENT if library in ARRAYS and library not in sys.modules else _known(library)


def _is_one_of_dask(x: object) -> bool:
    return "dask" in sys.modules and _is_dask_collection(x)


if _known is not None and _is_dask_collection is not None:
    vars(pycompat)["_get_cached_duck_array_module"] = _known_if_there
    vars(utils)["is_dask_collection"] = _is_one_of_dask
