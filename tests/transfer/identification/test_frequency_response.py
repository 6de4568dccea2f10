import numpy as np
import pytest
import scipy.signal

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.transfer import Delay, SecondOrderLag, Series
from dovetail.transfer.identification import frequency_response

dt = 1e-3  # [s]
PART = Series((Delay(3.6e-3), SecondOrderLag(235.4, 0.684, 1.02)))
noise = np.random.default_rng(1).normal(size=60_000)


def test_it_is_that_of_the_transfer_system(record):
    h = frequency_response(noise, record(PART, noise, dt), dt, segment=2.0).in_band(1.0, 60.0)
    exact = np.array([PART.linear()(2j * np.pi * f) for f in h.frequency])
    # a ramp between samples lowers white noise by sinc^2, which the record's own samples do not know
    exact = exact * np.sinc(h.frequency * dt) ** 2
    np.testing.assert_allclose(h.gain, np.abs(exact), rtol=0.02)  # 9.4 ms of 2 s, and 56 averages
    np.testing.assert_allclose(
        h.phase_delay[4:], -np.unwrap(np.angle(exact))[4:] / (2 * np.pi * h.frequency[4:]), atol=2e-4
    )
    assert h.coherence.min() > 0.99


def test_noise_lowers_the_coherence_and_not_the_gain(record):
    clean = record(PART, noise, dt)
    noisy = clean + np.random.default_rng(2).normal(size=len(clean)) * np.std(clean)
    h = frequency_response(noise, noisy, dt, segment=0.5).in_band(2.0, 30.0)
    # here the signal's density is that of white noise of unit deviation, the noise's std(clean)^2
    expected = 1.04 / (1.04 + np.var(clean))
    assert h.coherence.mean() == pytest.approx(expected, abs=0.03)
    exact = np.abs([PART.linear()(2j * np.pi * f) for f in h.frequency])
    scatter = (h.gain - exact) / h.gain_error
    assert np.sqrt(np.mean(scatter**2)) == pytest.approx(1.0, abs=0.35)  # 15 bins, half independent


def test_reliable_frequencies_are_the_excited_ones(record, sweep):
    u = sweep(1.0, 15.0, 60.0, dt)
    y = record(PART, u, dt, noise=0.02)
    h = frequency_response(u, y, dt, segment=2.0).with_coherence(0.99)
    assert h.frequency.max() < 18.0
    inner = h.in_band(2.0, 14.0)
    np.testing.assert_allclose(inner.phase_delay, 9.5e-3, atol=0.4e-3)


def test_faults_are_reported():
    with pytest.raises(ParameterError, match="expected one axis of equal length"):
        frequency_response(noise, noise[:-1], dt)
    with pytest.raises(ParameterError, match=r"segment: got 100 s; .* 60 s"):
        frequency_response(noise, noise, dt, segment=100.0)
    h = frequency_response(noise, np.random.default_rng(3).normal(size=60_000), dt)
    with pytest.raises(AnalysisError, match="no frequency .* remains; the highest coherence is"):
        h.with_coherence(0.999)


def test_coloured_noise_identifies_each_element_and_the_whole_chain():
    """Drive to amplifier, amplifier to motion, drive to motion: S_uy/S_uu of each, within its own uncertainty."""
    rng = np.random.default_rng(11)
    dt, count = 1e-4, 200_000
    u = scipy.signal.lfilter(
        [0.3], [1, -0.7], rng.standard_normal(count)
    )  # not white: S_uu must divide it out
    links = [([1e6], [1.0, 600.0, 1e6]), ([4e6], [1.0, 400.0, 4e6])]  # resonances at 159 and 318 Hz
    discrete = [scipy.signal.cont2discrete(link, dt, method="foh") for link in links]
    m = scipy.signal.lfilter(np.ravel(discrete[0][0]), discrete[0][1], u)
    y = scipy.signal.lfilter(np.ravel(discrete[1][0]), discrete[1][1], m)
    m_read, y_read = (s + 0.02 * s.std() * rng.standard_normal(count) for s in (m, y))

    def true(*chosen):
        return lambda f: np.prod(
            [np.polyval(b, 2j * np.pi * f) / np.polyval(a, 2j * np.pi * f) for b, a in chosen], 0
        )

    found = {
        "u to m": (frequency_response(u, m_read, dt, segment=0.1), true(links[0])),
        "m to y": (frequency_response(m, y_read, dt, segment=0.1), true(links[1])),
        "u to y": (frequency_response(u, y_read, dt, segment=0.1), true(*links)),
    }
    for name, (response, exact) in found.items():
        inside = (response.frequency > 30) & (response.frequency < 450)
        f = response.frequency[inside]
        error = np.abs(response.response[inside] / exact(f) - 1)
        assert np.quantile(error, 0.9) < 0.05, name
        assert f[np.argmax(np.abs(response.response[inside]))] == pytest.approx(
            f[np.argmax(np.abs(exact(f)))], abs=20.0
        )
    product = found["u to m"][0].response * found["m to y"][0].response
    inside = (found["u to y"][0].frequency > 30) & (found["u to y"][0].frequency < 450)
    assert np.quantile(np.abs(product / found["u to y"][0].response - 1)[inside], 0.9) < 0.05
