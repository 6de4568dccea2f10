"""Writer for netCDF files that reports a full disk as an error.

The HDF5 library ends the process if the disk is full while it closes a file. Here it writes to a file object that
stores the first error and accepts the rest; the error is raised when the library has closed the file.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.core import plain_file
from dovetail.core.recording import Recording
from dovetail.core.recording_file import write_recording

if TYPE_CHECKING:
    import xarray as xr


def write(data: Recording | xr.Dataset, path: Path) -> None:
    """Write a recording or a dataset completely or not at all; `OSError` with the reason, for example a full disk."""
    partial = path.with_name(f"{path.name}.partial")
    with plain_file.create(partial) as opened, _ErrorStore(opened.fileno()) as file:
        if isinstance(data, Recording):
            write_recording(data, file)
        else:
            data.to_netcdf(file, engine="h5netcdf")
        if file.error is None:
            os.fsync(opened.fileno())
    if file.error is not None:
        partial.unlink(missing_ok=True)
        raise file.error
    os.replace(partial, path)


class _ErrorStore(io.RawIOBase):
    """File that stores the first error of a write and accepts the rest."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.position, self.size = descriptor, 0, 0
        self.error: OSError | None = None

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self.position = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.position, os.SEEK_END: self.size}[whence]
        return self.position

    def readinto(self, buffer: Any) -> int:
        count = max(min(len(buffer), self.size - self.position), 0)
        data = os.pread(self.descriptor, count, self.position)
        buffer[:count] = data + bytes(count - len(data))  # what was not written is zero
        self.position += count
        return count

    def write(self, data: Any) -> int:
        view, written = memoryview(data).cast("B"), 0
        try:
            while self.error is None and written < len(view):
                written += os.pwrite(self.descriptor, view[written:], self.position + written)
        except OSError as error:
            self.error = error
        self.position += len(view)
        self.size = max(self.size, self.position)
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        self.size = self.position if size is None else size
        return self.size
