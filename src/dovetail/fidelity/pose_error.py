r"""Pose error of a robot: distance and angle between commanded and measured pose.

For two poses, each a position [m] and a rotation vector [rad], the translation error is the Euclidean norm of the
difference of positions. The rotation error is the Frobenius norm of the fixed-frame rotation between the poses minus
the identity,

.. math:: \|R_a R_b^{\mathsf T} - I\|_F = 2\sqrt2\,\sin(\varphi/2) ,

with :math:`\varphi` the angle of this rotation, which is returned too. Source: [Bolien 2018, ch. 4.1, sec. 3.2].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dovetail.core.errors import AnalysisError
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.traces import Recorded, recording, trace

if TYPE_CHECKING:
    import xarray as xr

POSE_AXES = 6


def euclidean_norm(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distance [m] between positions (..., 3)."""
    return np.linalg.norm(np.asarray(a) - np.asarray(b), axis=-1)


def frobenius_norm(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the Frobenius norm of the rotation between rotation vectors (..., 3) [rad] minus the identity."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    from scipy.spatial.transform import Rotation

    first, second = (Rotation.from_rotvec(np.array(np.broadcast_to(v, shape)).reshape(-1, 3)) for v in (a, b))
    difference = first.as_matrix() @ np.swapaxes(second.as_matrix(), -1, -2) - np.eye(3)
    return np.linalg.norm(difference, axis=(-2, -1)).reshape(shape[:-1])


def pose_error(
    run: Recorded, *, demand: str = "command", measured: str = "measured_displacement", contact: bool = True
) -> xr.Dataset:
    """Return the errors of a recorded six-axis motion: `translation` [m], `rotation` (Frobenius norm), `angle` [rad].

    `contact` excludes samples of a pseudo-dynamic test at which the cell did not move.
    """
    data = recording(run)
    commanded, achieved = (trace(data, name, at_least=1).values for name in (demand, measured))
    times = data.time.values
    if commanded.shape[1:] != (POSE_AXES,) or achieved.shape != commanded.shape:
        raise AnalysisError(
            f'"{demand}" and "{measured}" have shapes {commanded.shape}, {achieved.shape}; '
            "expected six axes, positions first"
        )
    if contact and "contact_gate" in data:
        gate_open = data["contact_gate"].values > 0.5
        if not gate_open.any():
            raise AnalysisError("the contact gate was never open in this run, so the cell was not moved")
        commanded, achieved, times = commanded[gate_open], achieved[gate_open], times[gate_open]
    rotation = frobenius_norm(commanded[:, 3:], achieved[:, 3:])
    angle = 2 * np.arcsin(np.clip(rotation / (2 * np.sqrt(2)), 0.0, 1.0))
    columns = {
        "translation": (
            euclidean_norm(commanded[:, :3], achieved[:, :3]),
            "m",
            "Euclidean norm of the position error",
        ),
        "rotation": (rotation, "1", "Frobenius norm of the rotation error"),
        "angle": (angle, "rad", "angle of the rotation error"),
    }
    signals = {
        name: RecordedSignal(values, ("time",), {"units": unit, "long_name": text})
        for name, (values, unit, text) in columns.items()
    }
    return Recording(signals, {"time": RecordedSignal(times)}).to_dataset()
