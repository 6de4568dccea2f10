"""A test's virtual rig, stepped over the link, is the rig of the rehearsal."""

import numpy as np

from dovetail.links import VirtualPlant


def test_it_follows_commands_as_the_rig_in_a_rehearsal_does(make_cs1):
    test = make_cs1(duration=0.05)
    rehearsed = test.rehearse().data
    plant = VirtualPlant(test)
    assert plant.signals[:2] == (("measured_displacement", 1), ("measured_force", 1))
    for _ in range(2):  # and again from rest
        readings = [plant.reset(), *(plant.step(np.atleast_1d(c)) for c in rehearsed.command.values[1:])]
        for i, name in enumerate(plant.names):
            np.testing.assert_allclose(np.array(readings)[:, i], rehearsed[name], rtol=1e-12, atol=1e-15)
