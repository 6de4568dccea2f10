"""Renderer of scenes in numpy: images with light, shadows and background, for videos and reports.

Directional light and light from the sky; shadows only in scenes with a ground. Translucent bodies are drawn last, from
far to near. Images are rendered `fine` times as large and reduced, which smooths the edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from dovetail.scene.cameras import usual
from dovetail.scene.lettering import Lettering
from dovetail.scene.polylines import DOT, LEAST, links, rgb, segments
from dovetail.scene.raster import Camera, clip_triangles, fragments, nearest, plane
from dovetail.scene.scene import Arrow, Scene, outline
from dovetail.scene.shapes import Triangles, ellipsoid, lathe, merge, rod, tube_piece

NEAR = 1e-3  # fraction of the distance to the target: nearer surfaces are clipped
MAP = 900  # [px] size of the shadow map
DARK = 0.62  # fraction of the light in a shadow
BEHIND = {  # colours: overhead, above the horizon, below it, far below
    "room": ((214, 221, 228), (243, 245, 247), (236, 239, 242), (205, 211, 217)),
    "sky": ((86, 144, 204), (214, 230, 243), (205, 219, 231), (138, 166, 190)),
    "sea": ((96, 152, 210), (212, 227, 240), (150, 182, 208), (38, 92, 136)),
    "space": ((6, 9, 18), (14, 19, 34), (14, 19, 34), (24, 30, 48)),
}
STEEPER = 4.0  # factor on the slopes of a surface for its brightness, so that low waves are visible
HEIGHTS = 4096  # number of background colours above and below the horizon
STEPS = 170  # brightness levels, in hundredths of the brightness of a colour
Raster = np.ndarray  # one value for each pixel, row by row, or for some pixels
SHADED = ("room", "sea")  # backgrounds with a ground


class TriangleBatch(NamedTuple):
    """Triangles: corners (n, 3, 3) [m], light at each corner (n, 3), colours (n, 3)."""

    corners: np.ndarray
    light: np.ndarray
    colour: np.ndarray


class SceneRenderer:
    """Renderer of one scene at any sample."""

    def __init__(
        self, scene: Scene, wide: int = 1280, tall: int = 720, fine: float = 1.5, letters: int | None = None
    ):
        self.scene, self.wide, self.tall = scene, wide, tall
        self.size = (round(wide * fine), round(tall * fine))
        self.usual = usual(scene, wide / tall)
        right, down, ahead = self.usual.axes
        sun = 1.0 * self.usual.up - 0.35 * right - 0.45 * ahead
        self.sun = sun / np.linalg.norm(sun)
        every = outline(scene)
        self.low, self.high = every.min(axis=0), every.max(axis=0)
        self.solids = [_with_normals(solid.mesh) for solid in scene.solids]
        self.link, self.arrow, self.dot = (
            _with_normals(mesh) for mesh in (tube_piece(), ARROW, ellipsoid(3 * (DOT,)))
        )
        self.lettering = Lettering(scene, wide, tall, letters)
        self._sky: tuple[bytes, np.ndarray] | None = None

    def draw(self, k: int, camera: Camera | None = None, with_labels: bool = True) -> Any:
        """Return the image (PIL) at sample k, from the default camera of the scene or another camera."""
        from PIL import Image

        camera = self.usual if camera is None else camera
        wide, tall = self.size
        picture = self._background(camera).copy()
        inverse, face = np.zeros(wide * tall, np.float32), np.full(wide * tall, -1, np.int32)
        solid, glass = self._triangle_batches(k, camera)
        self._paint_opaque(camera, solid, picture, inverse, face)
        for bits, opacity in glass:
            self._paint_translucent(camera, bits, opacity, picture, inverse)
        flat = picture.view(np.uint8).reshape(tall, wide, 4)
        image = Image.fromarray(flat, "RGBX").convert("RGB")
        image = image.resize((self.wide, self.tall), Image.Resampling.BOX)
        return self.lettering.write(image, k, camera) if with_labels else image

    # geometry

    def _triangle_batches(
        self, k: int, camera: Camera
    ) -> tuple[TriangleBatch, list[tuple[TriangleBatch, float]]]:
        """Return opaque triangles at sample k, and translucent ones from far to near."""
        opaque, glass = [], []
        for solid, (mesh, normals) in zip(self.scene.solids, self.solids, strict=True):
            if solid.name == "sea":
                continue  # part of the background
            R, p = solid.pose(k)
            stretch = np.array([1.0 if solid.stretch is None else solid.stretch(k), 1.0, 1.0])
            corners = (mesh.vertices * stretch) @ R.T + p
            bits = self._illuminate(camera, corners[mesh.faces], (normals @ R.T)[mesh.faces], solid.colour)
            if solid.opacity < 1:
                far = float(np.linalg.norm(corners.mean(axis=0) - camera.eye))
                glass.append((far, bits, solid.opacity))
            else:
                opaque.append(bits)
        for surface in self.scene.surfaces:
            mesh, normals = _with_normals(Triangles(surface.points(k), surface.faces))
            steep = normals + (STEEPER - 1) * (normals - np.outer(normals @ self.usual.up, self.usual.up))
            steep /= np.linalg.norm(steep, axis=1, keepdims=True)
            opaque.append(
                self._illuminate(camera, mesh.vertices[mesh.faces], steep[mesh.faces], surface.colour)
            )
        for tube in self.scene.tubes:
            turns, places, stretches = links(tube.points(k), tube.radius)
            mesh, normals = self.link
            R = _matrices(turns)
            at = np.einsum("nij,nvj->nvi", R, mesh.vertices * stretches[:, None]) + places[:, None]
            n = np.einsum("nij,vj->nvi", R, normals)
            opaque.append(
                self._illuminate(
                    camera,
                    at[:, mesh.faces].reshape(-1, 3, 3),
                    n[:, mesh.faces].reshape(-1, 3, 3),
                    tube.colour,
                )
            )
        reach = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        for arrow in self.scene.arrows:
            opaque += self._arrow(camera, arrow, k, 0.03 * reach)
        for line in self.scene.lines:
            opaque.append(
                self._ribbon(camera, segments(line.points(k)), line.width, rgb(line.colour, line.ghost))
            )
        glass.sort(key=lambda entry: -entry[0])
        return _concatenate(opaque), [(bits, opacity) for _, bits, opacity in glass]

    def _illuminate(
        self, camera: Camera, corners: np.ndarray, normals: np.ndarray, colour: str
    ) -> TriangleBatch:
        """Return triangles lit by sun, sky and specular reflection; both sides are visible."""
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
        return TriangleBatch(
            corners, light, np.broadcast_to(np.asarray(rgb(colour), np.float32), (len(corners), 3))
        )

    def _arrow(self, camera: Camera, arrow: Arrow, k: int, head: float) -> list[TriangleBatch]:
        """Return shaft and head of a force arrow, not shorter than `head`, and a dot at the contact point."""
        vector = np.asarray(arrow.vector(k), float)
        size = arrow.length * float(np.linalg.norm(vector))
        if not size > LEAST * head:
            return []
        R = _matrices(links(np.stack([np.zeros(3), vector])[None], 1.0)[0])[0]
        size = max(size, head)
        mesh, normals = self.arrow
        shaft = mesh.vertices[:, 0] < 0.5  # shaft of the unit arrow; its head starts at x = 1
        at = mesh.vertices * [head, head, head]
        at[:, 0] += np.where(shaft, 0.0, size - 2 * head)
        at = at @ R.T + np.asarray(arrow.at(k), float)
        drawn = [self._illuminate(camera, at[mesh.faces], (normals @ R.T)[mesh.faces], arrow.colour)]
        if arrow.contact is not None:
            mesh, normals = self.dot
            at = head * mesh.vertices + np.asarray(arrow.contact(k), float)
            drawn.append(self._illuminate(camera, at[mesh.faces], normals[mesh.faces], arrow.colour))
        return drawn

    def _ribbon(
        self, camera: Camera, pieces: np.ndarray, width: float, colour: Sequence[int]
    ) -> TriangleBatch:
        """Return segments (n, 2, 3) as bands that face the camera, `width` [px] wide."""
        a, b = np.asarray(pieces, float)[:, 0], np.asarray(pieces, float)[:, 1]
        side = np.cross(b - a, (a + b) / 2 - camera.eye)
        side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-12)
        half = 0.4 * width / camera.focal(self.tall)
        wa, wb = (half * np.maximum(camera.in_camera_axes(p)[:, 2], 0.0)[:, None] * side for p in (a, b))
        corners = np.concatenate(
            [np.stack([a - wa, a + wa, b - wb], axis=1), np.stack([a + wa, b + wb, b - wb], axis=1)]
        )
        return TriangleBatch(
            corners,
            np.ones((len(corners), 3)),
            np.broadcast_to(np.asarray(colour, np.float32), (len(corners), 3)),
        )

    # raster

    def _project(self, camera: Camera, bits: TriangleBatch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return triangles on the raster, planes of the light at their corners, and colours."""
        reach = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
        seen, light, origin = clip_triangles(camera.in_camera_axes(bits.corners), bits.light, NEAR * reach)
        corners = camera.project(seen, *self.size)
        lit = plane(corners, light)
        lit[:, 0] += 0.5 * (lit[:, 1] + lit[:, 2])  # at the centre of a pixel
        return corners, lit.astype(np.float32), bits.colour[origin]

    def _paint_opaque(
        self, camera: Camera, bits: TriangleBatch, picture: Raster, inverse: Raster, face: Raster
    ) -> None:
        """Paint opaque triangles."""
        corners, light, colour = self._project(camera, bits)
        nearest(fragments(corners, *self.size), inverse, face)
        covered = np.flatnonzero(face >= 0)
        bright = self._brightness(light, face[covered], covered)
        if self.scene.setting in SHADED:
            bright *= self._shade(camera, bits, inverse, face)[covered]
        picture[covered] = _colour_pixels(colour, face[covered], bright)

    def _paint_translucent(
        self, camera: Camera, bits: TriangleBatch, opacity: float, picture: Raster, inverse: Raster
    ) -> None:
        """Paint the nearest side of a translucent body over the image."""
        corners, light, colour = self._project(camera, bits)
        covered = fragments(corners, *self.size)
        before = covered.inverse > inverse[covered.pixel]
        covered = type(covered)(*(part[before] for part in covered))
        own, face = np.zeros(len(inverse), np.float32), np.full(len(inverse), -1, np.int32)
        nearest(covered, own, face)
        visible = np.flatnonzero(face >= 0)
        paint = _colour_pixels(colour, face[visible], self._brightness(light, face[visible], visible))
        there, over = (pixels.view(np.uint8).astype(np.float32) for pixels in (picture[visible], paint))
        picture[visible] = (there + opacity * (over - there)).astype(np.uint8).view(np.uint32)

    def _brightness(self, light: Raster, face: Raster, pixel: Raster) -> Raster:
        row, column = np.divmod(pixel.astype(np.int32), np.int32(self.size[0]))
        begin, by_column, by_row = (part[face] for part in light.T.copy())
        by_column *= column
        by_row *= row
        begin += by_column
        begin += by_row
        return begin

    def _shade(self, camera: Camera, bits: TriangleBatch, inverse: Raster, face: Raster) -> Raster:
        """Return the fraction of the light at each pixel, from a shadow map.

        It is computed for every second row and column.
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
        covered = fragments(placed, MAP, MAP)
        np.maximum.at(depth, covered.pixel, covered.inverse)
        # positions of the pixels in the axes of the sun: affine in column and row, times the distance
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
        light = np.ones(few.size, np.float32)
        light[inside[hidden]] = DARK
        return np.repeat(np.repeat(light.reshape(few.shape), 2, axis=0)[:tall], 2, axis=1)[:, :wide].ravel()

    def _background(self, camera: Camera) -> np.ndarray:
        """Return the background by the height of each ray above the horizon; cached for an unchanged camera."""
        key = np.concatenate([camera.eye, camera.target]).tobytes()
        if self._sky is not None and self._sky[0] == key:
            return self._sky[1]
        wide, tall = self.size
        f = camera.focal(tall)
        right, down, ahead = camera.axes @ camera.up
        x, y = (np.arange(wide) + 0.5 - wide / 2) / f, (np.arange(tall) + 0.5 - tall / 2) / f
        length = np.sqrt(1 + x[None] ** 2 + y[:, None] ** 2)
        height = ((ahead + y * down)[:, None] + (x * right)[None]) / length
        image = sky(self.scene.setting)[np.rint((height + 1) * HEIGHTS).astype(np.int32)].ravel()
        if self.scene.setting == "space":
            spots = np.random.default_rng(7).integers(0, wide * tall, 240)
            image[spots] = np.array([170, 170, 170, 0], np.uint8).view(np.uint32)
        self._sky = (key, image)
        return self._sky[1]


@cache
def sky(setting: str) -> np.ndarray:
    """Return packed colours by the height of a ray above the horizon, from straight down to straight up."""
    height = np.linspace(-1.0, 1.0, 2 * HEIGHTS + 1)[:, None]
    overhead, above, below, deep = (np.asarray(colour, float) for colour in BEHIND[setting])
    up, under = np.clip(height, 0, 1) ** 0.6, np.clip(-3.5 * height, 0, 1) ** 0.7
    colours = np.where(height >= 0, above + up * (overhead - above), below + under * (deep - below))
    return np.concatenate([colours, 0 * height], axis=1).astype(np.uint8).view(np.uint32).ravel()


ARROW = merge(  # two heads long, one head thick; the shaft is stretched
    rod(0.2, 1.0, 12),
    lathe([(1.0, 0.0), (1.0, 0.5), (2.0, 0.0)], 16),
)


def _with_normals(mesh: Triangles) -> tuple[Triangles, np.ndarray]:
    """Return a mesh and its vertex normals, the area-weighted means over adjacent triangles."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(mesh.vertices)
    for i in range(3):
        np.add.at(normals, mesh.faces[:, i], across)
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    return mesh, normals / np.maximum(size, 1e-300)


def _colour_pixels(colour: Raster, face: Raster, bright: Raster) -> Raster:
    """Return lit colours of pixels, four bytes each; light above 1 mixes with white.

    A table of few colours and brightness levels of 0.01 is sufficient.
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


def _concatenate(parts: Sequence[TriangleBatch]) -> TriangleBatch:
    if not parts:
        return TriangleBatch(np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros((0, 3), np.float32))
    return TriangleBatch(*(np.concatenate(same) for same in zip(*parts, strict=True)))
