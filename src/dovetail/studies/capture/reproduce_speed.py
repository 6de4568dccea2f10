"""Speed-up of the compiled rope equations over plain Python on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable

import jax
import numpy as np

from dovetail.studies.capture.assembly import PULL, G, march, published_rope, tip_force
from dovetail.studies.capture.plain_loops import loop_rates, loop_run

N, STEP = 20, 1e-3  # rods, [s]


def _seconds(call: Callable[[], object], number: int, rounds: int = 5) -> float:
    """Return the processor time of one call: minimum of a few rounds, to exclude other load."""
    call()  # compiled
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        for _ in range(number):
            call()
        times.append((time.process_time() - begin) / number)
    return min(times)


def _end(chain, t, x):
    return {"q": x["q"]}


def speed_up() -> list[float]:
    """RT-34: processor time of plain Python over compiled: one evaluation of the rates, and one step of a run."""
    chain = published_rope(N, bending=300.0, c=100.0)
    x = chain.rest_state(0.0, np.pi / 4, 0.0)
    load, force, field = tip_force(N), PULL, np.asarray(G)
    q, rate = (np.asarray(x[name]) for name in ("q", "rate"))
    rates = jax.jit(lambda x, u: chain.derivative(0.0, x, u))
    one = _seconds(lambda: loop_rates(chain, q, rate, field, force), 20)
    compiled = _seconds(lambda: jax.block_until_ready(rates(x, load)), 500)
    steps = 2000

    def run() -> object:
        return march(chain, x, load, h=STEP, duration=steps * STEP, shown=_end, every=steps)

    whole = _seconds(lambda: loop_run(chain, x, field, force, STEP, 5), 1)
    return [one / compiled, whole / 5 / (_seconds(run, 1) / steps)]
