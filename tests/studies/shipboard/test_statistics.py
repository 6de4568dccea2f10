import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.studies.shipboard.assembly import loaded
from dovetail.studies.shipboard.statistics import solver_statistics


@pytest.mark.slow
def test_every_interval_has_steps_events_and_computing_time():
    test = loaded("case-1", (("duration", 0.4), ("rate", 100.0)))
    found = solver_statistics(test, 0.1)
    assert found.sizes["time"] == 4
    whole = test.simulate().data["solver_steps"].values[-1]
    np.testing.assert_allclose([found[n].sum() for n in ("steps", "again", "events")], whole)
    assert np.all(found["cpu"] > 0)
    np.testing.assert_allclose(found["ratio"], 0.1 / found["cpu"])
    # the fall takes few steps, the touch at 0.226 s many
    assert found["steps"].values[2] > 3 * found["steps"].values[1]
    assert found["events"].values[2] >= 1


def test_an_interval_longer_than_the_run_is_rejected():
    with pytest.raises(ParameterError, match="longer than the run"):
        solver_statistics(loaded("case-1"), 100.0)
