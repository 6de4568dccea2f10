r"""Aircraft with flexible landing gear on moving platforms: rigid airframe, gear, struts, contact and loads.

Speeds :math:`u = (\xi, \nu)` follow from :math:`\mathcal M\dot u = F`, assembled by Kane's method
[Schock 2020, ch. 5]; :math:`\mathcal M` is constant (see `gear`). The source solves for the interface forces
together with the accelerations. Here they are the residual of the interface rows.

There are two formulations. `consistent` follows from one Lagrangian: energy and momentum are conserved exactly, and
internal forces have no resultant. `published` is the form of the source: damping on absolute speeds, internal forces
in the rows of the airframe, inertia from nodal accelerations, and a hinge that transmits force but no moment.

The state integrates the work of each source: gear damping, struts, contact (losses and spring energy), moving
platforms, loads.
"""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import (
    Flow,
    Input,
    Method,
    OptionalParameter,
    Output,
    Parameter,
    State,
    Time,
    choice,
    kind,
    parameter,
)
from dovetail.core.errors import Fault, ParameterError
from dovetail.core.events import EventSteps
from dovetail.mechanics.airframe import contact_search, dynamics, implicit
from dovetail.mechanics.airframe.implicit import LEDGER
from dovetail.mechanics.airframe.modal_gear import ModalGear
from dovetail.mechanics.airframe.outcomes import DeckLimits
from dovetail.mechanics.airframe.skids import LandingGear
from dovetail.mechanics.airframe.struts import Strut
from dovetail.mechanics.bodies import BodyLoad, MassProperties
from dovetail.mechanics.collision import touched_surface
from dovetail.mechanics.collision.contact_force import PairTouch
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.dimension import Dimension, dimension
from dovetail.mechanics.friction import Friction, NoFriction
from dovetail.mechanics.securing.drive import CompliantDrive, accelerations, drive_faults
from dovetail.mechanics.securing.platform import Platform, motion_ends, platform_faults
from dovetail.mechanics.spatial import euler


@kind("deck-aircraft")
class DeckAircraft(Flow):
    """Aircraft with landing gear; positions are from the airframe's centre of mass.

    `airframe` has the mass properties without the gear.
    """

    airframe: MassProperties
    gear: LandingGear
    law: NormalLaw
    platforms: tuple[Platform, ...]
    friction: Friction = NoFriction()
    struts: tuple[Strut, ...] = ()
    loads: tuple[BodyLoad, ...] = ()
    drives: tuple[CompliantDrive, ...] = ()
    initial_pose: Parameter = parameter("1", "initial position [m] and angles [rad]", default=None)
    initial_velocity: OptionalParameter = parameter(
        "1", "initial velocity [m/s] and angular velocity [rad/s], world axes", default=None
    )
    initial_shape: OptionalParameter = parameter(
        "1", "initial deformation of the gear coordinates", default=None
    )
    gravity: Parameter = parameter("m/s^2", "acceleration of gravity", default=9.81, at_least=0.0)
    formulation: str = choice(
        "consistent",
        "published",
        about="formulation of the joint between gear and airframe",
        default="consistent",
    )
    touched_surface: str = choice(
        "last-crossed", "nearest", about="selection of the touched surface", default="last-crossed"
    )
    load_sampling: str = choice(
        "stage",
        "step",
        about="air loads are computed at every solver stage, or once per step and held",
        default="stage",
    )
    limits: DeckLimits = DeckLimits()
    built: Any = eqx.field(
        default=None, kw_only=True, repr=False
    )  # computed from the other fields; a value passed in is overwritten
    # entries of the state that only jumps change
    held: ClassVar[tuple[str, ...]] = (
        "inside",
        "touch",
        "impact_speed",
        "slip_speed",
        "last_time",
        "load",
        "initial_energy",
        "event_penetration",
        "event_time",
    )
    # dimensions of the recorded signals
    DIMS: ClassVar[dict[str, tuple[str, ...]]] = {
        "node_position": ("node", "axis"),
        "contact_force": ("foot", "axis"),
        "bristle_anchor": ("foot", "platform", "axis"),
        "pair_normal_force": ("foot", "platform"),
        "foot_penetration": ("foot",),
        "slip_speed": ("foot", "platform"),
        "platform_position": ("platform", "axis"),
        "platform_angle": ("platform",),
        "gear_wrench": ("interface_node", "freedom"),
        "air_wrench": ("freedom",),
        "work_by_source": ("ledger",),
        "drive_deflection": ("drive",),
    }

    def __post_init__(self) -> None:
        d = self.gear.places.shape[1]
        dim = dimension(d)
        model = self.gear.model(np.asarray(self.airframe.centre)[-d:], tuple(s.node - 1 for s in self.struts))
        if isinstance(model, ModalGear) and self.formulation == "published":
            raise ParameterError(
                "DeckAircraft.formulation: the published form needs all degrees of freedom; set gear.mode_count to 0"
            )
        size = model.nd + model.speed_size
        own = np.zeros((size, size))
        own[:d, :d] = float(self.airframe.mass) * np.eye(d)
        own[d : model.nd, d : model.nd] = np.asarray(self.airframe.inertia)[: dim.turns, : dim.turns]
        kinetic = own + model.mass_matrix("consistent")
        matrix = own + model.mass_matrix(self.formulation)
        self.built = {
            "model": model,
            "mass_matrix": matrix,
            "mass_inverse": np.linalg.inv(matrix),
            "kinetic": kinetic,
        }

    @property
    def model(self) -> Any:
        """Dynamics of the gear."""
        return self.built["model"]

    @property
    def mass_matrix(self) -> np.ndarray:
        """Mass matrix of the speeds, in the rows of the formulation."""
        matrix: np.ndarray = self.built["mass_matrix"]
        return matrix

    @property
    def mass_inverse(self) -> np.ndarray:
        """Inverse of the mass matrix."""
        matrix: np.ndarray = self.built["mass_inverse"]
        return matrix

    @property
    def kinetic(self) -> np.ndarray:
        """Matrix of the kinetic energy: twice the energy is a quadratic form of the speeds."""
        matrix: np.ndarray = self.built["kinetic"]
        return matrix

    # geometry

    @property
    def dim(self) -> Dimension:
        """Plane or space."""
        return dimension(self.model.d)

    @property
    def feet(self) -> tuple[int, ...]:
        """Contact nodes, counted from 0."""
        return self.gear.contact_nodes

    @property
    def inertia(self) -> jax.Array:
        """Inertia of the airframe without gear, (turns, turns)."""
        return self.airframe.inertia[: self.dim.turns, : self.dim.turns]

    @property
    def offset(self) -> jax.Array:
        """Centre of gravity in the axes of the input data, (d,)."""
        return self.airframe.centre[-self.dim.d :]

    @eqx.filter_jit  # without jit it takes seconds
    def init(self) -> dict[str, Any]:
        dim, model = self.dim, self.model
        start = jnp.zeros(dim.d + dim.turns) if self.initial_pose is None else self.initial_pose
        attitude = start[dim.d :] if dim.d == 2 else euler.to_quaternion(start[dim.d :])
        R = dim.rotation(attitude)
        moving = jnp.zeros(dim.d + dim.turns) if self.initial_velocity is None else self.initial_velocity
        spin = moving[dim.d :] if dim.d == 2 else R.T @ moving[dim.d :]
        twist = jnp.concatenate([R.T @ moving[: dim.d], spin])
        shape = jnp.zeros(model.shape_size) if self.initial_shape is None else self.initial_shape
        rho = model.nodes + model.displacement(shape)[:, : dim.d]
        own = jnp.zeros(model.speed_size)
        own = own - model.shape_rate(twist, own, rho)  # no deformation rate
        if isinstance(model, ModalGear):
            own = jnp.zeros(model.speed_size)
        x = {
            "position": start[: dim.d],
            "attitude": attitude,
            "shape": shape,
            "speed": jnp.concatenate([twist, own]),
            "bristle": self.friction.initial_bristles(len(self.feet), len(self.platforms), dim.d),
            "drive": jnp.zeros((len(self.drives), 2)),
            "work": jnp.zeros(len(LEDGER)),
        }
        inside, on = touched_surface.initial_surfaces(self._distances(0.0, x))
        x |= {
            "inside": inside,
            "touch": on,
            "impact_speed": jnp.zeros(on.shape[:2]),
            "slip_speed": jnp.zeros(on.shape[:2]),
            "last_time": jnp.zeros(()),
            "load": jnp.zeros(dim.d + dim.turns),
            "event_penetration": jnp.zeros(()),
            "event_time": jnp.full((), -1.0, float),
        }
        if self.load_sampling == "step":
            x["load"] = self._body_loads(0.0, x)
        return {**x, "initial_energy": self.energy(0.0, x)["total"]}

    def _split(self, x: dict[str, Any]) -> tuple[jax.Array, jax.Array]:
        nd = self.model.nd
        return x["speed"][:nd], x["speed"][nd:]

    def _nodes(self, x: dict[str, Any]) -> tuple[jax.Array, jax.Array, jax.Array]:
        return dynamics.nodes(self, x)

    def node_positions(self, x: dict[str, Any]) -> jax.Array:
        """Return the world coordinates of all nodes (n, d) [m]."""
        rho, _, _ = self._nodes(x)
        positions: jax.Array = x["position"] + rho @ self.dim.rotation(x["attitude"]).T
        return positions

    # contact and forces

    def _distances(self, t: Time, x: dict[str, Any]) -> jax.Array:
        return contact_search.distances(self, t, x)

    def touches(self, t: Any, x: dict[str, Any]) -> PairTouch:
        """Return the contact state of every pair of foot and platform."""
        return contact_search.touches(self, t, x)

    def _body_loads(self, t: Time, x: dict[str, Any]) -> jax.Array:
        return dynamics.body_loads(self, t, x)

    def _struts(self, rho: jax.Array, rate: jax.Array) -> list[jax.Array]:
        return dynamics.strut_forces(self, rho, rate)

    def _forces(self, t: Time, x: dict[str, Any]) -> tuple[jax.Array, jax.Array, PairTouch, jax.Array]:
        return dynamics.forces(self, t, x)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        dim, model = self.dim, self.model
        twist, own = self._split(x)
        F, powers, touch, _ = self._forces(t, x)
        rho = model.nodes + model.displacement(x["shape"])[:, : dim.d]
        R = dim.rotation(x["attitude"])
        on_bodies = -jnp.sum(touch.force, 0)
        pushed = accelerations(self.platforms, self.drives, t, x["drive"], on_bodies, self.gravity)
        return {
            "position": R @ twist[: dim.d],
            "attitude": dim.attitude_rate(x["attitude"], twist[dim.d :]),
            "shape": model.shape_rate(twist, own, rho),
            "speed": self.mass_inverse @ F,
            "bristle": touch.bristle_rate,
            "drive": jnp.stack([x["drive"][:, 1], pushed], 1),
            "work": powers,
            **{name: jnp.zeros_like(x[name]) for name in self.held},
        }

    # interface to implicit methods

    def scales(self) -> dict[str, Any]:
        """Return the scales of the step error: 1 cm, 0.1 m/s; for gear coordinates see `gear`."""
        dim, model = self.dim, self.model
        return {
            "position": jnp.full(dim.d, 1e-2),
            "attitude": jnp.full(dim.attitude, 1e-2),
            "shape": 1e-2 * jnp.asarray(model.sizes),
            "speed": jnp.concatenate([jnp.full(model.nd, 1e-1), jnp.asarray(model.sizes)]),
            "bristle": 1e-2 + self.friction.initial_bristles(len(self.feet), len(self.platforms), dim.d),
            "drive": jnp.full((len(self.drives), 2), 1e-2),
            "work": jnp.full(len(LEDGER), 1e9),
        }

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return contact_search.guards(self, t, x)

    def jump(self, t: Time, x: State, u: Input) -> State:
        return contact_search.jump(self, t, x)

    def time_rate(self, t: Any, x: dict[str, Any]) -> dict[str, Any]:
        """Return the partial derivative of the rates by time, for contact with moving platforms only."""
        return implicit.time_rate(self, t, x)

    def shifted_solver(self, t: Any, x: dict[str, Any], g: Any) -> Any:
        """Return a function that solves (1 - g J) k = b, with J exact for the stiff terms."""
        return implicit.shifted_solver(self, t, x, g)

    # output

    def energy(self, t: Any, x: dict[str, Any]) -> dict[str, jax.Array]:
        """Return kinetic and gravity energy, elastic energy of gear and struts, and their sum [J]."""
        return dynamics.energy(self, x)

    def output(self, t: Time, x: State, u: Input) -> Output:
        from dovetail.mechanics.airframe.recording import output_signals

        return output_signals(self, t, x)

    def measures(self, data: Any) -> dict[str, str]:
        """Return the results of a run as text."""
        from dovetail.mechanics.airframe.recording import measures

        return measures(self, data)

    def faults(self, method: Method, step: float) -> list[Fault]:
        """Return faults: platforms, drives, feet that start inside a platform, a method without contact events."""
        problems = platform_faults(self.platforms, self.dim.d)
        problems += drive_faults(self.platforms, self.drives, self.dim.d)
        if problems:
            return problems
        if self.touched_surface == "last-crossed" and not isinstance(method, EventSteps):
            text = 'needs a method with contact events: method = "contact-rosenbrock"'
            problems.append(Fault("method", text + ', or touched_surface = "nearest"'))
        gap = np.asarray(contact_search.gaps_at_start(self))
        deep = np.argwhere(gap < -1e-2)
        for foot, body in deep:
            text = f"foot {foot + 1} starts {-gap[foot, body]:.3g} m inside {self.platforms[body].name}"
            problems.append(
                Fault("numerical.initial_pose", text + "; raise the aircraft or move the platform")
            )
        return problems

    def time_faults(self, duration: float) -> list[Fault]:
        """Return faults of prescribed inputs that end before the run: platform motions, wind, rotor, pilot."""
        ends = motion_ends(self.platforms, duration)
        for i, load in enumerate(self.loads):
            if load.valid_until < duration - 1e-9:
                text = f"data end at {load.valid_until:g} s, the run at {duration:g} s; extend the tables"
                ends.append(Fault(f"numerical.loads.{i}", text))
        return ends
