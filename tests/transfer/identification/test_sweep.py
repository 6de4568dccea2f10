import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import Delay, SecondOrderLag, Series, TransferFunction
from dovetail.transfer.identification import sweep_response

dt = 1e-3  # [s]


@pytest.mark.parametrize(
    "part",
    [
        Series((Delay(3.6e-3), SecondOrderLag(235.4, 0.684, 1.02))),
        TransferFunction([-180.9, 5.651e4], [1.0, 321.8, 5.54e4]),  # gain rises with frequency, delay flat
    ],
)
def test_gain_and_delay_along_the_sweep_are_those_of_the_transfer_system(record, sweep, part):
    u = sweep(1.0, 15.0, 60.0, dt)
    found = sweep_response(u, record(part, u, dt, noise=0.01), dt)
    np.testing.assert_allclose(found.frequency, 1 + 14 * found.time / 60, rtol=0.03)
    exact = np.array([complex(part.linear()(2j * np.pi * f)) for f in found.frequency])
    np.testing.assert_allclose(found.gain, np.abs(exact), atol=0.004)  # noise 0.01 over 600 weighted samples
    delay = [float(part.linear().phase_delay(2 * np.pi * f)) for f in found.frequency]
    np.testing.assert_allclose(found.delay, delay, atol=0.25e-3)
    high = found.frequency > 5.0
    np.testing.assert_allclose(found.delay[high], np.array(delay)[high], atol=0.06e-3)


def test_faults_are_reported():
    with pytest.raises(ParameterError, match="a window of 8 samples to a quarter of the record"):
        sweep_response(np.ones(100), np.ones(100), dt, window=90e-3)
