"""A campaign over several processes or machines, by dask.distributed.

Workers get the campaign as plain data and the numbers of a chunk, and send back its measures; only this process
writes the store. A worker that dies is replaced by another; when the scheduler dies, what was computed is kept, and
a resumed campaign computes the rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dovetail import __version__
from dovetail.campaign.execute import Columns, evaluate_chunk
from dovetail.campaign.plan import Campaign
from dovetail.campaign.subjects import ChunkResult
from dovetail.core.errors import LinkError, ParameterError

ONE_CORE = {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # a worker keeps to its core
AHEAD = 2  # chunks under way for each worker: it never waits, and memory is bounded
ANSWER = "10s"  # in which a scheduler must
GONE = (
    "the scheduler of the cluster is gone; what was computed is kept. Start it again and go on with --resume"
)
PATIENCE = 30.0  # [s] without a scheduler, after which it is given up


class Cluster:
    """Chunks computed by the workers of a cluster."""

    def __init__(self, client: Any):
        self.client = client

    def results(
        self, campaign: Campaign, tasks: Sequence[tuple[int, Columns]]
    ) -> Iterator[tuple[int, ChunkResult]]:
        """Chunks as they are ready. One whose worker died again and again is left out."""
        from distributed import CancelledError
        from distributed.comm import CommClosedError

        under_way: dict[str, tuple[int, Any]] = {}
        try:
            yield from self._as_ready(campaign, tasks, under_way)
        except (CommClosedError, CancelledError) as error:
            raise LinkError(GONE) from error
        finally:
            if self.client.status == "running":
                self.client.cancel([future for _, future in under_way.values()])

    def _as_ready(self, campaign, tasks, under_way) -> Iterator[tuple[int, ChunkResult]]:
        from distributed import TimeoutError, wait

        spec = campaign.spec()
        known = self.client.scheduler_info(n_workers=-1)["workers"].values()
        most = AHEAD * max(sum(worker["nthreads"] for worker in known), 1)
        todo, seen = iter(tasks), time.monotonic()
        while True:
            for number, columns in todo:
                future = self.client.submit(evaluate_chunk, spec, columns, pure=False, retries=2)
                under_way[future.key] = (number, future)
                if len(under_way) >= most:
                    break
            if not under_way:
                return
            ready: Any = ()
            try:
                futures = [future for _, future in under_way.values()]
                ready = wait(futures, timeout=1.0, return_when="FIRST_COMPLETED").done
                seen = time.monotonic()
            except TimeoutError:
                seen = time.monotonic() if self.client.status == "running" else seen
            if self._lost(seen) or any(future.status == "cancelled" for future in ready):
                raise LinkError(GONE)
            for future in ready:
                number, _ = under_way.pop(future.key)
                if future.status == "error" and type(future.exception()).__name__ == "KilledWorker":
                    continue
                yield number, future.result()

    def _lost(self, seen: float) -> bool:
        return self.client.status in ("closed", "closing") or time.monotonic() - seen > PATIENCE


@contextmanager
def connected(address: str | None = None, workers: int = 0) -> Iterator[Cluster]:
    """The cluster whose scheduler is at an address (`tcp://HOST:PORT`), or one of `workers` processes here.

    Raises
    ------
    LinkError
        If there is no scheduler, it has no workers, or one of them has no Dovetail or another version of it.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise ParameterError(
            "campaigns on a cluster need dask.distributed; install it with: pip install 'dovetail-hybrid[cluster]'"
        ) from error
    if address is None:
        with (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                env=ONE_CORE,
                silence_logs="ERROR",
            ) as local,
            Client(local) as client,
        ):
            check_workers(client)
            yield Cluster(client)
        return
    try:
        client = Client(address, timeout=ANSWER)
    except (OSError, TimeoutError, ValueError) as error:
        raise LinkError(
            f"{address}: no scheduler answers; start one with: dask scheduler, and give its address, tcp://HOST:PORT"
        ) from error
    with client:
        check_workers(client)
        yield Cluster(client)


def check_workers(client: Any) -> None:
    """Every worker has this version of the package; else a message names those that do not."""
    # defined here in text, so that it arrives where the package is missing too
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(_ASK, space)
    found = client.run(space["ask"])
    if not found:
        raise LinkError("the cluster has no workers; start some with: dask worker tcp://HOST:PORT")
    without = {worker: told for worker, told in found.items() if told != __version__}
    if without:
        worker, told = next(iter(without.items()))
        raise LinkError(
            f"{len(without)} of {len(found)} workers cannot take part; {worker} has {told}, this is {__version__}. "
            "Start the workers in an environment with this version of dovetail"
        )


_ASK = """
def ask():
    try:
        import dovetail.campaign.execute
        return dovetail.__version__
    except Exception as error:
        return f"no dovetail ({type(error).__name__}: {error})"
"""
