r"""Coupled system: numerical substructure, rig and specimen as one system of equations in continuous time.

.. math::

    \dot x_N = f_N(x_N, F), \quad \dot x_A = f_A(x_A, z), \quad \dot x_S = f_S(x_S, y), \quad
    \dot x_M = f_M(x_M, F_S)

with the demand z of the numerical substructure, the motion y that the actuator imposes, the specimen force
:math:`F_S(x_S, y)` and the force F measured by the sensor. Without actuator and sensors this is the reference
solution. With actuator and sensors it is the test without the effects of sampling (no tick, no hold).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.compensation import BlendedForce, MeasuredForce, NoCompensation
from dovetail.core import Flow, Input, Output, State, Time
from dovetail.core.errors import Fault, collect_faults
from dovetail.core.signals import MOTION
from dovetail.specimens import Specimen
from dovetail.testing.rig import Rig
from dovetail.testing.schedule import Profile, apply
from dovetail.transfer import Series, Transfer

if TYPE_CHECKING:
    from dovetail.testing.test import Test

TRANSFERS = ("actuator", "sensor", "position_sensor")  # fields of a rig


class Coupled(Flow):
    """Both substructures, coupled through actuator and sensors (default: ideal ones).

    Lags start in the steady state of their input, so that there is no transient at the start.

    The interface force follows from the motion at the same time. If it also depends on the acceleration, which
    depends on the force, the equation for the force is affine and is solved exactly by one Newton step from zero.

    Scheduled parameters change as in the test. This includes a scheduled `measured_fraction` of a blended force,
    because starting on a model is planned and not an error of the rig. A constant `measured_fraction` is not
    applied: it improves robustness, but its distortion of the force is an error of the test.
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
    def large(self) -> bool:  # type: ignore[override]  # a class attribute elsewhere
        """True if one of the substructures is large."""
        return self.numerical.large or self.specimen.large

    def init(self) -> State:
        numerical, specimen = self.numerical.init(), self.specimen.init()
        motion = self.numerical.output(0.0, numerical, self._input(0.0, jnp.zeros(self.shape)))
        demand = _signal(motion)
        arm = self.actuator.continuous_model()
        x = arm.steady(demand)
        imposed = arm.output(0.0, x, demand)
        force = self.specimen.output(0.0, specimen, _motion(motion, imposed))["force"]
        return {
            "numerical": numerical,
            "specimen": specimen,
            "model": () if self.feedback is None else self.feedback.model.init(),
            "actuator": x,
            "sensor": self.sensor.continuous_model().steady((force,)),
            "position_sensor": self.position_sensor.continuous_model().steady(imposed),
        }

    def derivative(self, t: Time, x: State, u: Input) -> State:
        now = apply(self.schedule, self, t)
        signals = now.interface(t, x)
        return {
            "numerical": now.numerical.derivative(t, x["numerical"], signals["input"]),
            "specimen": now.specimen.derivative(t, x["specimen"], signals["imposed"]),
            "model": ()
            if now.feedback is None
            else now.feedback.model.derivative(t, x["model"], signals["motion"]),
            "actuator": now.actuator.continuous_model().derivative(
                t, x["actuator"], _signal(signals["motion"])
            ),
            "sensor": now.sensor.continuous_model().derivative(t, x["sensor"], (signals["output"]["force"],)),
            "position_sensor": now.position_sensor.continuous_model().derivative(
                t, x["position_sensor"], signals["actuator"]
            ),
        }

    @property
    def jumps(self) -> bool:
        """True if any part has jumps."""
        flows = [self.numerical, self.specimen] + ([] if self.feedback is None else [self.feedback.model])
        return any(flow.jumps for flow in flows)

    def jump(self, t: Time, x: State, u: Input) -> State:
        now = apply(self.schedule, self, t)
        # displacement and velocity do not depend on the interface force
        needs_force = now.numerical.jumps or now.specimen.inertial
        signals = now.interface(t, x) if needs_force else now._interface_motion(t, x, jnp.zeros(self.shape))
        return {
            **x,
            "numerical": now.numerical.jump(t, x["numerical"], signals["input"]),
            "specimen": now.specimen.jump(t, x["specimen"], signals["imposed"]),
            "model": ()
            if now.feedback is None
            else now.feedback.model.jump(t, x["model"], signals["motion"]),
        }

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        now = apply(self.schedule, self, t)
        # displacement and velocity do not depend on the interface force
        signals = now._interface_motion(t, x, jnp.zeros(self.shape))
        parts = [(now.numerical, "numerical", "input"), (now.specimen, "specimen", "imposed")]
        if now.feedback is not None:
            parts.append((now.feedback.model, "model", "motion"))
        return jnp.concatenate([part.guards(t, x[name], signals[given]) for part, name, given in parts])

    def output(self, t: Time, x: State, u: Input) -> Output:
        now = apply(self.schedule, self, t)
        signals = now.interface(t, x)
        motion, outputs = signals["motion"], dict(signals["output"])
        force = outputs.pop("force")
        position = now.position_sensor.continuous_model().output(
            t, x["position_sensor"], signals["actuator"]
        )[0]
        return {
            **outputs,
            "excitation": signals["input"]["excitation"],
            **motion,
            "command": motion["displacement"],
            "achieved_displacement": signals["actuator"][0],
            "measured_displacement": position,
            "specimen_force": force,
            "measured_force": now._forces(t, x, signals)[0],
            "feedback_force": signals["input"]["force"],
        }

    def _input(self, t: Time, force: jax.Array) -> dict[str, Any]:
        return {"excitation": self.excitation(t), "excitation_rate": self.excitation.rate(t), "force": force}

    def _interface_motion(self, t: Time, x: State, force: jax.Array) -> dict[str, Any]:
        """Return input, motion, actuator output and imposed motion under a feedback force."""
        inputs = self._input(t, force)
        motion = self.numerical.output(t, x["numerical"], inputs)
        actuator = self.actuator.continuous_model().output(t, x["actuator"], _signal(motion))
        return {"input": inputs, "motion": motion, "actuator": actuator, "imposed": _motion(motion, actuator)}

    def _response_to(self, t: Time, x: State, force: jax.Array) -> dict[str, Any]:
        """Return the motion under a feedback force, with the specimen output."""
        signals = self._interface_motion(t, x, force)
        return {**signals, "output": self.specimen.output(t, x["specimen"], signals["imposed"])}

    def _forces(self, t: Time, x: State, signals: dict[str, Any]) -> tuple[jax.Array, jax.Array]:
        """Return the measured force and the feedback force."""
        measured = self.sensor.continuous_model().output(t, x["sensor"], (signals["output"]["force"],))[0]
        if self.feedback is None:
            return measured, measured
        fraction, model = (
            self.feedback.measured_fraction,
            self.feedback.model.output(t, x["model"], signals["motion"]),
        )
        return measured, fraction * measured + (1.0 - fraction) * model["force"]

    def interface(self, t: Time, x: State) -> dict[str, Any]:
        """Return the interface signals at t: the `input` of the numerical substructure, its `motion`, the
        `actuator` output (displacement and its rates), the `imposed` motion, and the specimen `output`.

        If the specimen force does not depend on the acceleration, its output is evaluated with the acceleration under
        zero force.
        """
        nothing = jnp.zeros(self.shape)
        signals = self._response_to(t, x, nothing)
        _, force = self._forces(t, x, signals)
        model = None if self.feedback is None else self.feedback.model
        if not (self.specimen.inertial or (isinstance(model, Specimen) and model.inertial)):
            return {**signals, **self._interface_motion(t, x, force)}
        size = force.size
        slope = jax.jacfwd(lambda f: self._forces(t, x, self._response_to(t, x, f))[1])(nothing).reshape(
            size, size
        )
        if size == 1:  # a general solver would dominate the run time
            force = force / (1.0 - slope.reshape(self.shape))
        else:
            force = jnp.linalg.solve(jnp.eye(size) - slope, force.reshape(size)).reshape(self.shape)
        return self._response_to(t, x, force)


def _signal(motion: dict[str, jax.Array]) -> tuple[jax.Array, ...]:
    """Return a motion as input of transfer parts: displacement and its available rates."""
    return tuple(motion[name] for name in MOTION if name in motion)


def _motion(demand: dict[str, jax.Array], imposed: tuple[jax.Array, ...]) -> dict[str, jax.Array]:
    """Return the output of a transfer part as input of a specimen."""
    return {**demand, **dict(zip(MOTION, imposed, strict=False))}


def reference_system(test: Test, specimen: Specimen) -> Coupled:
    """Return the directly coupled substructures, with the scheduled parameters that concern them."""
    schedule = _scheduled(test, ("numerical.", "rig.specimen.", "excitation.", "feedback.measured_fraction"))
    feedback = (
        test.feedback
        if isinstance(test.feedback, BlendedForce) and "feedback.measured_fraction" in schedule
        else None
    )
    if feedback is None:
        schedule.pop("feedback.measured_fraction", None)
    return Coupled(test.numerical, specimen, test.excitation, test.shape, feedback, schedule)


def rigged_system(test: Test) -> Coupled:
    """Return the continuous-time model of the complete test, including the rig. The test must be prepared."""
    feedback = test.feedback if isinstance(test.feedback, BlendedForce) else None
    rig = test.require_rig().as_model()
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
    """Return the scheduled parameters with these path prefixes, by paths of the coupled system."""
    return {
        path.removeprefix("rig."): profile
        for path, profile in test.schedule.items()
        if path.startswith(prefixes)
    }


def faults(test: Test) -> list[Fault]:
    """Return parts of a test that have no continuous-time equations, each with its path."""
    text = "is defined at ticks only, so the test cannot be rehearsed in continuous time; "
    faults = []
    if type(test.compensator) is not NoCompensation:
        name = type(test.compensator).__name__
        faults.append(Fault("compensator", f'{name} {text}remove it, or set sampling = "rate"'))
    if type(test.feedback) not in (MeasuredForce, BlendedForce):
        name = type(test.feedback).__name__
        faults.append(Fault("feedback", f'{name} {text}remove it, or set sampling = "rate"'))
    if type(test.rig) is not Rig:
        name = type(test.rig).__name__
        return [
            *faults,
            Fault("rig", f"{name} {text}give the test a simulated rig with continuous-time parts"),
        ]
    for name in TRANSFERS:
        for path, part in _parts(f"rig.{name}", getattr(test.rig, name)):
            faults += collect_faults(path, partial(_equation, part))
    return faults


def _equation(part: Transfer) -> list[Fault]:
    """Return no fault if a part has continuous-time equations; otherwise it raises."""
    part.continuous_model()
    return []


def _parts(path: str, part: Transfer) -> list[tuple[str, Transfer]]:
    if not isinstance(part, Series):
        return [(path, part)]
    inside = [_parts(f"{path}.parts.{i}", each) for i, each in enumerate(part.parts)]
    return [entry for entries in inside for entry in entries]
