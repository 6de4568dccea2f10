r"""The operating envelope: sea state by heading by wind over the deck, each point a minute on a moving deck.

Every point is the same ship, seed and aircraft; only sea state, heading of the waves and wind differ. It is computed
twice, free and held by the device: free tells what would happen (stands, rocks, slides, topples), held tells the load
that the device must bear. Points are computed in chunks that are kept on disk, so that a run that was interrupted goes
on where it stopped.
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
from dovetail.core import constant, count, kind, parameter
from dovetail.core.chunked import evaluate_in_chunks, fingerprint
from dovetail.core.name_lookup import risen
from dovetail.core.parameter_map import Chart
from dovetail.core.random import seeded
from dovetail.mechanics.airframe import DeckFeel, SprungAircraft, deck_feel
from dovetail.mechanics.airframe.reduced_aircraft import FALLEN
from dovetail.sea.response import BoxShip, ShipResponse
from dovetail.sea.seaway import Seaway
from dovetail.sea.spectrum import Bretschneider, sea_state

STANDS, ROCKS, SLIDES, TOPPLES = range(4)
FREE = ("stands", "rocks", "slides", "topples")
RISE = 5.0  # [s] over which sea and wind begin
AXES = ("sea_state", "heading", "wind_speed", "wind_from")


@kind("securing-envelope")
class SecuringEnvelope(Chart):
    """Load of a securing device and outcome over a grid of seas, headings and winds."""

    along: ClassVar[str] = "heading"

    body: SprungAircraft = SprungAircraft(plates=FlatPlates(area=(2.0, 2.0, 2.0), centre=(0.0, 0.0, -0.5)))
    response: ShipResponse = BoxShip()
    sea_states: jax.Array = parameter(
        "1", "sea states, 2 to 8", default=(3.0, 4.0, 5.0, 6.0, 7.0), at_least=2.0
    )
    headings: jax.Array = parameter("rad", "of the waves: 0 following, pi head sea", default=(np.pi / 2,))
    wind_speeds: jax.Array = parameter("m/s", "over the deck", default=(0.0,), at_least=0.0)
    wind_from: jax.Array = parameter("rad", "where the wind comes from, bow to starboard", default=(0.0,))
    speed: jax.Array = parameter("m/s", "of the ship", default=6.0, at_least=0.0)
    spot: jax.Array = parameter(
        "m", "landing spot, forward, port, up of the ship's origin", default=(-45.0, 0.0, 6.0)
    )
    strength: jax.Array = parameter("N", "load that a foot's clamp may bear", default=1000.0, above=0.0)
    slide_limit: jax.Array = parameter("m", "way that counts as sliding", default=0.1, above=0.0)
    lift_limit: jax.Array = parameter("m", "height of a foot that counts as rocking", default=0.01, above=0.0)
    duration: float = constant("s", "of a point", default=60.0, above=0.0)
    spacing: float = constant("s", "between two samples of the deck", default=0.05, above=0.0)
    substeps: int = count("integration steps between two samples", default=10, at_least=1)
    waves: int = count("waves of the sea", default=64, at_least=8)
    seed: int = count("of the sea", default=0)
    chunk: int = count("points computed at once", default=128, at_least=1)
    threads: int = count("chunks computed beside each other; 0: one for each core", default=0)
    store: str = eqx.field(default="", static=True)  # folder for finished chunks; empty: nothing is kept

    def points(self) -> dict[str, np.ndarray]:
        """All points of the grid, the last axis fastest."""
        axes = [np.ravel(a) for a in (self.sea_states, self.headings, self.wind_speeds, self.wind_from)]
        table = np.array(list(itertools.product(*axes)))
        return {name: table[:, i] for i, name in enumerate(AXES)}

    def seaway(self, state: jax.Array, heading: jax.Array) -> Seaway:
        """The ship in a sea state."""
        height, period, _ = sea_state(state)
        sea = Seaway(
            spectrum=Bretschneider(height=height, period=period),
            response=self.response,
            heading=heading,
            speed=self.speed,
            waves=self.waves,
            rise=RISE,
        )
        return seeded(sea, jax.random.key(self.seed))

    def feel(self, ship: Seaway, wind: jax.Array) -> DeckFeel:
        """What the spot feels over the whole duration, arrays (n, 3); the wind rises as the sea does."""
        t = self.spacing * jnp.arange(round(self.duration / self.spacing) + 1)
        share = risen(t, RISE)
        return jax.vmap(lambda t, a: deck_feel(ship, t, self.spot, a * wind, self.body.gravity))(t, share)

    def point(
        self, state: jax.Array, heading: jax.Array, speed: jax.Array, origin: jax.Array
    ) -> dict[str, jax.Array]:
        """Measures of one point."""
        feel = self.feel(self.seaway(state, heading), from_compass(speed, origin))
        run = partial(SprungAircraft.run, feel=feel, spacing=self.spacing, substeps=self.substeps)
        free, _ = run(eqx.tree_at(lambda b: b.secured, self.body, jnp.zeros(())))
        held, _ = run(eqx.tree_at(lambda b: b.secured, self.body, jnp.ones(())))
        outcome = jnp.where(free.lift > self.lift_limit, ROCKS, STANDS)
        outcome = jnp.where(free.way > self.slide_limit, SLIDES, outcome)
        outcome = jnp.where(free.tilt >= FALLEN, TOPPLES, outcome)
        level = jnp.sqrt(jnp.sum(feel.carrier.felt[:, :2] ** 2, 1)) / jnp.maximum(
            feel.carrier.felt[:, 2], 1e-3
        )
        return {
            "outcome": outcome,
            "securing_load": held.securing_load,
            "overloaded": (held.securing_load > self.strength).astype(int),
            "foot_load": held.foot_load,
            "way": free.way,
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

        got, found = evaluate_in_chunks(
            points, evaluation, size=self.chunk, store=store, threads=threads, progress=tell
        )
        axes = [np.ravel(a) for a in (self.sea_states, self.headings, self.wind_speeds, self.wind_from)]
        shape = [len(a) for a in axes]
        units = {
            "securing_load": "N",
            "foot_load": "N",
            "way": "m",
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
        return xr.Dataset(data, coordinates, {"outcomes": ", ".join(FREE), "chunks_resumed": found})

    def shown(self, data: xr.Dataset) -> xr.Dataset:
        """Over the heading: load by sea state, and by wind the sea in which it stands; both in the worst wind."""
        load = data.securing_load.max(("wind_speed", "wind_from"), keep_attrs=True)
        stands = (data.outcome.max("wind_from") == STANDS).astype(float).cumprod("sea_state")
        upto = (stands * data.sea_state).max("sea_state")
        load.attrs["long_name"] = "largest load of a foot's clamp where it is held, in the worst wind"
        upto.attrs = {
            "units": "1",
            "long_name": "highest sea state in which it stands free, in the worst direction of the wind; 0: in none",
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
        """By heading and wind: up to which sea state it stands free; by heading: what the device must bear."""
        heads = np.degrees(data.heading.values)
        outcome = data.outcome.max("wind_from")
        top = "  ".join(f"{h:4.0f}" for h in heads)
        lines = [
            "free: highest sea state up to which it stands, worst direction of the wind",
            f"wind [m/s]    {top}",
        ]
        for speed in data.wind_speed.values:
            stands = (outcome.sel(wind_speed=speed) == STANDS).values  # (sea state, heading)
            upto = np.cumprod(stands, 0).sum(0)
            words = ["none" if n == 0 else f"{data.sea_state.values[n - 1]:4.3g}" for n in upto]
            lines.append(f"{speed:>10.3g}    " + "  ".join(f"{w:>4}" for w in words))
        lines += [
            "held: largest load of a foot's clamp [N], worst wind; * beyond its strength",
            f"sea state     {top}",
        ]
        load = data.securing_load.max(("wind_speed", "wind_from")).values
        for i, state in enumerate(data.sea_state.values):
            row = "  ".join(f"{v:3.0f}{'*' if v > float(self.strength) else ' '}" for v in load[i])
            lines.append(f"{state:>9.3g}     {row}")
        counts = ", ".join(f"{int((data.outcome == i).sum())} {name}" for i, name in enumerate(FREE))
        over = int(data.overloaded.sum())
        lines.append(f"{data.outcome.size} points: free {counts}; held {over} overloaded")
        if data.attrs.get("chunks_resumed"):
            lines.append(f"{data.attrs['chunks_resumed']} chunks were there from an earlier run")
        return "\n".join(lines)
