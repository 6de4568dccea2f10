"""Command line: read a test, call the public function, print the result. No package imports it, except `app`.

Depends on: everything, lazily.
"""

__all__: list[str] = []
