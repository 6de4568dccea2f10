r"""Was the model of the contact right? Ideal, modelled test and real test compared.

d is the ideal, m the model of the test (ideal contact through modelled instruments), h the real test. If the
instruments are modelled well, m and h differ by the contact alone [Bondoky 2020, secs 2.3 and 8.4.1.3]:

.. math:: E_{md} = m - d, \quad E_{hd} = h - d, \quad E_{hm} = h - m, \quad \zeta = E_{md}/E_{hd}

:math:`\zeta` is the *fidelity* of the model, one where it foretells the real error. It exceeds one or turns
negative where the errors have little to do with each other, and misleads for velocities: compare realised
restitution there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError

Value = float | np.ndarray


@dataclass(frozen=True)
class Validation:
    """One quantity of one or many impacts: ideal, modelled, measured."""

    d: Value
    m: Value
    h: Value

    @property
    def md(self) -> Value:
        """Error of the modelled test, m - d."""
        return self.m - self.d

    @property
    def hd(self) -> Value:
        """Error of the real test, h - d."""
        return self.h - self.d

    @property
    def hm(self) -> Value:
        """Error of the model of the contact, h - m."""
        return self.h - self.m

    @property
    def md_percent(self) -> Value:
        """m - d over d."""
        return 100 * self.md / self.d

    @property
    def hd_percent(self) -> Value:
        """h - d over d."""
        return 100 * self.hd / self.d

    @property
    def hm_percent(self) -> Value:
        """h - m over m."""
        return 100 * self.hm / self.m

    @property
    def fidelity(self) -> Value:
        """Share of the real error that the model foretells [%]."""
        return 100 * self.md / self.hd


def from_relative(md_percent: Value, hd_percent: Value) -> Validation:
    """From errors that are only known relative to the ideal, in percent (areas under curves)."""
    return Validation(1.0, 1 + md_percent / 100, 1 + hd_percent / 100)


def validate(quantities: Mapping[str, tuple[Value, Value, Value]]) -> dict[str, Validation]:
    """A `Validation` for each named quantity, given as (ideal, modelled, measured)."""
    found = {}
    for name, triple in quantities.items():
        values = [np.asarray(v, float) for v in triple]
        if not all(np.isfinite(v).all() for v in values) or np.any(values[0] == 0):
            raise AnalysisError(
                f"{name}: a value is missing, or the ideal is zero; errors relative to it do not exist"
            )
        found[name] = Validation(*(float(v) if v.ndim == 0 else v for v in values))
    return found
