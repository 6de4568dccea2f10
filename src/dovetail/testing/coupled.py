r"""Numerical substructure, rig and specimen as one equation: a test in continuous time.

.. math::

    \dot x_N = f_N(x_N, F), \quad \dot x_A = f_A(x_A, z), \quad \dot x_S = f_S(x_S, y), \quad
    \dot x_M = f_M(x_M, F_S)

with the demand z that the numerical part shows, the motion y that the actuator makes of it, the specimen's force
:math:`F_S(x_S, y)` and what the sensor reads of it, F. Where actuator and sensors are nothing this is the ideal, what
the test is to reproduce. Where they are equations it is the test without the effects of sampling: no tick, no hold.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.compensation import BlendedForce, MeasuredForce, NoCompensation
from dovetail.core import Flow
from dovetail.core.errors import Fault, guarded
from dovetail.specimens import Specimen
from dovetail.testing.hybrid_loop import MOTION
from dovetail.testing.rig import Rig
from dovetail.testing.schedule import Profile, apply
from dovetail.transfer import Series, Transfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

TRANSFERS = ("actuator", "sensor", "position_sensor")  # of a rig


class Coupled(Flow):
    """Both substructures joined through actuator and sensors, which are nothing unless given.

    Lags start in the steady state of the motion that they are given, so that nothing rings at the start.

    The interface force follows from the present motion. Where it depends on the acceleration too, which
    itself depends on the force, the equation for the force is affine and is solved exactly by one Newton
    step from zero.

    Parameters on the test's schedule change here as they do in the test. So does the share of a modelled
    force that the schedule leads from simulated to measured: starting on a model is the plan of the test, no
    error of its rig. A constant share is no plan but a means to robustness, and what it distorts is an error.
    """

    numerical: Flow
    specimen: Specimen
    excitation: Any
    shape: tuple[int, ...] = eqx.field(default=(), static=True)
    feedback: BlendedForce | None = None
    schedule: dict[str, Profile] = eqx.field(default_factory=dict)
    actuator: Transfer = Series(())
    sensor: Transfer = Series(())
    position_sensor: Transfer = Series(())

    @property
    def large(self) -> bool:  # type: ignore[override]  # of a class elsewhere, here of what it holds
        """Whether either part is."""
        return self.numerical.large or self.specimen.large

    def init(self):
        numerical, specimen = self.numerical.init(), self.specimen.init()
        motion = self.numerical.output(0.0, numerical, self._given(0.0, jnp.zeros(self.shape)))
        demand = _signal(motion)
        arm = self.actuator.follower()
        x = arm.steady(demand)
        moved = arm.output(0.0, x, demand)
        force = self.specimen.output(0.0, specimen, _motion(motion, moved))["force"]
        return {
            "numerical": numerical,
            "specimen": specimen,
            "model": () if self.feedback is None else self.feedback.model.init(),
            "actuator": x,
            "sensor": self.sensor.follower().steady((force,)),
            "position_sensor": self.position_sensor.follower().steady(moved),
        }

    def derivative(self, t, x, u):
        now = apply(self.schedule, self, t)
        at = now.interface(t, x)
        return {
            "numerical": now.numerical.derivative(t, x["numerical"], at["given"]),
            "specimen": now.specimen.derivative(t, x["specimen"], at["imposed"]),
            "model": ()
            if now.feedback is None
            else now.feedback.model.derivative(t, x["model"], at["motion"]),
            "actuator": now.actuator.follower().derivative(t, x["actuator"], _signal(at["motion"])),
            "sensor": now.sensor.follower().derivative(t, x["sensor"], (at["shown"]["force"],)),
            "position_sensor": now.position_sensor.follower().derivative(
                t, x["position_sensor"], at["moved"]
            ),
        }

    @property
    def jumps(self) -> bool:
        """Whether any part does."""
        flows = [self.numerical, self.specimen] + ([] if self.feedback is None else [self.feedback.model])
        return any(flow.jumps for flow in flows)

    def jump(self, t, x, u):
        now = apply(self.schedule, self, t)
        at = now.interface(t, x)
        return {
            **x,
            "numerical": now.numerical.jump(t, x["numerical"], at["given"]),
            "specimen": now.specimen.jump(t, x["specimen"], at["imposed"]),
            "model": () if now.feedback is None else now.feedback.model.jump(t, x["model"], at["motion"]),
        }

    def output(self, t, x, u):
        now = apply(self.schedule, self, t)
        at = now.interface(t, x)
        at = now._under(t, x, at["given"]["force"])  # the acceleration is known only now
        motion, force = at["motion"], at["shown"]["force"]
        position = now.position_sensor.follower().output(t, x["position_sensor"], at["moved"])[0]
        return {
            **at["shown"],
            "excitation": at["given"]["excitation"],
            **motion,
            "command": motion["displacement"],
            "achieved_displacement": at["moved"][0],
            "measured_displacement": position,
            "specimen_force": force,
            "measured_force": now._fed_back(t, x, at)[0],
            "force": at["given"]["force"],
        }

    def _given(self, t, force) -> dict[str, Any]:
        return {"excitation": self.excitation(t), "excitation_rate": self.excitation.rate(t), "force": force}

    def _moved(self, t, x, force) -> dict[str, Any]:
        """From a force that is fed back to the motion that it leads to."""
        given = self._given(t, force)
        motion = self.numerical.output(t, x["numerical"], given)
        moved = self.actuator.follower().output(t, x["actuator"], _signal(motion))
        return {"given": given, "motion": motion, "moved": moved, "imposed": _motion(motion, moved)}

    def _under(self, t, x, force) -> dict[str, Any]:
        """The same, with what the specimen shows."""
        at = self._moved(t, x, force)
        return {**at, "shown": self.specimen.output(t, x["specimen"], at["imposed"])}

    def _fed_back(self, t, x, at) -> tuple[jax.Array, jax.Array]:
        """The force as it is measured, and as it is used."""
        measured = self.sensor.follower().output(t, x["sensor"], (at["shown"]["force"],))[0]
        if self.feedback is None:
            return measured, measured
        share, model = self.feedback.share, self.feedback.model.output(t, x["model"], at["motion"])
        return measured, share * measured + (1.0 - share) * model["force"]

    def interface(self, t, x) -> dict[str, Any]:
        """Everything between the parts at t: the input `given` to the numerical part, its `motion`, what the actuator
        `moved` (a displacement and its rates), the motion so `imposed` on the specimen, and what that has `shown`.

        What a specimen shows of an acceleration that it does not answer to is that under no force.
        """
        nothing = jnp.zeros(self.shape)
        at = self._under(t, x, nothing)
        _, force = self._fed_back(t, x, at)
        model = None if self.feedback is None else self.feedback.model
        if not (self.specimen.inertial or (isinstance(model, Specimen) and model.inertial)):
            return {**at, **self._moved(t, x, force)}
        size = force.size
        slope = jax.jacfwd(lambda f: self._fed_back(t, x, self._under(t, x, f))[1])(nothing).reshape(
            size, size
        )
        if size == 1:  # a general solver would be most of the time of a run
            force = force / (1.0 - slope.reshape(self.shape))
        else:
            force = jnp.linalg.solve(jnp.eye(size) - slope, force.reshape(size)).reshape(self.shape)
        return self._under(t, x, force)


def _signal(motion: dict[str, jax.Array]) -> tuple[jax.Array, ...]:
    """A motion as transfer parts take it: the displacement and its rates, as far as they are shown."""
    return tuple(motion[name] for name in MOTION if name in motion)


def _motion(demand: dict[str, jax.Array], moved: tuple[jax.Array, ...]) -> dict[str, jax.Array]:
    """What a transfer part made of a motion, as a specimen takes it."""
    return {**demand, **dict(zip(MOTION, moved, strict=False))}


def ideal_system(test: Test, specimen: Specimen) -> Coupled:
    """Both substructures joined, with what of the test's schedule concerns them."""
    moved = _scheduled(test, ("numerical.", "rig.specimen.", "excitation.", "feedback.share"))
    feedback = (
        test.feedback if isinstance(test.feedback, BlendedForce) and "feedback.share" in moved else None
    )
    if feedback is None:
        moved.pop("feedback.share", None)
    return Coupled(test.numerical, specimen, test.excitation, test.shape, feedback, moved)


def rigged_system(test: Test) -> Coupled:
    """The whole test with its rig, all of it equations. The test must be prepared and without `faults`."""
    feedback = test.feedback if isinstance(test.feedback, BlendedForce) else None
    rig = test.rig.modelled()
    return Coupled(
        test.numerical,
        rig.specimen,
        test.excitation,
        test.shape,
        feedback,
        _scheduled(test, ("",)),
        actuator=rig.actuator,
        sensor=rig.sensor,
        position_sensor=rig.position_sensor,
    )


def _scheduled(test: Test, prefixes: tuple[str, ...]) -> dict[str, Profile]:
    """What of the schedule begins so, by paths of the coupled system."""
    return {
        path.removeprefix("rig."): profile
        for path, profile in test.schedule.items()
        if path.startswith(prefixes)
    }


def faults(test: Test) -> list[Fault]:
    """Parts of a test that are no equations, so that it cannot be rehearsed in continuous time; each by its place."""
    text = "acts at ticks and is no equation, so this test cannot be rehearsed in continuous time; "
    found = []
    if type(test.compensator) is not NoCompensation:
        name = type(test.compensator).__name__
        found.append(Fault("compensator", f'{name} {text}leave it out, or say rehearsal = "sampled"'))
    if type(test.feedback) not in (MeasuredForce, BlendedForce):
        name = type(test.feedback).__name__
        found.append(Fault("feedback", f'{name} {text}leave it out, or say rehearsal = "sampled"'))
    if type(test.rig) is not Rig:
        name = type(test.rig).__name__
        return [*found, Fault("rig", f"{name} {text}give the test a virtual rig of equations")]
    for name in TRANSFERS:
        for place, part in _parts(f"rig.{name}", getattr(test.rig, name)):
            found += guarded(place, partial(_equation, part))
    return found


def _equation(part: Transfer) -> list[Fault]:
    """Nothing, if a part is an equation; it raises if not."""
    part.follower()
    return []


def _parts(place: str, part: Transfer) -> list[tuple[str, Transfer]]:
    if not isinstance(part, Series):
        return [(place, part)]
    inside = [_parts(f"{place}.parts.{i}", each) for i, each in enumerate(part.parts)]
    return [entry for entries in inside for entry in entries]
