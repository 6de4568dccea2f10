"""In-air capturing: a long rope with a flying capture device behind a towing aircraft.

Depends on: the physics library and `testing`; no study depends on another.

Published by Mastrogiuseppe (master's thesis, Aalto University and DLR, 2023). What it leaves out, the capture
device and the flight condition, is chosen so that its statements hold; every such choice is marked in the files.
"""

__all__: list[str] = []
