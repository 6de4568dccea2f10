"""Computation of a campaign on several processes or machines with dask.distributed.

Workers receive the campaign as plain data and the numbers of a chunk, and return its measures; only this process
writes the store. The tasks of a worker that dies go to another. If the scheduler dies, the computed points remain, and
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
from dovetail.campaign.subject_base import ChunkResult
from dovetail.core.errors import LinkError, ParameterError

# of a worker: one core, and a process that Dovetail starts (core/programs)
WORKER = dict.fromkeys(("NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "DOVETAIL_PROCESS"), "1")
CHUNKS_PER_WORKER = 2  # submitted at a time: a worker never waits, and memory is bounded
CONNECTION_TIMEOUT = "10s"
SCHEDULER_TIMEOUT = 30.0  # [s] without a reply of the scheduler
SCHEDULER_LOST = (
    "the scheduler of the cluster does not reply; the computed points are stored. Start it again and continue with "
    "--resume"
)


class Cluster:
    """Executor that computes chunks on the workers of a cluster."""

    def __init__(self, client: Any):
        self.client = client

    def results(
        self, campaign: Campaign, tasks: Sequence[tuple[int, Columns]]
    ) -> Iterator[tuple[int, ChunkResult]]:
        """Yield finished chunks; a chunk whose workers died repeatedly is omitted."""
        from distributed import CancelledError
        from distributed.comm import CommClosedError

        running: dict[str, tuple[int, Any]] = {}
        try:
            yield from self._completed_tasks(campaign, tasks, running)
        except (CommClosedError, CancelledError) as error:
            raise LinkError(SCHEDULER_LOST) from error
        finally:
            if self.client.status == "running":
                self.client.cancel([future for _, future in running.values()])

    def _completed_tasks(self, campaign, tasks, running) -> Iterator[tuple[int, ChunkResult]]:
        from distributed import TimeoutError, wait

        spec = campaign.to_dict()
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        max_running = CHUNKS_PER_WORKER * max(sum(worker["nthreads"] for worker in workers), 1)
        queue, last_reply = iter(tasks), time.monotonic()
        while True:
            for number, columns in queue:
                future = self.client.submit(evaluate_chunk, spec, columns, pure=False, retries=2)
                running[future.key] = (number, future)
                if len(running) >= max_running:
                    break
            if not running:
                return
            finished: Any = ()
            try:
                futures = [future for _, future in running.values()]
                finished = wait(futures, timeout=1.0, return_when="FIRST_COMPLETED").done
                last_reply = time.monotonic()
            except TimeoutError:
                last_reply = time.monotonic() if self.client.status == "running" else last_reply
            if self._is_lost(last_reply) or any(future.status == "cancelled" for future in finished):
                raise LinkError(SCHEDULER_LOST)
            for future in finished:
                number, _ = running.pop(future.key)
                if future.status == "error" and type(future.exception()).__name__ == "KilledWorker":
                    continue
                yield number, future.result()

    def _is_lost(self, last_reply: float) -> bool:
        return (
            self.client.status in ("closed", "closing") or time.monotonic() - last_reply > SCHEDULER_TIMEOUT
        )


@contextmanager
def connect(address: str | None = None, workers: int = 0) -> Iterator[Cluster]:
    """Connect to the cluster of a scheduler (`tcp://HOST:PORT`), or start one of `workers` local processes.

    Raises
    ------
    LinkError
        If there is no scheduler, it has no workers, or a worker has no Dovetail or another version of it.
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
                env=WORKER,
                silence_logs="ERROR",
            ) as local,
            Client(local) as client,
        ):
            check_workers(client)
            yield Cluster(client)
        return
    try:
        client = Client(address, timeout=CONNECTION_TIMEOUT)
    except (OSError, TimeoutError, ValueError) as error:
        raise LinkError(
            f"{address}: no scheduler replies; start one with: dask scheduler, and give its address, tcp://HOST:PORT"
        ) from error
    with client:
        check_workers(client)
        yield Cluster(client)


def check_workers(client: Any) -> None:
    """Check that every worker has this version of the package; `LinkError` with the first that has not."""
    # the function is sent as text, because a worker may lack the package
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(_VERSION_CODE, space)
    versions = client.run(space["version"])
    if not versions:
        raise LinkError("the cluster has no workers; start some with: dask worker tcp://HOST:PORT")
    others = {worker: version for worker, version in versions.items() if version != __version__}
    if others:
        worker, version = next(iter(others.items()))
        raise LinkError(
            f"{len(others)} of {len(versions)} workers cannot be used; {worker} has {version}, this is {__version__}. "
            "Start the workers in an environment with this version of dovetail"
        )


_VERSION_CODE = """
def version():
    try:
        import dovetail.campaign.execute
        return dovetail.__version__
    except Exception as error:
        return f"no dovetail ({type(error).__name__}: {error})"
"""
