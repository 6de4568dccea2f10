"""Docking impacts of small, rigid satellites, and the testbeds that should reproduce them.

Depends on: the physics library, `testing`, `fidelity` and `campaign`; no study depends on another.

Published by Bondoky (doctoral thesis, Technische Universitaet Dresden). The Docking Model is the ideal, the
HIL Model the same impact through an actuator and a force sensor; twelve impacts were measured on a piezo rig.
"""

__all__: list[str] = []
