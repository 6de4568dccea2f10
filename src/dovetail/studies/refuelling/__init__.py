"""Aerial refuelling: a receiver's probe strikes the drogue at the end of a hose.

Depends on: the physics packages, `testing`, `fidelity` and `campaign`; no study depends on another.

Published by Bolien (doctoral thesis, University of Bath). Hose, drogue and receiver are simulated. The
contact is measured in a pseudo-dynamic test in which robots move the hardware step by step.
"""

__all__: list[str] = []
