"""The matrix that the implicit method is handed, judged by the whole Jacobian by automatic differentiation."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from dovetail.mechanics.airframe import DeckAircraft
from dovetail.mechanics.friction import Bristle


@pytest.fixture(scope="module")
def standing(rest):
    friction = Bristle(stiffness=3e3, damping=600.0, mu_kinetic=0.4, mu_static=0.9)
    aircraft, x = rest()
    return dataclasses.replace(aircraft, friction=friction), {
        **x,
        "bristle": 1e-3
        + friction.initial_bristles(len(aircraft.feet), len(aircraft.platforms), aircraft.dim.d),
    }


def flat(x):
    return ravel_pytree({k: v for k, v in x.items() if k not in (*DeckAircraft.held, "work")})


@pytest.mark.slow
def test_the_reduced_jacobian_gives_the_solution_of_the_full_one(standing):
    aircraft, x = standing
    y, unravel = flat(x)
    whole = lambda y: {**x, **unravel(y)}  # noqa: E731

    @jax.jit
    def both(y, b, g):
        J = jax.jacfwd(lambda y: flat(aircraft.derivative(0.0, whole(y), None))[0])(y)
        solve = aircraft.shifted_solver(0.0, whole(y), g)
        return jnp.linalg.solve(jnp.eye(len(y)) - g * J, b), flat(solve(whole(b)))[0]

    b = jnp.asarray(np.random.default_rng(0).normal(size=y.shape) * 1e-3)
    # at rest only turning of forces with the attitude is left out: small beside stiffness, and less for short steps
    for g, left_out in ((1e-5, 1e-6), (1e-3, 3e-3)):
        exact, ours = both(y, b, g)
        assert float(jnp.linalg.norm(ours - exact) / jnp.linalg.norm(exact)) < left_out
