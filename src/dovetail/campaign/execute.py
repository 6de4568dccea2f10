"""Running a campaign: chunk after chunk into the store, on the threads of this process or by an executor.

>>> campaign = load("delay.toml")                              # doctest: +SKIP
>>> done = run(campaign, "runs/delay")                         # doctest: +SKIP
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
from dovetail.campaign.subjects import ChunkResult, Subject, padded, subject_of

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Progress:
    """Where a running campaign stands."""

    done: int  # points that are kept, those of earlier times included
    total: int
    failed: int
    rate: float  # points/s of this run, compilation included
    left: float  # [s] until the end at this rate; infinite before the first result


class Executor(Protocol):
    """Computes chunks somewhere, in any order."""

    def results(
        self, campaign: Campaign, tasks: Sequence[tuple[int, Columns]]
    ) -> Iterator[tuple[int, ChunkResult]]:
        """Number and result of each chunk as it is ready."""
        ...


@dataclass(frozen=True)
class Summary:
    """What a run of a campaign did."""

    folder: Path
    total: int
    done: int
    computed: int  # by this run
    failed: int
    seconds: float
    interrupted: bool

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import campaign_html

        return campaign_html(self.folder)

    def __str__(self) -> str:
        told = f"{self.done} of {self.total} points are there, {self.computed} computed now"
        if self.seconds > 0 and self.computed:
            told += f" in {self.seconds:.3g} s ({self.computed / self.seconds:.3g} points/s)"
        return told + (f"; {self.failed} failed, with their reasons" if self.failed else "")


class Threads:
    """This process: a thread for each core, as compiled programs let others run beside them; one on a GPU."""

    def __init__(self, number: int | None = None):
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self.number = number or (cores if jax.default_backend() == "cpu" else 1)

    def results(
        self, campaign: Campaign, tasks: Sequence[tuple[int, Columns]]
    ) -> Iterator[tuple[int, ChunkResult]]:
        """Chunks as they are ready; at most one a thread is under way, so that memory stays that of the chunks."""
        subject = subject_of(campaign)
        if min(self.number, len(tasks)) < 2:  # nothing to do side by side
            for number, columns in tasks:
                yield number, subject.evaluate(columns)
            return
        todo = iter(tasks)
        pool = ThreadPoolExecutor(self.number)
        under_way: dict[Future[ChunkResult], int] = {}
        try:
            while True:
                for number, columns in todo:
                    under_way[pool.submit(subject.evaluate, columns)] = number
                    if len(under_way) >= self.number:
                        break
                if not under_way:
                    return
                ready, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in ready:
                    yield under_way.pop(future), future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def run(
    campaign: Campaign,
    folder: str | Path,
    *,
    resume: bool = False,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Compute what is missing of a campaign into its folder.

    An interrupt (Ctrl-C) ends it with what was computed; `resume=True` goes on from there.
    """
    begun = time.perf_counter()
    store = Store.resume(folder, campaign) if resume else Store.create(folder, campaign, *sizes(campaign))
    points = store.campaign.points()
    interrupted = False
    campaign = store.campaign if store.campaign.batch else _with_sizes(store)
    with store.writing():
        store.say()
        missing = store.missing()
        done = before = store.count(missing)
        failed = len(store.reasons()) if done else 0
        tasks = [(number, _columns(points, store, number)) for number in missing]
        source = (executor or Threads()).results(campaign, tasks)
        try:
            for number, result in source:
                store.write(number, result)
                where = store.places(number)
                now = time.perf_counter()
                done += where.stop - where.start
                failed += sum(i < where.stop - where.start for i in result.reasons)
                rate = (done - before) / max(now - begun, 1e-9)
                if progress:
                    progress(Progress(done, store.total, failed, rate, (store.total - done) / rate))
        except KeyboardInterrupt:
            interrupted = True
            close = getattr(source, "close", None)
            if close:
                close()
    return Summary(
        Path(folder), store.total, done, done - before, failed, time.perf_counter() - begun, interrupted
    )


def sizes(campaign: Campaign, subject: Subject | None = None) -> tuple[int, int]:
    """Points that are stored together and points that are computed at once: the file's, or what suits the memory."""
    total = len(next(iter(campaign.points().values())))
    chunk, batch = (subject or subject_of(campaign)).sizes(total)
    batch = min(campaign.batch or min(batch, campaign.chunk or batch), total)
    chunk = campaign.chunk or max(chunk, batch)
    return -(-min(chunk, total) // batch) * batch, batch  # a whole number of batches: one shape to compile


def _with_sizes(store: Store) -> Campaign:
    return dataclasses.replace(store.campaign, chunk=store.chunk, batch=store.batch)


def _columns(points: Columns, store: Store, number: int) -> Columns:
    """Columns of a chunk, the last one filled up to the size of the others."""
    return {name: padded(column[store.places(number)], store.chunk) for name, column in points.items()}


def evaluate_chunk(spec: dict[str, Any], columns: Columns) -> ChunkResult:
    """A chunk of a campaign that came as plain data: what a worker does."""
    return _subject(spec).evaluate(columns)


_known: dict[str, Subject] = {}


def _subject(spec: dict[str, Any]) -> Subject:
    campaign = Campaign.from_spec(spec)
    key = campaign.fingerprint
    if key not in _known:
        _known.clear()  # one campaign at a time: compiled programs are large
        _known[key] = subject_of(campaign)
    return _known[key]
