"""The envelope: its grid, what its points mean, and that it goes on where it stopped."""

import numpy as np
import pytest

from dovetail.sea import SecuringEnvelope

GRID = {
    "sea_states": (3.0, 6.0),
    "headings": (0.0, np.pi / 2),
    "wind_speeds": (0.0, 17.0),
    "wind_from": (np.pi / 2,),
    "duration": 15.0,
    "wave_count": 16,
    "chunk": 8,
    "threads": 1,
}

pytestmark = pytest.mark.slow  # a whole map, however small


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    chart = SecuringEnvelope(**GRID, store=str(tmp_path_factory.mktemp("kept")))
    return chart, chart.compute()


def test_wind_and_beam_seas_load_the_device_more(small):
    _, data = small
    load = data.securing_load.isel(wind_from=0)
    assert (load.isel(wind_speed=1) > load.isel(wind_speed=0)).all()
    assert float(load.sel(sea_state=6.0).isel(heading=1, wind_speed=0)) > float(
        load.sel(sea_state=3.0).isel(heading=1, wind_speed=0)
    )
    assert float(data.outcome.isel(sea_state=0, heading=0, wind_speed=0, wind_from=0)) == 0  # stands
    assert float(data.outcome.isel(sea_state=0, heading=0, wind_speed=1, wind_from=0)) == 2  # blown away


def test_clamps_and_feet_carry_the_wind_load(small):
    chart, data = small
    drag = 0.5 * 1.225 * 2.0 * 17.0**2
    load = float(data.securing_load.isel(sea_state=0, heading=0, wind_speed=1, wind_from=0))
    assert (
        drag / 4 + 40.0 < load < 1.6 * (drag / 4 + 40.0)
    )  # below the centre of gravity: some feet bear more


def test_a_second_run_uses_cached_results(small):
    chart, data = small
    again = chart.compute()
    assert again.attrs["chunks_resumed"] == 1
    np.testing.assert_array_equal(again.securing_load, data.securing_load)


def test_the_summary_states_point_count_and_load(small):
    chart, data = small
    text = chart.summary(data)
    assert "8 points: free" in text
    assert "highest sea state" in text
