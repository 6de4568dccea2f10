"""Which links grow shorter: together they lose what is reeled in, and their rates are their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain import reeling_length


@pytest.mark.parametrize("way", reeling_length.WAYS)
def test_the_links_shorten_by_the_reeled_length_with_consistent_derivatives(way):
    """Reeled in as s(t) = s_0 + 0.7 t + 0.6 t^2: rates against those of automatic differentiation."""

    def shrunk(t, s):
        return reeling_length.lengths(way, (9.0 - s - 0.7 * t - 0.6 * t**2, 0.0, 0.0), 9.0, 6)[0]

    both = jax.jit(lambda s: (jax.jacfwd(shrunk)(0.0, s), jax.jacfwd(jax.jacfwd(shrunk))(0.0, s)))
    for s in (0.0, 0.9, 2.02, 4.4):
        found, rate, rate2 = reeling_length.lengths(way, jnp.array([9.0 - s, -0.7, -1.2]), 9.0, 6)
        first, second = both(s)
        np.testing.assert_allclose(np.sum(found), 9.0 - s, rtol=1e-12)
        np.testing.assert_allclose(rate, first, atol=1e-12)
        np.testing.assert_allclose(rate2, second, atol=1e-9)
        assert np.all(found > 0)


def test_links_shrink_one_after_another_from_the_support():
    l, rate, _ = reeling_length.sequential((8.5, -1.0, 0.0), 9.0, 6)
    np.testing.assert_allclose(l, [1.0, 1.5, 1.5, 1.5, 1.5, 1.5])
    np.testing.assert_allclose(rate, [-1.0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize("way", reeling_length.WAYS)
def test_rope_slides_past_a_node_at_the_rate_of_the_length_beyond_it(way):
    """Against the running sum of the links' own rates, at random lengths and rates."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        length = (9.0 - 7.0 * rng.random(), *rng.normal(size=2))
        _, rate, rate2 = reeling_length.lengths(way, length, 9.0, 6)
        found = reeling_length.slip(way, length, 9.0, 6)
        np.testing.assert_allclose(found[0], length[1] - np.cumsum(rate), atol=1e-12)
        np.testing.assert_allclose(found[1], length[2] - np.cumsum(rate2), atol=1e-12)


def test_the_second_rate_is_right_while_a_link_starts_to_shrink():
    """Reeled in as s + 0.7 t: where the corner of the second link is rounded, its length has a curvature of its own."""
    starts = 1.5 * (1 - reeling_length.STUB)  # reeled length at which the second link starts
    for off in (-0.5, 0.0, 0.5):
        reeled = starts + off * reeling_length.CORNER * 1.5

        def second(t, reeled=reeled):
            return reeling_length.lengths("sequential", (9.0 - reeled - 0.7 * t, -0.7, 0.0), 9.0, 6)[0]

        expected = jax.jit(jax.jacfwd(jax.jacfwd(second)))(0.0)
        found = reeling_length.lengths("sequential", (9.0 - reeled, -0.7, 0.0), 9.0, 6)[2]
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(found, expected, atol=1e-9)
