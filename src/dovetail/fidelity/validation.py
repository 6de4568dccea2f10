r"""Validation of a contact model: reference solution, simulated test and real test compared.

d is the reference solution, m the simulated test (ideal contact with models of the instruments), h the real test. If
the instrument models are accurate, m and h differ by the contact only [Bondoky 2020, secs 2.3 and 8.4.1.3]:

.. math:: E_{md} = m - d, \quad E_{hd} = h - d, \quad E_{hm} = h - m, \quad \zeta = E_{md}/E_{hd}

:math:`\zeta` is the *fidelity* of the model; it is one if the model predicts the real error. It exceeds one or is
negative if the errors are unrelated, and is misleading for velocities: compare the realised restitution instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError

Value = float | np.ndarray


@dataclass(frozen=True)
class Validation:
    """One quantity of one or several impacts: reference, simulated and measured value."""

    reference: Value
    model: Value
    hardware: Value

    @property
    def model_error(self) -> Value:
        """Error of the simulated test, m - d."""
        return self.model - self.reference

    @property
    def hardware_error(self) -> Value:
        """Error of the real test, h - d."""
        return self.hardware - self.reference

    @property
    def contact_model_error(self) -> Value:
        """Error of the contact model, h - m."""
        return self.hardware - self.model

    @property
    def model_error_percent(self) -> Value:
        """Error of the simulated test, (m - d) over d [%]."""
        return 100 * self.model_error / self.reference

    @property
    def hardware_error_percent(self) -> Value:
        """Error of the real test, (h - d) over d [%]."""
        return 100 * self.hardware_error / self.reference

    @property
    def contact_model_error_percent(self) -> Value:
        """Error of the contact model, (h - m) over m [%]."""
        return 100 * self.contact_model_error / self.model

    @property
    def fidelity(self) -> Value:
        """Fraction of the real error that the model predicts [%]."""
        return 100 * self.model_error / self.hardware_error


def validation_from_percent(model_error: Value, hardware_error: Value) -> Validation:
    """Return a validation from errors known only relative to the reference, in percent (areas under curves)."""
    return Validation(1.0, 1 + model_error / 100, 1 + hardware_error / 100)


def validate(quantities: Mapping[str, tuple[Value, Value, Value]]) -> dict[str, Validation]:
    """Return a `Validation` of each named quantity, from (reference, simulated, measured)."""
    validations = {}
    for name, triple in quantities.items():
        values = [np.asarray(v, float) for v in triple]
        if not all(np.isfinite(v).all() for v in values) or np.any(values[0] == 0):
            raise AnalysisError(
                f"{name}: a value is not finite, or the reference is zero; relative errors are undefined"
            )
        validations[name] = Validation(*(float(v) if v.ndim == 0 else v for v in values))
    return validations
