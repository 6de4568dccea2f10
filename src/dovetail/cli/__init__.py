"""The front door: reads a test, calls the public function, prints. Nothing depends on it.

Depends on: everything, lazily.
"""

__all__: list[str] = []
