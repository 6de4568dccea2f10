r"""How far a robot was from where it was told to be: a length and a turn.

Of two poses, each a position [m] and a rotation vector [rad], the error of translation is the Euclidean norm of the
difference of positions, that of rotation the Frobenius norm of what the fixed-frame rotation between them departs from
none,

.. math:: \|R_a R_b^{\mathsf T} - I\|_F = 2\sqrt2\,\sin(\varphi/2) ,

with the angle :math:`\varphi` of the turn between them, given beside it. Source: [Bolien 2018, ch. 4.1, sec. 3.2].
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError
from dovetail.fidelity.traces import Recording, dataset, trace

POSE_AXES = 6


def euclidean(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance [m] of positions (..., 3)."""
    return np.linalg.norm(np.asarray(a) - np.asarray(b), axis=-1)


def frobenius(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Frobenius norm of the rotation between rotation vectors (..., 3) [rad], less the identity."""
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    from scipy.spatial.transform import Rotation

    first, second = (Rotation.from_rotvec(np.array(np.broadcast_to(v, shape)).reshape(-1, 3)) for v in (a, b))
    away = first.as_matrix() @ np.swapaxes(second.as_matrix(), -1, -2) - np.eye(3)
    return np.linalg.norm(away, axis=(-2, -1)).reshape(shape[:-1])


def pose_error(
    run: Recording, *, demand: str = "command", measured: str = "measured_displacement", contact: bool = True
) -> xr.Dataset:
    """Errors of a recorded six-axis motion in time: `translation` [m], `rotation` (Frobenius), `angle` [rad].

    `contact` leaves out what a creep test recorded while its cell stood still.
    """
    data = dataset(run)
    told, found = (trace(data, name, at_least=1) for name in (demand, measured))
    if told.shape[1:] != (POSE_AXES,) or found.shape != told.shape:
        raise AnalysisError(
            f'"{demand}" and "{measured}" have shapes {told.shape}, {found.shape}; a pose has six axes, positions first'
        )
    if contact and "near_contact" in data:
        near = data["near_contact"].values > 0.5
        if not near.any():
            raise AnalysisError("no contact was near in this run: the cell was not moved")
        told, found = told[near], found[near]
    a, b = told.values, found.values
    turned = frobenius(a[:, 3:], b[:, 3:])
    angle = 2 * np.arcsin(np.clip(turned / (2 * np.sqrt(2)), 0.0, 1.0))
    columns = {
        "translation": (euclidean(a[:, :3], b[:, :3]), "m", "Euclidean norm of the position's error"),
        "rotation": (turned, "1", "Frobenius norm of the rotation's error"),
        "angle": (angle, "rad", "angle of the rotation's error"),
    }
    return xr.Dataset(
        {
            name: ("time", values, {"units": unit, "long_name": text})
            for name, (values, unit, text) in columns.items()
        },
        {"time": told["time"].values},
    )
