r"""The classical pseudo-dynamic test: central difference on M, C and a restoring force that is measured.

.. math:: u_{i+1} = \left[\frac{M}{h^2} + \frac{C}{2h}\right]^{-1}
          \left\{F_i - R_i + \frac{2M}{h^2}u_i - \left[\frac{M}{h^2} - \frac{C}{2h}\right]u_{i-1}\right\}

The displacement is predicted, imposed, the force measured at rest, the motion corrected; what
`core.structural.CentralDifference` does in terms of displacement, velocity and acceleration is the same
recursion. M, C and the stiffness of the simulated part are read off the numerical substructure, which
must be linear and have the interface's displacements and velocities as its only states.
Source: [Bolien 2018, eqs 2.4 to 2.8]; [Takanashi et al. 1975].
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError
from dovetail.core.linear import linearise
from dovetail.core.structures import CentralDifference, PredictorCorrector, StructuralMotion, Structure
from dovetail.testing.hybrid_loop import Driven

if TYPE_CHECKING:
    from dovetail.testing.test import Test


@dataclasses.dataclass(frozen=True)
class Classical:
    """A test's numerical substructure in the form of structural dynamics."""

    structure: Structure  # whose restoring force is that of the simulated part
    driven: Driven
    method: PredictorCorrector
    shape: tuple[int, ...]
    _load: Any = dataclasses.field(init=False, repr=False, default=None)  # compiled, see below
    _correct: Any = dataclasses.field(init=False, repr=False, default=None)

    @staticmethod
    def of(test: Test, method: PredictorCorrector | None = None) -> Classical:
        """Read mass, damping and stiffness off the numerical substructure of a test.

        Raises
        ------
        ParameterError
            If it has other states than the interface's displacements and velocities.
        """
        driven, shape = Driven(test.numerical, test.excitation), test.shape
        force = jnp.zeros(shape)
        model = linearise(driven, driven.init(), force)
        n = int(np.prod(shape, dtype=int))
        rows = {
            name: [i for i, out in enumerate(model.outputs) if out.split("[")[0] == name]
            for name in ("displacement", "velocity", "acceleration")
        }
        shows = np.asarray(model.C)[rows["displacement"] + rows["velocity"]]
        if model.A.shape[0] != 2 * n or np.linalg.matrix_rank(shows) < 2 * n:
            raise ParameterError(
                f"stepping.scheme: classical needs a numerical substructure with {n} displacements and as many "
                f"velocities; {type(test.numerical).__name__} has {model.A.shape[0]} states. Use stepwise"
            )
        acceleration = np.asarray(model.C)[rows["acceleration"]] @ np.linalg.inv(shows)
        mass = np.linalg.inv(np.asarray(model.D)[rows["acceleration"]])
        stiffness, damping = -mass @ acceleration[:, :n], -mass @ acceleration[:, n:]
        matrix = jnp.asarray(stiffness)
        structure = Structure(mass, damping, lambda x, v: matrix @ x)
        return Classical(structure, driven, method or CentralDifference(), shape)

    def load(self, t) -> jax.Array:
        """What the excitation does to the structure at t [N]."""
        return self._load(jnp.asarray(t, dtype=float))

    def __post_init__(self):
        at_rest = jax.tree.map(jnp.zeros_like, self.driven.init())
        zero = jnp.zeros(self.shape)

        def load(t):
            shown = self.driven.output(t, at_rest, zero)["acceleration"]
            return self.structure.mass @ jnp.ravel(shown)

        object.__setattr__(self, "_load", eqx.filter_jit(load))
        object.__setattr__(self, "_correct", eqx.filter_jit(self._corrected))

    def start(self, force: np.ndarray) -> StructuralMotion:
        """The motion at t = 0 under the specimen's first force."""
        first = self.driven.output(0.0, self.driven.init(), jnp.asarray(force).reshape(self.shape))
        x, v = (jnp.ravel(first[name]) for name in ("displacement", "velocity"))
        restoring = self.structure.force(x, v) - jnp.ravel(jnp.asarray(force))
        return self.structure.start(x, v, self.load(0.0), restoring)

    def predict(self, h: float, motion: StructuralMotion) -> tuple[np.ndarray, np.ndarray]:
        """Displacement to impose, and the velocity that is expected there."""
        x, v = (np.asarray(value).reshape(self.shape) for value in self.method.predict(h, motion))
        return x, v

    def correct(self, t: float, h: float, motion: StructuralMotion, force: np.ndarray) -> StructuralMotion:
        """Motion at t + h from the force of the specimen at the predicted displacement."""
        return self._correct(h, motion, self.load(t + h), jnp.ravel(jnp.asarray(force)))

    def _corrected(self, h, motion, load, force):
        x, v = self.method.predict(h, motion)
        measured = self.structure.force(x, v) - force
        return self.method.correct(self.structure, h, motion, load, measured)
