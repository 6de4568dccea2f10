import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import AnalysisError, OutputError, ParameterError
from dovetail.fidelity.measured_traces import read_traces, smooth


def write(path, text):
    file = path / "traces.csv"
    file.write_text(text, "utf-8")
    return file


def test_units_are_converted(tmp_path):
    data = read_traces(
        write(tmp_path, "time [ms], measured_force [kN], penetration [um]\n0,0,0\n1,1.5,50\n2,0.5,20\n")
    )
    np.testing.assert_allclose(data.time, [0, 1e-3, 2e-3])
    np.testing.assert_allclose(data.measured_force, [0, 1500, 500])
    np.testing.assert_allclose(data.penetration, [0, 50e-6, 20e-6])
    assert data.measured_force.attrs["units"] == "N"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time [s],measured_force\n0,0\n1,1\n", 'column "measured_force" has no unit'),
        ("time [s],measured_force [m]\n0,0\n1,1\n", 'column "measured_force"'),
        ("time [s],speediness [m]\n0,0\n1,1\n", "not a known signal"),
        ("measured_force [N]\n0\n1\n", 'add a column "time \\[s\\]"'),
        ("time [s],measured_force [N]\n0,0\n1,x\n", "line 3"),
        ("time [s],measured_force [N]\n0,0\n1,nan\n2,1\n", "line 3: a value is missing"),
        ("time [s],measured_force [N]\n0,0\n1,1\n2,1\n5,1\n6,1\n", "gap at t = 2 s: step 3 s"),
        ("time [s],measured_force [N]\n0,0\n2,1\n1,1\n", "time does not increase"),
        ("time [s],measured_force [N]\n", "expected a header and at least two samples"),
    ],
)
def test_faults_are_reported(tmp_path, text, said):
    with pytest.raises(ParameterError, match=said):
        read_traces(write(tmp_path, text))


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(OutputError, match="cannot be read"):
        read_traces(tmp_path / "none.csv")


def test_smoothing_keeps_peaks_and_gives_rates():
    t = np.arange(0, 5e-3, 1e-5)
    rng = np.random.default_rng(0)
    clean = np.sin(np.pi * t / 5e-3)
    noisy = xr.DataArray(clean + 0.02 * rng.standard_normal(len(t)), {"time": t}, "time")
    out = smooth(noisy, 1e-3)
    assert np.abs(out - clean)[50:-50].max() < 0.02
    assert float(out.max()) == pytest.approx(1.0, abs=0.01)
    rate = smooth(noisy, 1e-3, derivative=True)
    expected = np.pi / 5e-3 * np.cos(np.pi * t / 5e-3)
    # a cubic over 101 samples leaves 17 of noise (1 sigma) in the rate, which peaks at 628
    assert np.abs(rate - expected)[50:-50].max() < 4 * 17


def test_a_window_longer_than_the_record_is_rejected():
    trace = xr.DataArray(np.zeros(10), {"time": np.arange(10) * 1e-3}, "time")
    with pytest.raises(AnalysisError, match="longer than the record"):
        smooth(trace, 1.0)
