"""In-air capturing: a long rope with a flying capture device behind a towing aircraft.

Depends on: the physics packages and `testing`; no study depends on another.

Published by Mastrogiuseppe (master's thesis, Aalto University and DLR, 2023). It does not give the
capture device and the flight condition; both are chosen to reproduce its statements and are marked in the files.
"""

__all__: list[str] = []
