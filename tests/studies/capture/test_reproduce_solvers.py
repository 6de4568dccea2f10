"""The solver table as data: its form, and what the source's law says of it."""

import numpy as np

from dovetail.studies.capture import reproduce_solvers as solvers


def test_the_published_table_has_a_cell_for_every_row_and_column():
    assert np.shape(solvers.PUBLISHED) == (len(solvers.ROWS), len(solvers.COLUMNS)) == (4, 6)


def test_the_friction_law_explains_every_failure_of_rk4_at_ten_milliseconds_but_the_marginal_one():
    for (c, n), row in zip(solvers.ROWS, solvers.PUBLISHED, strict=True):
        rate = 1e-2 * 48 * c * n**3 / 250.0**2
        if rate > 2.785 or rate < 1.0:  # beyond RK4's limit, or far below it
            assert row[0] == (rate < 1.0)
