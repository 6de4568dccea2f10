"""Ground accelerations: the spectrum and the envelope asked for, records read as they are written."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

from dovetail.core.errors import ParameterError
from dovetail.mechanics import Oscillator
from dovetail.testing import Test, dump, parse
from dovetail.testing.excitation import GroundMotion, GroundRecord, KanaiTajimi, Sweep

STEADY = KanaiTajimi(
    rms=1.0, duration=400.0, rise_time=0.1, decay_start=1e6, sample_time=0.01, sine_count=1024
)


@pytest.mark.slow
def test_the_strong_part_has_the_given_rms():
    # 400 s hold some 2000 independent samples of the soil's bandwidth: 2 % standard error
    assert np.std(STEADY.samples()[20:]) == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_spectrum_is_that_of_kanai_and_tajimi():
    frequency, power = scipy.signal.welch(STEADY.samples()[20:], 1 / STEADY.sample_time, nperseg=512)
    band = (frequency > 0.8) & (frequency < 20.0)
    expected = STEADY.spectrum(2 * np.pi * frequency[band])
    expected /= np.trapezoid(STEADY.spectrum(2 * np.pi * np.linspace(0, 25, 5000)), np.linspace(0, 25, 5000))
    # 150 averages leave 8 % at each frequency; over ten neighbours 3 %
    ratio = np.convolve(power[band] / expected, np.ones(10) / 10, "valid")
    np.testing.assert_allclose(ratio, 1.0, atol=0.15)


def test_most_power_is_at_the_soil_frequency():
    omega = np.linspace(0.1, 150.0, 4000)
    assert omega[np.argmax(STEADY.spectrum(omega))] == pytest.approx(15.6, rel=0.25)
    assert STEADY.spectrum(np.array([0.0]))[0] == 0.0


def test_the_envelope_rises_holds_and_decays():
    quake = KanaiTajimi(rms=1.0)
    np.testing.assert_allclose(
        quake.envelope(np.array([0.0, 1.5, 3.0, 12.0, 15.0])), [0, 0.25, 1, 1, np.exp(-1)]
    )
    assert float(quake(quake.duration + 1.0)) == 0.0
    assert float(quake(-1.0)) == 0.0


def test_a_seed_is_a_record_and_another_seed_another():
    first, again, other = (KanaiTajimi(rms=0.4, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.samples(), again.samples())
    assert abs(np.corrcoef(first.samples(), other.samples())[0, 1]) < 0.2


def test_size_can_be_varied_in_a_compiled_batch():
    t = jnp.array(7.123)
    sizes = jnp.array([0.1, 0.2])
    got = jax.vmap(lambda rms: dataclasses.replace(KanaiTajimi(rms=1.0), rms=rms)(t))(sizes)
    np.testing.assert_allclose(got, sizes * float(KanaiTajimi(rms=1.0)(t)), rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"rise_time": 20.0}, "decay_start"), ({"sample_time": 0.02}, "sample_time.*at most 0.01 s")],
)
def test_impossible_records_are_rejected(change, words):
    with pytest.raises(ParameterError, match=words):
        KanaiTajimi(rms=1.0, **change)


def test_any_excitation_becomes_a_ground_motion():
    chirp = Sweep(amplitude=1.0, start_frequency=0.1, end_frequency=40.0, duration=20.0)
    ground = GroundMotion(chirp, 0.4)
    assert float(ground(3.3)) == pytest.approx(0.4 * float(chirp(3.3)))
    assert ground.valid_until == chirp.valid_until


def test_a_record_is_straight_between_its_samples_and_ends():
    record = GroundRecord(samples=[0.0, 1.0, -1.0], sample_time=0.5, scale=2.0)
    np.testing.assert_allclose(
        [float(record(t)) for t in (0.25, 0.5, 0.75, 1.0, 1.01)], [1.0, 2.0, 0.0, -2.0, 0.0]
    )


def test_a_record_starts_at_its_first_time_even_with_a_byte_order_mark(tmp_path):
    rng = np.random.default_rng(5)
    for mark in ("", "\ufeff"):
        start, samples = float(rng.uniform(0.5, 9.0)), rng.normal(size=6)
        rows = "".join(f"{start + 0.02 * i!r},{a!r}\n" for i, a in enumerate(samples.tolist()))
        (tmp_path / "r.csv").write_text(mark + rows, "utf-8")
        record = GroundRecord(file=str(tmp_path / "r.csv"))
        np.testing.assert_array_equal(record.samples, samples)
        at = start + 0.02 * np.arange(6)
        np.testing.assert_allclose([float(record(t)) for t in at[:-1] + 1e-9], samples[:-1], atol=1e-6)
        assert float(record(start - 1e-3)) == 0.0
        assert record.valid_until == pytest.approx(at[-1])


def test_a_test_longer_than_its_record_needs_after_end_zero():
    record = GroundRecord(samples=[0.0, 1.0, -1.0], sample_time=0.5, start=2.0)
    assert record.valid_until == 3.0
    assert GroundMotion(record, 0.4).valid_until == 3.0
    still = GroundRecord(samples=[0.0, 1.0, -1.0], sample_time=0.5, start=2.0, after_end="zero")
    assert still.valid_until == np.inf
    assert float(still(3.1)) == 0.0


def test_a_record_remembers_its_samples_not_only_its_file(tmp_path):
    (tmp_path / "r.csv").write_text("0,1\n0.1,2\n0.2,3\n")
    record = GroundRecord(file=str(tmp_path / "r.csv"))
    (tmp_path / "r.csv").unlink()
    sized = record.with_sample_time(1e-3, ())
    assert float(sized(0.15)) == pytest.approx(2.5)


def test_a_record_without_samples_is_rejected():
    with pytest.raises(ParameterError, match="has no samples"):
        GroundRecord()
    with pytest.raises(ParameterError, match="sample_time"):
        GroundRecord(samples=[1.0, 2.0])


def test_a_record_is_read_by_its_keys_and_restored_equally(tmp_path):
    (tmp_path / "r.csv").write_text("EW;NS\n1,5;-0,5\n2,5;0,25\n")
    record = GroundRecord(file=str(tmp_path / "r.csv"), column="NS", unit="cm/s2", sample_time=0.1, start=3.0)
    np.testing.assert_allclose(record.samples, [-0.005, 0.0025])
    assert (float(record.start), float(record.sample_time), record.valid_until) == (
        3.0,
        0.1,
        pytest.approx(3.1),
    )
    (tmp_path / "r.csv").unlink()
    kept = dump(Test(Oscillator(m=1.0, c=0.0, k=1.0), excitation=record, duration=1.0, rate=100.0))
    back = parse({**kept, "duration": 3.0}).excitation
    np.testing.assert_array_equal(back.samples, record.samples)
    assert (back.column, back.unit, float(back.start)) == ("NS", "cm/s2", 3.0)


def test_file_options_are_rejected_without_a_file():
    with pytest.raises(ParameterError, match=r"GroundRecord.unit: applies to a file only; .* m/s\^2"):
        GroundRecord(samples=[1.0, 2.0], sample_time=0.1, unit="g")
