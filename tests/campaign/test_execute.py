"""Running: resumed is the same as undisturbed, an interrupt keeps, sizes are whole batches."""

import pytest

from dovetail.campaign import Store, ThreadExecutor, open_results, run
from dovetail.campaign.execute import evaluate_chunk, sizes


class Breaking(ThreadExecutor):
    """Ends after some chunks, as an operator or a fault would."""

    def __init__(self, after, error):
        super().__init__(1)
        self.after, self.error = after, error

    def results(self, campaign, tasks):
        for i, result in enumerate(super().results(campaign, tasks)):
            if i == self.after:
                raise self.error
            yield result


def test_an_interrupted_campaign_keeps_its_points_and_computes_the_others_later(small, tmp_path):
    run(small(), tmp_path / "whole")
    done = run(small(), tmp_path / "out", executor=Breaking(1, KeyboardInterrupt()))
    assert done.interrupted
    assert (done.done, done.computed) == (4, 4)
    again = run(small(), tmp_path / "out", resume=True)
    assert (again.done, again.computed) == (12, 8)
    assert open_results(tmp_path / "out").identical(open_results(tmp_path / "whole"))


def test_an_error_keeps_the_computed_points(small, tmp_path):
    with pytest.raises(RuntimeError):
        run(small(), tmp_path / "out", executor=Breaking(2, RuntimeError()))
    assert Store.resume(tmp_path / "out").point_count() == 8


def test_threads_do_not_change_a_bit(small, tmp_path):
    for count in (1, 3):
        run(small(), tmp_path / str(count), executor=ThreadExecutor(count))
    assert open_results(tmp_path / "1").identical(open_results(tmp_path / "3"))


def test_progress_shows_rate_and_remaining_time(small, tmp_path):
    seen = []
    run(small(), tmp_path / "out", progress=seen.append)
    assert [p.done for p in seen] == [4, 8, 12]
    assert seen[0].rate > 0
    assert seen[0].left > 0
    assert seen[-1].left == 0


def test_failed_points_are_counted_and_do_not_stop_it(small, tmp_path):
    parameter = [{"path": "mass", "values": [-2.0, -1.0, 1.0, 2.0, 3.0]}]
    done = run(small(parameter=parameter), tmp_path / "out")
    assert (done.done, done.failed) == (5, 2)
    assert "2 failed" in str(done)
    assert Store.resume(tmp_path / "out").failure_reasons() == {
        0: "frequency is not finite",
        1: "frequency is not finite",
    }


def test_the_chunk_size_is_a_multiple_of_the_batch_size(small):
    assert sizes(small(chunk=5, batch=2)) == (6, 2)
    assert sizes(small(chunk=0, batch=0)) == (12, 12)
    assert sizes(small(chunk=100, batch=8)) == (16, 8)
    assert sizes(small(chunk=4, batch=0)) == (4, 4)


def test_a_worker_computes_from_plain_data(small):
    campaign = small()
    result = evaluate_chunk(campaign.to_dict(), campaign.points())
    assert result.values["frequency"].array.shape == (12,)
