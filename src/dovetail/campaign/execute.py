"""Computation of a campaign: chunk by chunk into the store, on the threads of this process or by an executor.

>>> campaign = load("delay.toml")                              # doctest: +SKIP
>>> summary = run(campaign, "runs/delay")                      # doctest: +SKIP
>>> open_results("runs/delay").rms_e1.plot()                   # doctest: +SKIP
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jax
import numpy as np

from dovetail.campaign.plan import Campaign
from dovetail.campaign.store import Store
from dovetail.campaign.subject_base import ChunkResult, Subject, pad_column
from dovetail.campaign.subjects import subject_of
from dovetail.core.extensions import display

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Progress:
    """Progress of a running campaign."""

    done: int  # stored points, including those of earlier runs
    total: int
    failed: int
    rate: float  # points/s of this run, with compilation
    left: float  # [s] to the end at this rate; infinite before the first result


class Executor(Protocol):
    """Computes chunks, in any order."""

    def results(
        self, campaign: Campaign, tasks: Sequence[tuple[int, Columns]]
    ) -> Iterator[tuple[int, ChunkResult]]:
        """Yield number and result of each chunk when it is finished."""
        ...


@dataclass(frozen=True)
class CampaignSummary:
    """Summary of one run of a campaign."""

    folder: Path
    total: int
    done: int
    computed: int  # by this run
    failed: int
    seconds: float
    interrupted: bool
    damaged: Sequence[int] = ()  # numbers of chunks that were damaged and are computed again

    def _repr_html_(self) -> str:
        return str(display("campaign", self.folder))

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} points stored, {self.computed} computed in this run"
        if self.seconds > 0 and self.computed:
            text += f" in {self.seconds:.3g} s ({self.computed / self.seconds:.3g} points/s)"
        text += f"; {self.failed} failed, reasons stored" if self.failed else ""
        return text + (f"; {len(self.damaged)} damaged chunks are computed again" if self.damaged else "")


class ThreadExecutor:
    """Threads of this process: one per core, as compiled programs run in parallel; one on a GPU."""

    def __init__(self, thread_count: int | None = None):
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.thread_count = thread_count or (cores if jax.default_backend() == "cpu" else 1)

    def results(
        self, campaign: Campaign, tasks: Sequence[tuple[int, Columns]]
    ) -> Iterator[tuple[int, ChunkResult]]:
        """Yield finished chunks; at most one per thread is computed at a time, which bounds the memory."""
        subject = subject_of(campaign)
        if min(self.thread_count, len(tasks)) < 2:
            for number, columns in tasks:
                yield number, subject.evaluate(columns)
            return
        queue = iter(tasks)
        pool = ThreadPoolExecutor(self.thread_count)
        running: dict[Future[ChunkResult], int] = {}
        try:
            while True:
                for number, columns in queue:
                    running[pool.submit(subject.evaluate, columns)] = number
                    if len(running) >= self.thread_count:
                        break
                if not running:
                    return
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def run(
    campaign: Campaign,
    folder: str | Path,
    *,
    resume: bool = False,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CampaignSummary:
    """Compute the missing points of a campaign into its folder.

    After an interrupt (Ctrl-C) the computed points remain; `resume=True` continues from there.
    """
    start = time.perf_counter()
    store = Store.resume(folder, campaign) if resume else Store.create(folder, campaign, *sizes(campaign))
    points = store.campaign.points()
    interrupted = False
    campaign = store.campaign if store.campaign.batch else _with_sizes(store)
    with store.write_lock():
        damaged = store.mend() if resume else []
        missing = store.missing_chunks()
        done = initial = store.point_count(missing)
        failed = len(store.failure_reasons()) if done else 0
        tasks = [(number, _columns(points, store, number)) for number in missing]
        source = (executor or ThreadExecutor()).results(campaign, tasks)
        try:
            for number, result in source:
                store.write(number, result)
                indices = store.point_indices(number)
                size = indices.stop - indices.start
                now = time.perf_counter()
                done += size
                failed += sum(i < size for i in result.reasons)
                rate = (done - initial) / max(now - start, 1e-9)
                if progress:
                    progress(Progress(done, store.total, failed, rate, (store.total - done) / rate))
        except KeyboardInterrupt:
            interrupted = True
            close = getattr(source, "close", None)
            if close:
                close()
    seconds = time.perf_counter() - start
    return CampaignSummary(
        Path(folder), store.total, done, done - initial, failed, seconds, interrupted, damaged
    )


def sizes(campaign: Campaign, subject: Subject | None = None) -> tuple[int, int]:
    """Return the numbers of points stored and computed together: those of the file, or chosen for the memory."""
    total = len(next(iter(campaign.points().values())))
    chunk, batch = (subject or subject_of(campaign)).sizes(total)
    batch = min(campaign.batch or min(batch, campaign.chunk or batch), total)
    chunk = campaign.chunk or max(chunk, batch)
    return -(-min(chunk, total) // batch) * batch, batch  # a whole number of batches: one shape to compile


def _with_sizes(store: Store) -> Campaign:
    return dataclasses.replace(store.campaign, chunk=store.chunk, batch=store.batch)


def _columns(points: Columns, store: Store, number: int) -> Columns:
    """Return the columns of a chunk; the last chunk is padded to the size of the others."""
    indices = store.point_indices(number)
    return {name: pad_column(column[indices], store.chunk) for name, column in points.items()}


def evaluate_chunk(spec: dict[str, Any], columns: Columns) -> ChunkResult:
    """Return the results of a chunk of a campaign given as plain data; runs on a worker."""
    return _subject(spec).evaluate(columns)


_subjects: dict[str, Subject] = {}


def _subject(spec: dict[str, Any]) -> Subject:
    campaign = Campaign.from_dict(spec)
    key = campaign.fingerprint
    if key not in _subjects:
        _subjects.clear()  # one campaign at a time: compiled programs are large
        _subjects[key] = subject_of(campaign)
    return _subjects[key]
