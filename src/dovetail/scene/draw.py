"""A stage as a picture: solids in light and shade before sky, sea or space, by numpy alone.

The same stage that a browser shows is drawn here for films and for the pages on runs. Light comes from one side, is
softened by the sky, and casts shadows where there is a ground to cast them on; translucent bodies are laid over the
others from far to near. What is drawn is `fine` times as large as what is asked for, and then made smaller, so that
edges are smooth.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dovetail.scene.cameras import usual
from dovetail.scene.lettering import Lettering
from dovetail.scene.polylines import DOT, LEAST, links, rgb, segments
from dovetail.scene.raster import Camera, clipped, fragments, nearest, plane
from dovetail.scene.scene import Arrow, Stage, outline
from dovetail.scene.shapes import Triangles, ellipsoid, joined, lathe, link, rod

NEAR = 1e-3  # of the distance to the target: what is nearer is cut away
MAP = 900  # pixels of the map of shadows, each way
DARK = 0.62  # of the light that is left in a shadow
BEHIND = {  # colours: overhead, above the horizon, below it, far below
    "room": ((214, 221, 228), (243, 245, 247), (236, 239, 242), (205, 211, 217)),
    "sky": ((86, 144, 204), (214, 230, 243), (205, 219, 231), (138, 166, 190)),
    "sea": ((96, 152, 210), (212, 227, 240), (150, 182, 208), (38, 92, 136)),
    "space": ((6, 9, 18), (14, 19, 34), (14, 19, 34), (24, 30, 48)),
}
STEEPER = 4.0  # times: slopes of a surface in the light, so that low waves are seen
HEIGHTS = 4096  # of a ray over the horizon, to each side, that have a colour of their own
STEPS = 170  # of light, in hundredths of a colour's own brightness
Raster = np.ndarray  # a number for each pixel, row by row, or for some of them
SHADED = ("room", "sea")  # where there is a ground


class Bits(NamedTuple):
    """Triangles of one look: corners (n, 3, 3) [m], light at each corner (n, 3), a colour (n, 3) each."""

    corners: np.ndarray
    light: np.ndarray
    colour: np.ndarray


class Studio:
    """One stage, ready to be drawn at any sample."""

    def __init__(
        self, stage: Stage, wide: int = 1280, tall: int = 720, fine: float = 1.5, letters: int | None = None
    ):
        self.stage, self.wide, self.tall = stage, wide, tall
        self.size = (round(wide * fine), round(tall * fine))
        self.usual = usual(stage, wide / tall)
        right, down, ahead = self.usual.axes
        sun = 1.0 * self.usual.up - 0.35 * right - 0.45 * ahead
        self.sun = sun / np.linalg.norm(sun)
        every = outline(stage)
        self.low, self.high = every.min(axis=0), every.max(axis=0)
        self.solids = [_prepared(solid.mesh) for solid in stage.solids]
        self.link, self.arrow, self.dot = (_prepared(mesh) for mesh in (link(), ARROW, ellipsoid(3 * (DOT,))))
        self.lettering = Lettering(stage, wide, tall, letters)
        self._sky: tuple[bytes, np.ndarray] | None = None

    def draw(self, k: int, camera: Camera | None = None, words: bool = True) -> Any:
        """The picture (an image of PIL) at sample k, seen from the stage's own eye or from another."""
        from PIL import Image

        camera = self.usual if camera is None else camera
        wide, tall = self.size
        picture = self._behind(camera).copy()
        inverse, face = np.zeros(wide * tall, np.float32), np.full(wide * tall, -1, np.int32)
        solid, glass = self._bits(k, camera)
        self._lay(camera, solid, picture, inverse, face)
        for bits, opacity in glass:
            self._glaze(camera, bits, opacity, picture, inverse)
        flat = picture.view(np.uint8).reshape(tall, wide, 4)
        image = Image.fromarray(flat, "RGBX").convert("RGB")
        image = image.resize((self.wide, self.tall), Image.Resampling.BOX)
        return self.lettering.write(image, k, camera) if words else image

    # what there is

    def _bits(self, k: int, camera: Camera) -> tuple[Bits, list[tuple[Bits, float]]]:
        """Everything at sample k: what hides what is behind it, and what does not, from far to near."""
        whole, glass = [], []
        for solid, (mesh, normals) in zip(self.stage.solids, self.solids, strict=True):
            if solid.name == "sea":
                continue  # behind everything
            R, p = solid.pose(k)
            stretch = np.array([1.0 if solid.stretch is None else solid.stretch(k), 1.0, 1.0])
            corners = (mesh.vertices * stretch) @ R.T + p
            bits = self._lit(camera, corners[mesh.faces], (normals @ R.T)[mesh.faces], solid.colour)
            if solid.opacity < 1:
                far = float(np.linalg.norm(corners.mean(axis=0) - camera.eye))
                glass.append((far, bits, solid.opacity))
            else:
                whole.append(bits)
        for surface in self.stage.surfaces:
            mesh, normals = _prepared(Triangles(surface.points(k), surface.faces))
            steep = normals + (STEEPER - 1) * (normals - np.outer(normals @ self.usual.up, self.usual.up))
            steep /= np.linalg.norm(steep, axis=1, keepdims=True)
            whole.append(self._lit(camera, mesh.vertices[mesh.faces], steep[mesh.faces], surface.colour))
        for tube in self.stage.tubes:
            turns, places, stretches = links(tube.points(k), tube.radius)
            mesh, normals = self.link
            R = _matrices(turns)
            at = np.einsum("nij,nvj->nvi", R, mesh.vertices * stretches[:, None]) + places[:, None]
            n = np.einsum("nij,vj->nvi", R, normals)
            whole.append(
                self._lit(
                    camera,
                    at[:, mesh.faces].reshape(-1, 3, 3),
                    n[:, mesh.faces].reshape(-1, 3, 3),
                    tube.colour,
                )
            )
        reach = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        for arrow in self.stage.arrows:
            whole += self._arrow(camera, arrow, k, 0.03 * reach)
        for line in self.stage.lines:
            whole.append(
                self._ribbon(camera, segments(line.points(k)), line.width, rgb(line.colour, line.ghost))
            )
        glass.sort(key=lambda found: -found[0])
        return _together(whole), [(bits, opacity) for _, bits, opacity in glass]

    def _lit(self, camera: Camera, corners: np.ndarray, normals: np.ndarray, colour: str) -> Bits:
        """Triangles in the light: from the sun, from the sky above, and a little mirrored; both sides are seen."""
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        away = np.sum(across * (corners[:, 0] - camera.eye), axis=1) > 0
        n = np.where(away[:, None, None], -normals, normals)
        sun = np.maximum(n @ self.sun, 0.0)
        sky = 0.5 + 0.5 * (n @ self.usual.up)
        view = camera.eye - corners
        half = view / np.maximum(np.linalg.norm(view, axis=-1, keepdims=True), 1e-12) + self.sun
        half /= np.maximum(np.linalg.norm(half, axis=-1, keepdims=True), 1e-12)
        mirrored = np.maximum(np.sum(n * half, axis=-1), 0.0) ** 40
        light = 0.36 + 0.26 * sky + 0.5 * sun + 0.22 * mirrored * (sun > 0)
        return Bits(corners, light, np.broadcast_to(np.asarray(rgb(colour), np.float32), (len(corners), 3)))

    def _arrow(self, camera: Camera, arrow: Arrow, k: int, head: float) -> list[Bits]:
        """A force as a shaft and a head, never shorter than that, and a dot where bodies touch."""
        vector = np.asarray(arrow.vector(k), float)
        size = arrow.length * float(np.linalg.norm(vector))
        if not size > LEAST * head:
            return []
        R = _matrices(links(np.stack([np.zeros(3), vector])[None], 1.0)[0])[0]
        size = max(size, head)
        mesh, normals = self.arrow
        shaft = mesh.vertices[:, 0] < 0.5  # of the unit arrow, whose head begins at one
        at = mesh.vertices * [head, head, head]
        at[:, 0] += np.where(shaft, 0.0, size - 2 * head)
        at = at @ R.T + np.asarray(arrow.at(k), float)
        drawn = [self._lit(camera, at[mesh.faces], (normals @ R.T)[mesh.faces], arrow.colour)]
        if arrow.contact is not None:
            mesh, normals = self.dot
            at = head * mesh.vertices + np.asarray(arrow.contact(k), float)
            drawn.append(self._lit(camera, at[mesh.faces], normals[mesh.faces], arrow.colour))
        return drawn

    def _ribbon(self, camera: Camera, pieces: np.ndarray, width: float, colour: Sequence[int]) -> Bits:
        """Pieces (n, 2, 3) as bands that face the eye, so many pixels of the picture wide."""
        a, b = np.asarray(pieces, float)[:, 0], np.asarray(pieces, float)[:, 1]
        side = np.cross(b - a, (a + b) / 2 - camera.eye)
        side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
        half = 0.4 * width / camera.focal(self.tall)
        wa, wb = (half * np.maximum(camera.seen(p)[:, 2], 0.0)[:, None] * side for p in (a, b))
        corners = np.concatenate(
            [np.stack([a - wa, a + wa, b - wb], axis=1), np.stack([a + wa, b + wb, b - wb], axis=1)]
        )
        return Bits(
            corners,
            np.ones((len(corners), 3)),
            np.broadcast_to(np.asarray(colour, np.float32), (len(corners), 3)),
        )

    # what is seen of it

    def _projected(self, camera: Camera, bits: Bits) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Triangles on the raster, the light at their corners as planes, and their colours."""
        reach = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        seen, light, origin = clipped(camera.seen(bits.corners), bits.light, NEAR * reach)
        corners = camera.on_raster(seen, *self.size)
        lit = plane(corners, light)
        lit[:, 0] += 0.5 * (lit[:, 1] + lit[:, 2])  # at the middle of a pixel
        return corners, lit.astype(np.float32), bits.colour[origin]

    def _lay(self, camera: Camera, bits: Bits, picture: Raster, inverse: Raster, face: Raster) -> None:
        """Paint what hides what is behind it."""
        corners, light, colour = self._projected(camera, bits)
        nearest(fragments(corners, *self.size), inverse, face)
        shown = np.flatnonzero(face >= 0)
        bright = self._brightness(light, face[shown], shown)
        if self.stage.setting in SHADED:
            bright *= self._shade(camera, bits, inverse, face)[shown]
        picture[shown] = _painted(colour, face[shown], bright)

    def _glaze(self, camera: Camera, bits: Bits, opacity: float, picture: Raster, inverse: Raster) -> None:
        """Lay something translucent over what is there, its nearest side only."""
        corners, light, colour = self._projected(camera, bits)
        found = fragments(corners, *self.size)
        before = found.inverse > inverse[found.pixel]
        found = type(found)(*(part[before] for part in found))
        own, face = np.zeros(len(inverse), np.float32), np.full(len(inverse), -1, np.int32)
        nearest(found, own, face)
        shown = np.flatnonzero(face >= 0)
        paint = _painted(colour, face[shown], self._brightness(light, face[shown], shown))
        there, over = (pixels.view(np.uint8).astype(np.float32) for pixels in (picture[shown], paint))
        picture[shown] = (there + opacity * (over - there)).astype(np.uint8).view(np.uint32)

    def _brightness(self, light: Raster, face: Raster, pixel: Raster) -> Raster:
        row, column = np.divmod(pixel.astype(np.int32), np.int32(self.size[0]))
        begin, by_column, by_row = (part[face] for part in light.T.copy())
        by_column *= column
        by_row *= row
        begin += by_column
        begin += by_row
        return begin

    def _shade(self, camera: Camera, bits: Bits, inverse: Raster, face: Raster) -> Raster:
        """Share of the light that reaches each pixel: less where something stands before the sun.

        The nearest thing to the sun is found on a map of its own; pixels are asked for every second row and column.
        """
        middle, reach = (self.low + self.high) / 2, 0.75 * float(np.linalg.norm(self.high - self.low))
        from_sun = Camera(middle + self.sun, middle, np.roll(np.abs(self.sun), 1), 90.0).axes
        corners = (bits.corners - middle) @ from_sun.T
        placed = corners[np.all(np.abs(corners) < reach, axis=(1, 2))]
        scale = 0.5 * MAP / reach
        placed = np.stack(
            [scale * placed[..., 0] + MAP / 2, scale * placed[..., 1] + MAP / 2, 2 * reach - placed[..., 2]],
            axis=-1,
        )
        depth = np.zeros(MAP * MAP, np.float32)
        found = fragments(placed, MAP, MAP)
        np.maximum.at(depth, found.pixel, found.inverse)
        # places of the pixels, seen from the sun: affine in column and row, times the distance
        wide, tall = self.size
        rays = camera.axes @ from_sun.T / camera.focal(tall)
        rays[2] *= camera.focal(tall)
        few = inverse.reshape(tall, wide)[::2, ::2]
        x = np.arange(0, wide, 2, dtype=np.float32) + np.float32(0.5 - wide / 2)
        y = np.arange(0, tall, 2, dtype=np.float32) + np.float32(0.5 - tall / 2)
        start, far = (camera.eye - middle) @ from_sun.T, 1 / np.maximum(few, np.float32(1e-9))
        rays, start = rays.astype(np.float32), start.astype(np.float32)
        u, v, w = (
            start[i] + far * (x[None] * rays[0, i] + (y * rays[1, i] + rays[2, i])[:, None]) for i in range(3)
        )
        inside = np.flatnonzero((np.abs(u) < reach) & (np.abs(v) < reach) & (few > 0))
        u, v, w = u.ravel()[inside], v.ravel()[inside], w.ravel()[inside]
        cell = (scale * v + MAP / 2).astype(np.int32) * MAP + (scale * u + MAP / 2).astype(np.int32)
        hidden = depth[cell.clip(0, MAP * MAP - 1)] > 2 * reach - w + np.float32(0.012 * reach)
        share = np.ones(few.size, np.float32)
        share[inside[hidden]] = DARK
        return np.repeat(np.repeat(share.reshape(few.shape), 2, axis=0)[:tall], 2, axis=1)[:, :wide].ravel()

    def _behind(self, camera: Camera) -> np.ndarray:
        """Sky and what is below it, by the height of each ray over the horizon; the same while the camera stands."""
        key = np.concatenate([camera.eye, camera.target]).tobytes()
        if self._sky is not None and self._sky[0] == key:
            return self._sky[1]
        wide, tall = self.size
        f = camera.focal(tall)
        right, down, ahead = camera.axes @ camera.up
        x, y = (np.arange(wide) + 0.5 - wide / 2) / f, (np.arange(tall) + 0.5 - tall / 2) / f
        length = np.sqrt(1 + x[None] ** 2 + y[:, None] ** 2)
        height = ((ahead + y * down)[:, None] + (x * right)[None]) / length
        whole = sky(self.stage.setting)[np.rint((height + 1) * HEIGHTS).astype(np.int32)].ravel()
        if self.stage.setting == "space":
            spots = np.random.default_rng(7).integers(0, wide * tall, 240)
            whole[spots] = np.array([170, 170, 170, 0], np.uint8).view(np.uint32)
        self._sky = (key, whole)
        return self._sky[1]


@cache
def sky(setting: str) -> np.ndarray:
    """Colours (as pixels are kept) by the height of a ray over the horizon, from straight down to straight up."""
    height = np.linspace(-1.0, 1.0, 2 * HEIGHTS + 1)[:, None]
    overhead, above, below, deep = (np.asarray(colour, float) for colour in BEHIND[setting])
    up, under = np.clip(height, 0, 1) ** 0.6, np.clip(-3.5 * height, 0, 1) ** 0.7
    shown = np.where(height >= 0, above + up * (overhead - above), below + under * (deep - below))
    return np.concatenate([shown, 0 * height], axis=1).astype(np.uint8).view(np.uint32).ravel()


ARROW = joined(  # two heads long, one thick: stretched at the foot of its head
    rod(0.2, 1.0, 12),
    lathe([(1.0, 0.0), (1.0, 0.5), (2.0, 0.0)], 16),
)


def _prepared(mesh: Triangles) -> tuple[Triangles, np.ndarray]:
    """A mesh, and the normals of its vertices: means over the triangles that share one, by their area."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(mesh.vertices)
    for i in range(3):
        np.add.at(normals, mesh.faces[:, i], across)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    return mesh, normals / np.maximum(size, 1e-300)


def _painted(colour: Raster, face: Raster, bright: Raster) -> Raster:
    """Colours in the light, four bytes each, of pixels by their triangle; what is brighter than itself goes to white.

    There are few colours, and light in steps of a hundredth is fine enough: the rest is looked up.
    """
    packed, which = np.unique(colour.astype(np.int32) @ (65536, 256, 1), return_inverse=True)
    few = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1)
    light = np.arange(STEPS) / 100
    dim, over = np.minimum(light, 1.0)[:, None], np.clip(light - 1.0, 0.0, 0.6)[:, None]
    table = np.zeros((len(few), STEPS, 4), np.uint8)
    lit = few[:, None] * dim
    table[..., :3] = lit + over * (255 - lit)
    step = np.clip(100 * bright + 0.5, 0, STEPS - 1).astype(np.int32)
    step += (STEPS * which.ravel().astype(np.int32))[face]
    return table.view(np.uint32).ravel()[step]


def _matrices(wxyz: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(wxyz, scalar_first=True).as_matrix()


def _together(parts: Sequence[Bits]) -> Bits:
    if not parts:
        return Bits(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3), np.float32))
    return Bits(*(np.concatenate(same) for same in zip(*parts, strict=True)))
