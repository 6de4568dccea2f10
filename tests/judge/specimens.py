"""Specimens of the judge: fifteen families in one class, so that one compiled program serves all of them."""

from typing import ClassVar

import jax
import jax.numpy as jnp

from dovetail.specimens import Specimen

FAMILIES = (
    "linear",
    "hardening",
    "softening",
    "Bouc-Wen",
    "Coulomb",
    "LuGre",
    "gap",
    "quadratic damper",
    "asymmetric",
    "fractional damper",
    "force table",
    "stop on one side",
    "snap-through",
    "relief valve",
    "position-dependent damper",
)


def _power(v, exponent):
    """|v|^exponent with a derivative that is finite at zero for exponents of one or more."""
    size = jnp.abs(v)
    return jnp.where(size > 0, jnp.where(size > 0, size, 1.0) ** exponent, 0.0)


class AnySpecimen(Specimen):
    """Specimen of the family with the number `family`; the same equations as in `truth.c`."""

    dynamic_effect: ClassVar[str] = ""

    family: jax.Array
    p: jax.Array  # parameters of the family
    table_x: jax.Array  # [m] points of the force table
    table_f: jax.Array  # [N] forces at these

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        return self._evaluate(u["displacement"], u["velocity"], x)[1]

    def output(self, t, x, u):
        return {"force": self._evaluate(u["displacement"], u["velocity"], x)[0]}

    def _evaluate(self, z, v, s):
        p, nothing = self.p, jnp.zeros(())
        k, d = p[0], p[1]

        def bouc_wen():
            size = _power(s / p[2], p[4])
            rate = v * (1 - size * (0.5 + 0.5 * jnp.sign(v * s)))
            return -k * (p[3] * z + (1 - p[3]) * s) - d * v, rate

        def lugre():
            g = p[2] + p[3] * jnp.exp(-((v / p[4]) ** 2))
            rate = v - p[5] * jnp.abs(v) / g * s
            return -k * z - p[5] * s - p[6] * rate - d * v, rate

        def table():
            i = jnp.clip(jnp.searchsorted(self.table_x, z, side="right") - 1, 0, len(self.table_x) - 2)
            slope = (self.table_f[i + 1] - self.table_f[i]) / (self.table_x[i + 1] - self.table_x[i])
            return -(self.table_f[i] + slope * (z - self.table_x[i])) - d * v, nothing

        def stop():
            depth = jnp.maximum(z - p[2], 0.0)
            return -k * z - d * v - p[3] * _power(depth, 1.5) * (1 + p[4] * jnp.maximum(v, 0.0)), nothing

        gap = lambda: jnp.maximum(z - p[2], 0.0) + jnp.minimum(z + p[2], 0.0)  # noqa: E731
        laws = [
            lambda: (-k * z - d * v, nothing),
            lambda: (-k * z * (1 + (z / p[2]) ** 2) - d * v, nothing),
            lambda: (-k * z / jnp.sqrt(1 + (z / p[2]) ** 2) - d * v, nothing),
            bouc_wen,
            lambda: (-k * z - p[2] * v / jnp.sqrt(v**2 + p[3] ** 2) - d * v, nothing),
            lugre,
            lambda: (-k * z - d * v - p[3] * gap(), nothing),
            lambda: (-k * z - p[2] * v * jnp.abs(v) - d * v, nothing),
            lambda: (-jnp.where(z > 0, k, p[2]) * z - jnp.where(v > 0, d, p[3]) * v, nothing),
            lambda: (-k * z - p[2] * jnp.sign(v) * jnp.abs(v) ** p[3], nothing),
            table,
            stop,
            lambda: (-k * z * ((z / p[2]) ** 2 - p[3]) - d * v, nothing),
            lambda: (-k * z - p[2] * jnp.tanh(d * v / p[2]), nothing),
            lambda: (-k * z - d * v * (1 + (z / p[2]) ** 2), nothing),
        ]
        return jax.lax.switch(self.family, laws)
