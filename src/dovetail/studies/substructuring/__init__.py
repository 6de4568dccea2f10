"""Real-time dynamic substructuring: spring, three-mass and helicopter lag-damper specimens on actuators.

Depends on: the physics packages and `testing`; no study depends on another.

Published by Wallace (doctoral thesis, University of Bristol). The case studies are CS1 (one mass on a
spring), CS2 (three masses, two actuators) and CS3 (a rotor blade with its lag damper).
"""

__all__: list[str] = []
