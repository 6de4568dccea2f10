"""Docking impacts of small rigid satellites, and testbeds that reproduce them.

Depends on: the physics packages, `testing`, `fidelity` and `campaign`; no study depends on another.

Published by Bondoky (doctoral thesis, Technische Universitaet Dresden). The Docking Model is the reference
solution; the HIL Model adds an actuator and a force sensor. Twelve impacts were measured on a piezo rig.
"""

__all__: list[str] = []
