import jax
import numpy as np
import pytest

from dovetail.mechanics.contact import Flores
from dovetail.studies.docking.impact import Instruments, first_impact
from dovetail.studies.docking.noisy_impact import noisy_impact
from dovetail.transfer import ShapedNoise

LAW, TOOLS = Flores(stiffness=1.0229e9), Instruments(3000.0, 2 * np.pi * 1000.0, 0.8, 0.707)


def impact(position, force, seed=0, threshold=0.0):
    return noisy_impact(
        LAW,
        25.0,
        0.05,
        TOOLS,
        position_noise=ShapedNoise(position, 2 * np.pi * 23e3),
        force_noise=ShapedNoise(force, 2 * np.pi * 1e3),
        key=jax.random.key(seed),
        threshold=threshold,
    )


@pytest.fixture(scope="module")
def quiet():
    return impact(0.0, 0.0)


def test_without_noise_it_is_the_continuous_impact(quiet):
    smooth = first_impact(LAW, 25.0, 0.05, TOOLS, steps=4000).hil
    assert float(quiet.peak_force) == pytest.approx(float(smooth.peak_contact_force), rel=2e-4)
    assert float(quiet.peak_depth) == pytest.approx(float(smooth.peak_depth), rel=2e-4)
    # a pull, the sensor's undershoot after the contact, counts in the continuous one only
    assert float(quiet.rebound) == pytest.approx(float(smooth.final_rebound), rel=1e-3)
    assert float(quiet.duration) == pytest.approx(float(smooth.duration), abs=2 / 75e3)


def test_noise_lifts_the_peaks(quiet):
    noisy = impact(0.73e-6, 1.5)
    # the largest of some dozens of samples near the top: one to three deviations
    assert 0.3e-6 < float(noisy.peak_depth - quiet.peak_depth) < 4e-6
    assert float(noisy.peak_force) > float(quiet.peak_force)


def test_the_threshold_keeps_noise_out_of_the_free_flight(quiet):
    silent = impact(0.0, 1.5, threshold=22.0)
    # 22 N of some 1300 are lost at both ends
    assert float(silent.peak_force) == pytest.approx(float(quiet.peak_force), rel=0.01)


def test_the_seed_decides():
    assert float(impact(1e-6, 1.5, 1).peak_force) == float(impact(1e-6, 1.5, 1).peak_force)
    assert float(impact(1e-6, 1.5, 1).peak_force) != float(impact(1e-6, 1.5, 2).peak_force)
