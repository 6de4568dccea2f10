"""Would this test be stable? Critical delays, characteristic roots, margins, sampled loops.

Depends on: core, compensation.
"""

__all__ = ["single_interface"]

from dovetail.stability import single_interface
