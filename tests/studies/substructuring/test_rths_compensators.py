"""The compensators of the benchmark are made from the nominal plant's model, and each says what it costs."""

import dataclasses

import numpy as np
import pytest

from dovetail.studies.substructuring import rths
from dovetail.studies.substructuring import rths_compensators as entries

BASE = rths.benchmark(1, duration=41 / 4096)
S = 2j * np.pi * np.array([0.5, 3.6, 16.0, 38.0])


def test_the_test_file_has_the_best_compensator():
    built = entries.COMPENSATORS[entries.BEST].build(BASE).compensator
    for field in dataclasses.fields(built):
        np.testing.assert_allclose(
            getattr(BASE.compensator, field.name), getattr(built, field.name), rtol=1e-4, err_msg=field.name
        )


def test_the_full_inverse_has_three_remaining_time_constants():
    product = entries.full_inverse(BASE).response(S.imag, BASE.dt) * entries.model(BASE)(S)
    np.testing.assert_allclose(product, 1 / (entries.FAST * S + 1) ** 3, rtol=1e-9)


def test_with_prediction_the_plant_is_followed_up_to_its_second_mode():
    compensator = entries.inverse_and_prediction(BASE)
    product = compensator.response(S.imag, BASE.dt) * entries.model(BASE)(S) * np.exp(-S * BASE.dt / 2)
    error = np.abs(product - 1)
    assert error[1] < 1e-3
    assert error[2] < 0.01
    assert error[3] < 0.1  # the prediction's own: a parabola over 1.6 ms of 38 Hz


def test_the_second_order_inverse_is_good_at_the_first_mode_only():
    product = entries.second_order_inverse(BASE).response(S.imag, BASE.dt) * entries.model(BASE)(S)
    error = np.abs(product - 1)
    assert error[1] < 0.02 < error[3]


@pytest.mark.parametrize("entry", entries.ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_gives_a_valid_test_and_states_its_drawback(entry):
    built = entry.build(BASE)
    assert entry.requirements
    assert entry.drawback
    assert built.numerical is BASE.numerical
    built.with_sample_time(built.dt, built.shape)


def test_names_are_unique():
    assert len(entries.COMPENSATORS) == len(entries.ENTRIES) >= 15
