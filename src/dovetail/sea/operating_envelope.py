r"""Operating envelope: sea state by heading by wind over the deck; each point simulates a minute on a moving deck.

All points use the same ship, seed and aircraft; only sea state, wave heading and wind differ. Each point is simulated
twice, free and secured. The free simulation gives the outcome (stands, rocks, slides, topples); the secured one gives
the load on the device. Points are computed in chunks that are saved to disk, so an interrupted computation continues
where it stopped.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.air.flat_plate import FlatPlates
from dovetail.air.wind import from_compass
from dovetail.core import Parameter, constant, count, kind, parameter
from dovetail.core.chunked import evaluate_in_chunks, fingerprint
from dovetail.core.interpolation import fade_in_factor
from dovetail.core.parameter_map import ParameterMap
from dovetail.core.random import assign_keys
from dovetail.mechanics.airframe import DeckMotion, ReducedAircraft, deck_motion
from dovetail.mechanics.airframe.reduced_aircraft import MAX_TILT
from dovetail.sea.response import BoxShip, ShipResponse
from dovetail.sea.seaway import Seaway
from dovetail.sea.spectrum import Bretschneider, sea_state

STANDS, ROCKS, SLIDES, TOPPLES = range(4)
FREE = ("stands", "rocks", "slides", "topples")
RISE = 5.0  # [s] time over which sea and wind build up
AXES = ("sea_state", "heading", "wind_speed", "wind_from")


@kind("securing-envelope")
class SecuringEnvelope(ParameterMap):
    """Load of a securing device and outcome over a grid of sea states, headings and winds."""

    line_coordinate: ClassVar[str] = "heading"

    body: ReducedAircraft = ReducedAircraft(plates=FlatPlates(area=(2.0, 2.0, 2.0), centre=(0.0, 0.0, -0.5)))
    response: ShipResponse = BoxShip()
    sea_states: Parameter = parameter(
        "1", "sea states, 2 to 8", default=(3.0, 4.0, 5.0, 6.0, 7.0), at_least=2.0
    )
    headings: Parameter = parameter("rad", "wave headings: 0 following, pi head sea", default=(np.pi / 2,))
    wind_speeds: Parameter = parameter("m/s", "wind speeds over the deck", default=(0.0,), at_least=0.0)
    wind_from: Parameter = parameter(
        "rad", "directions the wind comes from, from the bow to starboard", default=(0.0,)
    )
    speed: Parameter = parameter("m/s", "speed of the ship", default=6.0, at_least=0.0)
    landing_spot: Parameter = parameter(
        "m",
        "position of the landing spot from the ship's origin: forward, port, up",
        default=(-45.0, 0.0, 6.0),
    )
    strength: Parameter = parameter(
        "N", "largest allowed load of a foot's clamp", default=1000.0, above=0.0, finite=False
    )
    max_slip: Parameter = parameter("m", "slip above which the outcome is 'slides'", default=0.1, above=0.0)
    max_lift: Parameter = parameter(
        "m", "lift of a foot above which the outcome is 'rocks'", default=0.01, above=0.0
    )
    duration: float = constant("s", "simulated duration of each point", default=60.0, above=0.0)
    sample_time: float = constant("s", "sample time of the deck motion", default=0.05, above=0.0)
    substeps: int = count("integration steps per sample", default=10, at_least=1)
    wave_count: int = count("number of waves of the sea", default=64, at_least=8)
    seed: int = count("random seed of the sea", default=0)
    chunk: int = count("points computed in one batch", default=128, at_least=1)
    threads: int = count("number of chunks computed in parallel; 0: one per core", default=0)
    store: str = eqx.field(default="", static=True)  # folder for finished chunks; empty: no storage

    def points(self) -> dict[str, np.ndarray]:
        """All points of the grid, the last axis fastest."""
        axes = [np.ravel(a) for a in (self.sea_states, self.headings, self.wind_speeds, self.wind_from)]
        table = np.array(list(itertools.product(*axes)))
        return {name: table[:, i] for i, name in enumerate(AXES)}

    def seaway(self, state: jax.Array, heading: jax.Array) -> Seaway:
        """Return the ship in a sea state."""
        height, period, _ = sea_state(state)
        sea = Seaway(
            spectrum=Bretschneider(height=height, period=period),
            response=self.response,
            heading=heading,
            speed=self.speed,
            wave_count=self.wave_count,
            fade_in_time=RISE,
        )
        return assign_keys(sea, jax.random.key(self.seed))

    def deck_record(self, ship: Seaway, wind: jax.Array) -> DeckMotion:
        """Deck motion and wind at the landing spot over the duration, (n, 3); the wind builds up with the sea."""
        t = self.sample_time * jnp.arange(round(self.duration / self.sample_time) + 1)
        share = fade_in_factor(t, RISE)
        return jax.vmap(lambda t, a: deck_motion(ship, t, self.landing_spot, a * wind, self.body.gravity))(
            t, share
        )

    def point(
        self, state: jax.Array, heading: jax.Array, speed: jax.Array, origin: jax.Array
    ) -> dict[str, jax.Array]:
        """Measures of one point."""
        deck = self.deck_record(self.seaway(state, heading), from_compass(speed, origin))
        run = partial(ReducedAircraft.run, deck=deck, sample_time=self.sample_time, substeps=self.substeps)
        free, _ = run(eqx.tree_at(lambda b: b.secured, self.body, jnp.zeros(())))
        held, _ = run(eqx.tree_at(lambda b: b.secured, self.body, jnp.ones(())))
        outcome = jnp.where(free.lift > self.max_lift, ROCKS, STANDS)
        outcome = jnp.where(free.slip > self.max_slip, SLIDES, outcome)
        outcome = jnp.where(free.tilt >= MAX_TILT, TOPPLES, outcome)
        level = jnp.sqrt(jnp.sum(deck.moving_frame.specific_force[:, :2] ** 2, 1)) / jnp.maximum(
            deck.moving_frame.specific_force[:, 2], 1e-3
        )
        return {
            "outcome": outcome,
            "securing_load": held.securing_load,
            "overloaded": (held.securing_load > self.strength).astype(int),
            "foot_load": held.foot_load,
            "slip": free.slip,
            "lift": free.lift,
            "tilt": free.tilt,
            "load_angle": jnp.arctan(jnp.max(level)),
        }

    def compute(self, progress: Callable[[float, str], None] | None = None) -> xr.Dataset:
        """Measures over (sea_state, heading, wind_speed, wind_from)."""
        points = self.points()
        batch = eqx.filter_jit(eqx.filter_vmap(SecuringEnvelope.point, in_axes=(None, 0, 0, 0, 0)))

        def evaluation(part):
            return jax.block_until_ready(batch(self, *(jnp.asarray(part[name]) for name in AXES)))

        store = None
        if self.store:
            numbers = [
                getattr(self, f.name)
                for f in dataclasses.fields(self)
                if f.name not in ("store", "threads", "chunk")
            ]
            store = Path(self.store) / f"{fingerprint(numbers)}-{self.chunk}"
        threads = self.threads or os.cpu_count() or 1

        def tell(done: int, of: int) -> None:
            if progress is not None:
                progress(done / of, f"{min(done * self.chunk, len(points['heading']))} points")

        got, resumed = evaluate_in_chunks(
            points, evaluation, size=self.chunk, store=store, threads=threads, progress=tell
        )
        axes = [np.ravel(a) for a in (self.sea_states, self.headings, self.wind_speeds, self.wind_from)]
        shape = [len(a) for a in axes]
        units = {
            "securing_load": "N",
            "foot_load": "N",
            "slip": "m",
            "lift": "m",
            "tilt": "rad",
            "load_angle": "rad",
        }
        data = {
            name: (AXES, np.asarray(v).reshape(shape), {"units": units.get(name, "1")})
            for name, v in got.items()
        }
        marks = {"sea_state": "1", "heading": "rad", "wind_speed": "m/s", "wind_from": "rad"}
        coordinates = {name: (name, a, {"units": marks[name]}) for name, a in zip(AXES, axes, strict=True)}
        return xr.Dataset(data, coordinates, {"outcomes": ", ".join(FREE), "chunks_resumed": resumed})

    def figure_data(self, data: xr.Dataset) -> xr.Dataset:
        """Over heading: clamp load by sea state, highest sea state that stands by wind; worst wind direction."""
        load = data.securing_load.max(("wind_speed", "wind_from"), keep_attrs=True)
        stands = (data.outcome.max("wind_from") == STANDS).astype(float).cumprod("sea_state")
        upto = (stands * data.sea_state).max("sea_state")
        load.attrs["long_name"] = "largest clamp load of a foot when secured, worst wind direction"
        upto.attrs = {
            "units": "1",
            "long_name": "highest sea state in which the free aircraft stands, worst wind direction; 0: none",
        }
        degrees = ("heading", np.degrees(data.heading.values), {"units": "deg"})
        seas = [f"sea state {v:g}" for v in data.sea_state.values]
        winds = [f"wind {v:g} m/s" for v in data.wind_speed.values]
        return xr.Dataset(
            {
                "securing_load": load.assign_coords(heading=degrees, sea_state=seas),
                "sea_state_it_stands": upto.assign_coords(heading=degrees, wind_speed=winds),
            }
        )

    def summary(self, data: xr.Dataset) -> str:
        """Summary table: highest sea state for the free aircraft by heading and wind, and clamp loads by heading."""
        heads = np.degrees(data.heading.values)
        outcome = data.outcome.max("wind_from")
        top = "  ".join(f"{h:4.0f}" for h in heads)
        lines = [
            "free: highest sea state in which the aircraft stands, worst wind direction",
            f"wind [m/s]    {top}",
        ]
        for speed in data.wind_speed.values:
            stands = (outcome.sel(wind_speed=speed) == STANDS).values  # (sea state, heading)
            upto = np.cumprod(stands, 0).sum(0)
            words = ["none" if n == 0 else f"{data.sea_state.values[n - 1]:4.3g}" for n in upto]
            lines.append(f"{speed:>10.3g}    " + "  ".join(f"{w:>4}" for w in words))
        lines += [
            "secured: largest clamp load of a foot [N], worst wind; * exceeds the strength",
            f"sea state     {top}",
        ]
        load = data.securing_load.max(("wind_speed", "wind_from")).values
        for i, state in enumerate(data.sea_state.values):
            row = "  ".join(f"{v:3.0f}{'*' if v > float(self.strength) else ' '}" for v in load[i])
            lines.append(f"{state:>9.3g}     {row}")
        counts = ", ".join(f"{int((data.outcome == i).sum())} {name}" for i, name in enumerate(FREE))
        over = int(data.overloaded.sum())
        lines.append(f"{data.outcome.size} points: free {counts}; secured: {over} overloaded")
        if data.attrs.get("chunks_resumed"):
            lines.append(f"{data.attrs['chunks_resumed']} chunks loaded from an earlier run")
        return "\n".join(lines)
