"""A refuelling drogue on its hose, struck by a receiver's probe.

Depends on: the physics library, `testing`, `fidelity` and `campaign`; no study depends on another.

Published by Bolien (doctoral thesis, University of Bath). Hose, drogue and receiver are simulated, the contact is
measured on hardware that robots move step by step.
"""

__all__: list[str] = []
