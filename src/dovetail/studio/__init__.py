"""The pages of the studio, on NiceGUI: rooms to choose, set up, feel, do and hand over a test in.

Depends on: everything. They compute nothing: that is the work of processes beside (`dovetail.app`).
"""

__all__: list[str] = []
