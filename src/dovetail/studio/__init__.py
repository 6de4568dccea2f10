"""Pages of the studio, built with NiceGUI: Open, Model, Explore, Run and Export.

Depends on: everything. The pages do no computation; `dovetail.app` runs it in other processes.
"""

__all__: list[str] = []
