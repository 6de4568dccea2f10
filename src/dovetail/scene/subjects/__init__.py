"""Subjects of scenes: one module for each machine that is drawn.

Depends on: core, mechanics, air, sea, transfer, specimens, testing, fidelity, studies.
"""

__all__: list[str] = []
