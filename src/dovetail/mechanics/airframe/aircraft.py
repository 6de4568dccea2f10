r"""An aircraft with a flexible gear among moving bodies: free rigid airframe, gear, struts, contact, loads.

Speeds :math:`u = (\xi, \nu)` follow from :math:`\mathcal M\dot u = F`, assembled by Kane's method
[Schock 2020, ch. 5]; :math:`\mathcal M` is constant (see `gear`). The interface forces, which the source solves for
together with the accelerations, are what is left of the interface rows.

Two formulations. `consistent` follows from one Lagrangian: energy and momentum are kept exactly, inner forces do not
act on the whole. `printed` is the source's: damping on absolute speeds, inner forces in the rows of the airframe,
inertia by nodal accelerations, and a hinge that passes force but no moment to the airframe.

The state holds a ledger of work: gear damping, struts, contact (losses and what springs hold), moving bodies, loads.
"""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Flow, Method, choice, kind, parameter
from dovetail.core.errors import Fault, ParameterError
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
from dovetail.mechanics.securing.drive import Drive, accelerations, drive_faults
from dovetail.mechanics.securing.platform import Platform, motion_ends, platform_faults
from dovetail.mechanics.spatial import euler


@kind("deck-aircraft")
class DeckAircraft(Flow):
    """The whole. Its airframe is a body without its gear, whose `centre` is where everything else is counted from."""

    airframe: MassProperties
    gear: LandingGear
    law: NormalLaw
    platforms: tuple[Platform, ...]
    friction: Friction = NoFriction()
    struts: tuple[Strut, ...] = ()
    loads: tuple[BodyLoad, ...] = ()
    drives: tuple[Drive, ...] = ()
    start: jax.Array = parameter("1", "position [m] and angles [rad] at the start", default=None)
    start_velocity: jax.Array | None = parameter(
        "1", "velocity [m/s] and rates [rad/s], world axes", default=None
    )
    start_shape: jax.Array | None = parameter("1", "deformation of the gear's coordinates", default=None)
    gravity: jax.Array = parameter("m/s^2", "acceleration of gravity", default=9.81, at_least=0.0)
    formulation: str = choice(
        "consistent", "printed", about="of the joint of gear and airframe", default="consistent"
    )
    surfaces: str = choice(
        "last-crossed", "nearest", about="how the touched surface is found", default="last-crossed"
    )
    load_sampling: str = choice(
        "stage",
        "step",
        about="how often air loads are computed: at every stage, or held over a step",
        default="stage",
    )
    limits: DeckLimits = DeckLimits()
    built: Any = eqx.field(default=None, kw_only=True, repr=False)  # follows from the rest, whatever is given
    # what the numbers of a record belong to
    DIMS: ClassVar[dict[str, tuple[str, ...]]] = {
        "node_position": ("node", "axis"),
        "contact_force": ("foot", "axis"),
        "contact_point": ("foot", "platform", "axis"),
        "pair_normal_force": ("foot", "platform"),
        "penetration": ("foot",),
        "slip": ("foot", "platform"),
        "platform_position": ("platform", "axis"),
        "platform_angle": ("platform",),
        "interface_load": ("interface_node", "freedom"),
        "load_wrench": ("freedom",),
        "work_ledger": ("ledger",),
        "solver_count": ("counted",),
        "drive_way": ("drive",),
    }

    def __post_init__(self):
        d = self.gear.places.shape[1]
        dim = dimension(d)
        model = self.gear.model(np.asarray(self.airframe.centre)[-d:], tuple(s.node - 1 for s in self.struts))
        if isinstance(model, ModalGear) and self.formulation == "printed":
            raise ParameterError(
                "DeckAircraft.formulation: the printed form needs all freedoms; set gear.modes to 0"
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
        """The gear's dynamics."""
        return self.built["model"]

    @property
    def mass_matrix(self) -> np.ndarray:
        """Of the speeds, in the rows of the formulation."""
        return self.built["mass_matrix"]

    @property
    def mass_inverse(self) -> np.ndarray:
        """Of the mass matrix."""
        return self.built["mass_inverse"]

    @property
    def kinetic(self) -> np.ndarray:
        """Twice the kinetic energy as a form of the speeds."""
        return self.built["kinetic"]

    # geometry

    @property
    def dim(self) -> Dimension:
        """Plane or space."""
        return self.model.dim

    @property
    def feet(self) -> tuple[int, ...]:
        """Nodes that can touch, counted from 0."""
        return self.gear.contact_nodes

    @property
    def inertia(self) -> jax.Array:
        """Of the airframe alone, (turns, turns)."""
        return self.airframe.inertia[: self.dim.turns, : self.dim.turns]

    @property
    def offset(self) -> jax.Array:
        """Centre of gravity in the axes of the data, (d,)."""
        return self.airframe.centre[-self.dim.d :]

    @eqx.filter_jit  # piece by piece it takes seconds
    def init(self) -> dict[str, Any]:
        dim, model = self.dim, self.model
        start = jnp.zeros(dim.d + dim.turns) if self.start is None else self.start
        attitude = start[dim.d :] if dim.d == 2 else euler.to_quaternion(start[dim.d :])
        R = dim.rotation(attitude)
        moving = jnp.zeros(dim.d + dim.turns) if self.start_velocity is None else self.start_velocity
        spin = moving[dim.d :] if dim.d == 2 else R.T @ moving[dim.d :]
        twist = jnp.concatenate([R.T @ moving[: dim.d], spin])
        shape = jnp.zeros(model.shape_size) if self.start_shape is None else self.start_shape
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
            "bristle": self.friction.memory(len(self.feet), len(self.platforms), dim.d),
            "drive": jnp.zeros((len(self.drives), 2)),
            "work": jnp.zeros(len(LEDGER)),
        }
        inside, on = touched_surface.started(self._distances(0.0, x))
        held = {
            "inside": inside,
            "touch": on,
            "impact": jnp.zeros(on.shape[:2]),
            "slid": jnp.zeros(on.shape[:2]),
            "time": jnp.zeros(()),
            "load": jnp.zeros(dim.d + dim.turns),
            "count": jnp.zeros(3),
            "energy": jnp.zeros(()),
            "event_depth": jnp.zeros(()),
            "event_time": jnp.full((), -1.0, float),
        }
        x = {**x, "held": held}  # type: ignore[dict-item]  # a state within a state
        load = self._body_loads(0.0, x) if self.load_sampling == "step" else held["load"]
        return {**x, "held": {**held, "energy": self.energy(0.0, x)["total"], "load": load}}

    def _split(self, x):
        nd = self.model.nd
        return x["speed"][:nd], x["speed"][nd:]

    def _nodes(self, x):
        return dynamics.nodes(self, x)

    def node_positions(self, x: dict[str, Any]) -> jax.Array:
        """World coordinates of all nodes (n, d) [m]."""
        rho, _, _ = self._nodes(x)
        return x["position"] + rho @ self.dim.rotation(x["attitude"]).T

    # contact and forces

    def _distances(self, t, x):
        return contact_search.distances(self, t, x)

    def touches(self, t: Any, x: dict[str, Any]) -> PairTouch:
        """What happens at every pair of foot and body."""
        return contact_search.touches(self, t, x)

    def _body_loads(self, t, x):
        return dynamics.body_loads(self, t, x)

    def _struts(self, rho, rate):
        return dynamics.strut_forces(self, rho, rate)

    def _forces(self, t, x):
        return dynamics.forces(self, t, x)

    def derivative(self, t, x, u):
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
            "held": jax.tree.map(jnp.zeros_like, x["held"]),
        }

    # what an implicit method asks

    def scales(self) -> dict[str, Any]:
        """Sizes that count as one for the error of a step: a centimetre, a tenth of a metre a second; see `gear`."""
        dim, model = self.dim, self.model
        return {
            "position": jnp.full(dim.d, 1e-2),
            "attitude": jnp.full(dim.attitude, 1e-2),
            "shape": 1e-2 * jnp.asarray(model.sizes),
            "speed": jnp.concatenate([jnp.full(model.nd, 1e-1), jnp.asarray(model.sizes)]),
            "bristle": 1e-2 + self.friction.memory(len(self.feet), len(self.platforms), dim.d),
            "drive": jnp.full((len(self.drives), 2), 1e-2),
            "work": jnp.full(len(LEDGER), 1e9),
            "held": None,
        }

    def guards(self, t: Any, x: dict[str, Any]) -> jax.Array:
        """Gap of each pair [m], with the sign turned where they touch: negative means that this must change."""
        return contact_search.guards(self, t, x)

    def settled(self, t: Any, x: dict[str, Any]) -> dict[str, Any]:
        """The state after an accepted step: touched surfaces, impact speeds, anchors of the bristles."""
        return contact_search.settled(self, t, x)

    def time_rate(self, t: Any, x: dict[str, Any]) -> dict[str, Any]:
        """Partial derivative of the rates with respect to time, as far as contact with moving bodies causes it."""
        return implicit.time_rate(self, t, x)

    def shifted(self, t: Any, x: dict[str, Any], g: Any) -> Any:
        """A function that solves (1 - g J) k = b, with J exact for all that is stiff."""
        return implicit.shifted(self, t, x, g)

    # what it shows

    def energy(self, t: Any, x: dict[str, Any]) -> dict[str, jax.Array]:
        """Kinetic, gravity, elastic energy of gear and struts [J], and their sum."""
        return dynamics.energy(self, x)

    def output(self, t, x, u):
        from dovetail.mechanics.airframe.recording import recorded

        return recorded(self, t, x)

    def measures(self, data: Any) -> dict[str, str]:
        """What a run showed, in words."""
        from dovetail.mechanics.airframe.recording import measures

        return measures(self, data)

    def faults(self, method: Method, step: float) -> list[Fault]:
        """What is wrong with the whole: platforms, a start inside a body, a method that cannot see contact."""
        problems = platform_faults(self.platforms, self.dim.d)
        problems += drive_faults(self.platforms, self.drives, self.dim.d)
        if problems:
            return problems
        if self.surfaces == "last-crossed" and not method.contact:
            text = 'a method that keeps account of contacts is needed: method = "contact-rosenbrock"'
            problems.append(Fault("method", text + ', or surfaces = "nearest"'))
        gap = np.asarray(contact_search.gaps_at_start(self))
        deep = np.argwhere(gap < -1e-2)
        for foot, body in deep:
            text = (
                f"foot {foot + 1} is {-gap[foot, body]:.3g} m inside {self.platforms[body].name} at the start"
            )
            problems.append(Fault("system.start", text + "; lift the aircraft or move the body"))
        return problems

    def time_faults(self, duration: float) -> list[Fault]:
        """What of the prescribed ends before the run does: motions of platforms, wind, rotor, pilot."""
        ends = motion_ends(self.platforms, duration)
        for i, load in enumerate(self.loads):
            if load.ends < duration - 1e-9:
                text = f"is given until {load.ends:g} s, the run lasts {duration:g} s; make its tables longer"
                ends.append(Fault(f"system.loads.{i}", text))
        return ends
