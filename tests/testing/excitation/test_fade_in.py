import numpy as np

from dovetail.testing.excitation import FadeIn, Sine

t = np.linspace(0.0, 4.0, 100)


def test_a_fade_in_starts_at_zero_and_ends_at_the_excitation():
    faded, whole = FadeIn(Sine(1.0, 2.0, np.pi / 2), 1.5, 0.5), Sine(1.0, 2.0, np.pi / 2)
    np.testing.assert_array_equal(faded(t)[t <= 0.5], 0.0)
    np.testing.assert_allclose(faded(t)[t >= 2.0], whole(t)[t >= 2.0])
    assert np.all(np.abs(faded(t)) <= np.abs(whole(t)))


def test_it_starts_without_speed():
    assert FadeIn(Sine(1.0, 2.0, 0.0, 1.0), 1.0).rate(0.0) == 0.0
