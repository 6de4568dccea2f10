"""Draw the sketches of the theory pages (SVG in theory/sketches): `python docs/sketches.py`.

They stand in the page itself, not as pictures, so that lines have the colour of the text, on light and on dark.
"""

import re
from html import escape
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent / "theory" / "sketches"
PHONE = 10.3  # width of a letter on a phone, where a sheet is as wide as the screen
DIGITS = {ord("\u2080") + digit: f"_{digit}" for digit in range(10)}  # of a font they are too small
INK, BLUE, ORANGE, PINK = "currentColor", "#3b8fd0", "#e07a2c", "#c9509f"


def _lowered(words, size):
    """A letter after an underscore is an index, of eleven pixels on a screen."""
    small = max(11, round(0.75 * size))
    index = f'<tspan dy="0.35em" font-size="{small}">{{}}</tspan><tspan dy="-0.3em">&#8203;</tspan>'
    return re.sub(r"_(\w)", lambda found: index.format(found[1]), words.translate(DIGITS))


class Sketch:
    """Sheet for lines and text; y points down."""

    def __init__(self, title, wide=640, tall=210):
        self.title, self.size, self.parts = title, (wide, tall), []

    def line(self, *points, colour=INK, width=1.6, dash="", fill="none", closed=False):
        d = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points) + (" Z" if closed else "")
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<path d="{d}" fill="{fill}" stroke="{colour}" stroke-width="{width}"{dash}/>')

    def arrow(self, x0, y0, x1, y1, colour=INK, width=1.8):
        d = np.array([x1 - x0, y1 - y0], float)
        d /= np.hypot(*d)
        back, side = np.array([x1, y1]) - 9 * d, 4.0 * np.array([-d[1], d[0]])
        self.line((x0, y0), back, colour=colour, width=width)
        self.line((x1, y1), back + side, back - side, colour=colour, width=1, fill=colour, closed=True)

    def circle(self, x, y, r, colour=INK, fill="none", width=1.6):
        self.parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{fill}" stroke="{colour}" stroke-width="{width}"/>'
        )

    def text(self, x, y, words, colour=INK, anchor="middle", size=13, slanted=False):
        x = self._inside(x, words, anchor)
        style = ' font-style="italic"' if slanted else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" font-size="{size}"{style}>'
            f"{_lowered(escape(words), size)}</text>"
        )

    def _inside(self, x, words, anchor):
        """Where words are whole on a phone too, which shows them larger (dovetail.css)."""
        long = PHONE * len(words)
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * long
        return float(np.clip(x, before, max(self.size[0] - long + before, before)))

    def box(self, x, y, wide, tall, words="", colour=INK):
        self.line((x, y), (x + wide, y), (x + wide, y + tall), (x, y + tall), colour=colour, closed=True)
        if words:
            self.text(x + wide / 2, y + tall / 2 + 5, words, colour, slanted=len(words) < 4)

    def wall(self, x, y0, y1, side=-1):
        self.line((x, y0), (x, y1), width=2.2)
        for y in np.arange(y0 + 4, y1, 9):
            self.line((x, y), (x + 8 * side, y + 8), width=1)

    def ground(self, x0, x1, y):
        self.line((x0, y), (x1, y), width=2.2)
        for x in np.arange(x0 + 6, x1, 10):
            self.line((x, y), (x - 8, y + 8), width=1)

    def spring(self, x0, x1, y, words="", colour=INK):
        zig = [(x0 + 8 + (x1 - x0 - 16) * i / 11, y + (7 if i % 2 else -7)) for i in range(12)]
        self.line((x0, y), (x0 + 8, y), *zig[1:-1], (x1 - 8, y), (x1, y), colour=colour)
        self.text((x0 + x1) / 2, y - 13, words, colour, slanted=True)

    def damper(self, x0, x1, y, words="", colour=INK):
        m = (x0 + x1) / 2
        self.line((x0, y), (m - 4, y), colour=colour)
        self.line((m - 4, y - 6), (m - 4, y + 6), colour=colour, width=2.4)
        self.line((m - 14, y - 9), (m + 10, y - 9), (m + 10, y + 9), (m - 14, y + 9), colour=colour)
        self.line((m + 10, y), (x1, y), colour=colour)
        self.text(m, y + 28, words, colour, slanted=True)

    def arc(self, x, y, r, a, b, colour=INK, tip=False):
        """Part of a circle between two angles [deg], counted from the right, upwards."""
        turn = np.radians(np.linspace(a, b, 24))
        points = [(x + r * np.cos(t), y - r * np.sin(t)) for t in turn]
        self.line(*points, colour=colour)
        if tip:
            self.arrow(*points[-3], *points[-1], colour=colour)

    def svg(self):
        wide, tall = self.size
        head = (
            f'<div class="sketch"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" role="img" '
            f'aria-label="{escape(self.title)}">'
        )
        return "\n".join([head, f"<title>{escape(self.title)}</title>", *self.parts, "</svg></div>", ""])


def negative_damping():
    s = Sketch("A late spring is a spring with a negative damper, and puts energy in with every cycle")
    s.wall(50, 50, 150)
    s.spring(50, 190, 75, "k_s")
    s.damper(50, 190, 122, "\u2212k_s\u03c4", ORANGE)
    s.box(190, 55, 80, 90, "m", BLUE)
    s.arrow(230, 40, 280, 40)
    s.text(255, 32, "z", slanted=True)
    s.arrow(400, 180, 400, 25)
    s.arrow(350, 105, 590, 105)
    s.text(598, 110, "z", anchor="start", slanted=True)
    s.text(412, 30, "k_s z(t \u2212 \u03c4), the pull", anchor="start")
    turn = np.linspace(0, 2 * np.pi, 80)
    late = 0.35
    loop = [(470 + 85 * np.cos(t), 105 - 62 * np.cos(t - late)) for t in turn]
    s.line(*loop, colour=ORANGE, width=2, fill="#e07a2c33", closed=True)
    s.line((385, 167), (555, 43), dash="4 4")
    s.text(470, 200, "area: the energy of a cycle, \u03c0 k_s \u03c4\u03c9 Z\u00b2", ORANGE)
    return s


def cs1():
    s = Sketch("Simulated mass, damper and spring; an actuator imposes their motion on a real spring")
    s.wall(40, 45, 150)
    s.spring(40, 150, 70, "k")
    s.damper(40, 150, 118, "c")
    s.box(150, 50, 80, 90, "m", BLUE)
    s.arrow(190, 38, 235, 38)
    s.text(212, 30, "z", slanted=True)
    s.arrow(20, 172, 60, 172)
    s.text(68, 177, "r", anchor="start", slanted=True)
    s.line((275, 20), (275, 190), colour=PINK, dash="7 5")
    s.text(265, 205, "simulated", BLUE, "end")
    s.text(285, 205, "on the rig", ORANGE, "start")
    s.arrow(232, 80, 320, 80)
    s.text(300, 70, "z")
    s.box(320, 60, 120, 40, "a, delay \u03c4", ORANGE)
    s.line((440, 80), (470, 80), width=3, colour=ORANGE)
    s.spring(470, 590, 80, "k_s", ORANGE)
    s.wall(590, 45, 115, 1)
    s.arrow(470, 135, 234, 135, PINK)
    s.text(285, 153, "measured force: a k_s z(t \u2212 \u03c4)", PINK, "start")
    return s


def roots(zeta=0.1, rho=0.5, late=3.0):
    """Roots of lambda^2 + 2 zeta lambda + 1 + rho exp(-lambda late), by Newton's steps from many starts."""
    z = (np.linspace(-2.2, 0.6, 40)[:, None] + 1j * np.linspace(-12, 12, 121)).ravel()
    for _ in range(60):
        z = z[np.abs(z.real) < 20]  # what has left is lost
        e = rho * np.exp(-z * late)
        z = z - (z * z + 2 * zeta * z + 1 + e) / (2 * z + 2 * zeta - late * e)
    good = z[np.abs(z * z + 2 * zeta * z + 1 + rho * np.exp(-z * late)) < 1e-9]
    good = good[(good.real > -2.2) & (np.abs(good.imag) < 12)]
    return np.unique(np.round(good, 6))


def spectrum():
    s = Sketch(
        "Roots of a delay equation: infinitely many to the left, and a rightmost pair that decides", 680, 250
    )
    found = roots()
    x, y = (lambda v: 430 + 170 * v), (lambda v: 125 - 9 * v)
    s.arrow(60, 125, 600, 125)
    s.arrow(x(0), 240, x(0), 12)
    s.text(606, 130, "Re \u03bb", anchor="start")
    s.text(x(0) + 8, 22, "Im \u03bb", anchor="start")
    right = found.real.max()
    for z in found:
        best = z.real > right - 1e-6
        s.circle(x(z.real), y(z.imag), 5 if best else 3.5, ORANGE if best else BLUE, ORANGE if best else BLUE)
    s.line((x(right), 20), (x(right), 235), colour=ORANGE, dash="5 4")
    s.text(x(right) + 10, 235, "the dominant pole decides", ORANGE, "start")
    s.text(
        395,
        24,
        "\u03bb\u00b2 + 2\u03b6\u03bb + 1 + \u03c1 exp(\u2212\u03bb\u03c4) = 0",
        anchor="end",
        slanted=True,
    )
    s.text(395, 46, "\u03b6 = 0.1, \u03c1 = 0.5, \u03c4 = 3", anchor="end")
    return s


def compensation():
    s = Sketch(
        "The demand is read ahead, by a polynomial through its last samples, by as much as the actuator is late"
    )
    demand = lambda t: 110 - 60 * np.sin(t / 95)  # noqa: E731
    t = np.linspace(0, 560, 140)
    s.arrow(40, 190, 610, 190)
    s.text(612, 205, "t", slanted=True)
    s.line(*[(40 + v, demand(v)) for v in t[t <= 250]], colour=BLUE, width=2)
    s.line(*[(40 + v, demand(v)) for v in t[t >= 250]], colour=BLUE, dash="2 5")
    samples = np.array([170.0, 190, 210, 230, 250])
    fitted = np.polyfit(samples, demand(samples), 2)
    ahead = np.linspace(170, 320, 60)
    s.line(*[(40 + v, np.polyval(fitted, v)) for v in ahead], colour=ORANGE, width=2)
    for v in samples:
        s.circle(40 + v, demand(v), 4, BLUE, BLUE)
    s.circle(360, np.polyval(fitted, 320), 5, ORANGE, ORANGE)
    for v, words in ((290, "now"), (360, "now + \u03c4")):
        s.line((v, 35), (v, 190), dash="4 4", width=1)
        s.text(v, 205, words)
    s.text(376, np.polyval(fitted, 320) - 6, "command to the actuator", ORANGE, "start")
    s.text(60, 30, "demand and its last samples", BLUE, "start")
    return s


def lag_damper():
    s = Sketch(
        "A blade that swings in the plane of the disc, with a damper between hub and blade, from above",
        tall=205,
    )
    s.circle(140, 120, 34)
    s.arc(140, 120, 56, 150, 215, tip=True)
    s.text(72, 150, "\u03a9", slanted=True)
    s.line((140, 120), (610, 120), dash="6 5", width=1)
    s.circle(190, 120, 5, INK, INK)
    a = np.radians(12)
    along, across = np.array([np.cos(a), -np.sin(a)]), np.array([np.sin(a), np.cos(a)])
    root = np.array([190, 120])
    s.line((174, 120), (190, 120), width=4)
    blade = [root + d * along + w * across for d, w in ((40, -9), (410, -9), (410, 9), (40, 9))]
    s.line(*blade, colour=BLUE, closed=True)
    s.line(root, root + 40 * along, colour=BLUE, width=4)
    s.arc(190, 120, 210, 0, 12)
    s.text(420, 106, "lag \u03b6", slanted=False)
    foot, end = np.array([165, 148]), root + 130 * along + 9 * across
    way = (end - foot) / np.hypot(*(end - foot))
    side = np.array([-way[1], way[0]])
    half = np.hypot(*(end - foot)) / 2
    s.line(foot, foot + (half - 4) * way, colour=ORANGE, width=2)
    s.line(foot + (half - 4) * way + 6 * side, foot + (half - 4) * way - 6 * side, colour=ORANGE, width=3)
    cup = [
        foot + d * way + w * side
        for d, w in ((half - 16, 9), (half + 14, 9), (half + 14, -9), (half - 16, -9))
    ]
    s.line(*cup, colour=ORANGE, width=2)
    s.line(foot + (half + 14) * way, end, colour=ORANGE, width=2)
    s.text(245, 185, "the damper: on the rig", ORANGE)
    s.text(500, 25, "the blade: simulated", BLUE)
    return s


def rths():
    s = Sketch(
        "Three storeys on moving ground; the first is partly a specimen that an actuator moves", tall=240
    )
    s.ground(70, 290, 205)
    s.arrow(150, 228, 210, 228)
    s.text(222, 233, "ground", anchor="start")
    sways = [0, 14, 24, 30]
    for i in range(3):
        y0, y1 = 205 - 58 * i, 147 - 58 * i
        t = np.linspace(0, 1, 15)
        shape = sways[i] + (sways[i + 1] - sways[i]) * t**2 * (3 - 2 * t)
        for x in (110, 230):
            s.line(*zip(x + shape, y0 + (y1 - y0) * t, strict=True), colour=BLUE, width=2)
        s.line((100 + sways[i + 1], y1), (240 + sways[i + 1], y1), colour=BLUE, width=5)
        s.text(282 + sways[i + 1], y1 + 5, "x" + "\u2081\u2082\u2083"[i], slanted=True)
    s.text(170, 22, "simulated", BLUE)
    s.ground(380, 520, 205)
    t = np.linspace(0, 1, 15)
    for x in (410, 490):
        s.line(*zip(x + 14 * t**2 * (3 - 2 * t), 205 - 58 * t, strict=True), colour=ORANGE, width=2)
    s.line((414, 147), (514, 147), colour=ORANGE, width=5)
    s.line((514, 147), (550, 147), width=2)
    s.box(550, 136, 50, 22)
    s.wall(600, 115, 180, 1)
    s.text(460, 120, "on the rig: 29 kg, 1.19 MN/m", ORANGE)
    s.arrow(320, 147, 398, 147, PINK)
    s.text(360, 138, "x\u2081", PINK, slanted=True)
    return s


def impacts():
    s = Sketch(
        "Two free bodies approach; beyond first touch a force that grows with the depth parts them again"
    )
    s.box(60, 70, 110, 70, "m\u2081", BLUE)
    s.box(470, 70, 110, 70, "m\u2082", BLUE)
    s.arrow(115, 50, 165, 50)
    s.arrow(525, 50, 475, 50)
    s.text(140, 40, "v\u2081", slanted=True)
    s.text(500, 40, "v\u2082", slanted=True)
    s.circle(215, 105, 45, ORANGE)
    s.line((300, 45), (300, 165), width=3, colour=ORANGE)
    s.line((300, 105), (330, 105), width=2)
    s.spring(330, 430, 85, "F(\u03b4)", PINK)
    s.damper(330, 430, 125, "", PINK)
    s.line((330, 85), (330, 125))
    s.line((430, 85), (430, 125))
    s.line((430, 105), (470, 105), width=2)
    s.line((260, 105), (260, 185), dash="3 4", width=1)
    s.line((300, 165), (300, 185), dash="3 4", width=1)
    s.arrow(260, 180, 300, 180)
    s.text(280, 200, "\u03b4 < 0: not yet", size=12)
    s.text(560, 180, "m_e = m\u2081 m\u2082 / (m\u2081 + m\u2082)", slanted=True)
    return s


def docking():
    s = Sketch("Two free bodies, a probe on one and a drogue on the other; six axes between them", tall=230)
    s.box(50, 70, 100, 100, "", BLUE)
    s.line((150, 120), (280, 120), width=5, colour=BLUE)
    s.circle(288, 120, 9, BLUE, BLUE)
    s.line((440, 92), (340, 40), colour=ORANGE, width=2.5)
    s.line((440, 148), (340, 200), colour=ORANGE, width=2.5)
    s.line((440, 92), (470, 92), (470, 148), (440, 148), colour=ORANGE, width=2.5)
    s.box(470, 60, 110, 120, "", ORANGE)
    for (x, y), name, way in (((100, 120), "P", 1), ((525, 120), "D", -1)):
        s.circle(x, y, 3, INK, INK)
        s.arrow(x, y, x + 34 * way, y)
        s.arrow(x, y, x, y - 34)
        s.text(x - 12 * way, y + 18, name, slanted=True)
    s.line((288, 120), (525, 120), dash="4 4", width=1)
    s.text(385, 112, "p, R: six axes")
    s.arrow(288, 120, 240, 80, PINK)
    s.text(235, 72, "f, \u03c4 at the touch", PINK)
    s.arrow(30, 215, 65, 215)
    s.arrow(30, 215, 30, 180)
    s.text(75, 219, "W, at rest", anchor="start")
    return s


def ropes():
    s = Sketch("A chain of links: nodes, tensions along them, weight and air on each", tall=230)
    x = np.linspace(0, 1, 9)
    nodes = np.stack([60 + 500 * x, 40 + 145 * x**1.6], axis=1)
    s.wall(60, 20, 65)
    s.line(*nodes, colour=BLUE, width=2.5)
    for i, (u, v) in enumerate(nodes):
        s.circle(u, v, 4.5, BLUE, BLUE)
        if 0 < i < 8:
            s.arrow(u, v + 6, u, v + 30)
    s.text(nodes[3][0], nodes[3][1] + 60, "weight", size=12)
    for y in (95, 125, 155):
        s.arrow(40, y + 20, 100, y + 20, PINK)
    s.text(40, 105, "air", PINK, "start")
    s.circle(*nodes[-1], 11, ORANGE)
    s.text(nodes[-1][0], nodes[-1][1] + 30, "body", ORANGE)
    for a, b in ((4, 5), (5, 4)):
        start = nodes[5 if b == 4 else 4] + 0 * nodes[0]
        d = (nodes[b] - nodes[a]) / np.hypot(*(nodes[b] - nodes[a]))
        normal = np.array([d[1], -d[0]]) * (1 if d[0] > 0 else -1)
        s.arrow(*(start + 14 * normal), *(start + 14 * normal + 26 * d), colour=ORANGE)
    middle = (nodes[4] + nodes[5]) / 2
    s.text(middle[0] + 14, middle[1] - 26, "tension", ORANGE, "start")
    s.text(middle[0] - 30, middle[1] + 6, "", size=12)
    s.text(200, 40, "node k, link of length l_k", BLUE, "start")
    return s


def refuelling():
    s = Sketch("A tanker trails a hose with a drogue; a probe strikes it off its axis", tall=240)
    s.line((600, 20), (500, 20), (470, 38), (500, 52), (600, 52), width=2)
    s.text(560, 42, "tanker", size=12)
    hose = np.array([(480, 46), (430, 66), (375, 92), (320, 122), (268, 148)])
    s.line(*hose, colour=BLUE, width=2.5)
    for u, v in hose[1:-1]:
        s.circle(u, v, 4, BLUE, BLUE)
    s.text(405, 60, "hose: lumped masses", BLUE, "end")
    joint, ahead = hose[-1], np.array([0.9, -0.436])
    side = np.array([0.436, 0.9])
    s.circle(*joint, 5, ORANGE, ORANGE)
    s.text(joint[0] + 8, joint[1] + 22, "ball joint", anchor="start", size=12)
    for sign in (-1, 1):
        s.line(joint, joint - 75 * ahead + sign * 34 * side, colour=ORANGE, width=2.2)
    s.line(joint - 75 * ahead + 34 * side, joint - 75 * ahead - 34 * side, colour=ORANGE, width=2.2)
    s.text(150, 118, "drogue", ORANGE)
    s.line(joint, joint - 190 * ahead, dash="4 4", width=1)
    tip = joint - 110 * ahead - 22 * side
    s.line(tip, tip - 90 * ahead, colour=PINK, width=5)
    s.arrow(*(tip - 60 * ahead - 16 * side), *(tip - 20 * ahead - 16 * side), colour=PINK)
    s.text(tip[0] - 90, tip[1] - 24, "probe, off the axis", PINK)
    s.arrow(40, 85, 40, 50)
    s.text(40, 40, "z, up", size=12)
    s.arrow(40, 85, 78, 85)
    s.text(96, 80, "x, forward", size=12)
    return s


def shipboard():
    s = Sketch("An airframe on flexible skids over a deck that moves as prescribed", tall=240)
    s.line(
        (250, 60), (390, 60), (410, 95), (390, 125), (250, 125), (230, 95), closed=True, colour=BLUE, width=2
    )
    s.circle(320, 92, 3, INK, INK)
    s.arrow(320, 92, 320, 40)
    s.arrow(320, 92, 375, 92)
    s.text(332, 50, "\u03be = (v, \u03c9)", anchor="start")
    tilt = -0.06
    deck = lambda x: 196 + tilt * (x - 320)  # noqa: E731
    for x0, x1 in ((270, 215), (370, 425)):
        s.line(
            (x0, 125),
            ((x0 + x1) / 2 + (-8 if x1 < x0 else 8), 150),
            (x1, deck(x1) - 6),
            colour=ORANGE,
            width=3,
        )
        s.circle(x1, deck(x1) - 6, 5, ORANGE, ORANGE)
        s.arrow(x1, deck(x1) - 6, x1 - 3, deck(x1) - 60, PINK)
        s.arrow(x1, deck(x1) - 6, x1 + (34 if x1 < 320 else -34), deck(x1) - 6, PINK)
    s.line((320, 92), (425, deck(425) - 6), dash="4 4", width=1)
    s.text(362, 160, "\u03c1_j", anchor="start", slanted=True)
    s.text(208, 140, "normal force", PINK, "end")
    s.text(262, 180, "friction", PINK, "start", 12)
    s.line((90, deck(90)), (550, deck(550)), width=3)
    s.line((90, deck(90)), (110, 228), (530, 228), (550, deck(550)))
    s.text(320, 222, "deck: heave, sway, roll")
    s.text(450, 75, "airframe: rigid", BLUE, "start")
    s.text(450, 165, "gear: flexible", ORANGE, "start")
    return s


def sea():
    s = Sketch("A ship in waves: six motions, and any point of its deck", tall=230)
    x = np.linspace(30, 610, 150)
    s.line(*[(v, 165 + 9 * np.sin(v / 30) + 5 * np.sin(v / 17 + 1)) for v in x], colour=BLUE, width=2)
    a = np.radians(4)
    turn = lambda u, v: (310 + u * np.cos(a) + v * np.sin(a), 150 - u * np.sin(a) + v * np.cos(a))  # noqa: E731
    outline = ((-190, -22), (-175, 30), (150, 30), (205, -34), (150, -26))
    s.line(*[turn(u, v) for u, v in outline], closed=True, width=2)
    s.line(*[turn(u, v) for u, v in ((40, -28), (40, -70), (90, -70), (100, -27))], width=2)
    origin, spot = turn(0, 0), turn(-130, -24)
    s.circle(*origin, 4, INK, INK)
    s.arrow(*origin, *turn(60, 0))
    s.arrow(*origin, *turn(0, -80))
    s.text(*turn(74, 5), "surge", anchor="start", size=12)
    s.text(*turn(-6, -86), "heave", anchor="end", size=12)
    s.arc(*origin, 34, 100, 30, PINK, tip=True)
    s.text(*turn(44, -34), "pitch", PINK, "start", 12)
    s.circle(*spot, 5, ORANGE, ORANGE)
    s.line(origin, spot, dash="4 4", width=1.2)
    s.text(spot[0] - 4, spot[1] - 10, "P", ORANGE, slanted=True)
    s.text(*turn(-62, -2), "r", slanted=True)
    s.text(150, 60, "v_P = v_S + \u03c9 \u00d7 r", ORANGE, slanted=True)
    s.text(560, 205, "spectrum of waves", BLUE)
    return s


def rotor():
    s = Sketch("A blade element: pitch, inflow, angle of attack and the forces on it", 680, 200)
    root, a, f = np.array([330.0, 140.0]), np.radians(16), np.radians(7)
    s.line((60, 140), (600, 140), dash="5 5", width=1)
    chord = lambda d, w: root + d * np.array([np.cos(a), -np.sin(a)]) + w * np.array([-np.sin(a), -np.cos(a)])  # noqa: E731
    u = np.linspace(0, 1, 30)
    thick = 0.11 * 230 * (2.97 * np.sqrt(u) - 1.26 * u - 3.52 * u**2 + 2.84 * u**3 - 1.04 * u**4) / 1.4
    upper = [chord(115 - 230 * v, w) for v, w in zip(u, thick, strict=True)]
    lower = [chord(115 - 230 * v, -0.7 * w) for v, w in zip(u[::-1], thick[::-1], strict=True)]
    s.line(*upper, *lower, closed=True, colour=BLUE, width=2)
    s.line(chord(-150, 0), chord(190, 0), dash="3 4", width=1, colour=BLUE)
    s.text(*(chord(190, 0) + np.array([-6, -8])), "\u03b8: pitch", BLUE, "end")
    wind = np.array([-np.cos(f), np.sin(f)])
    end = chord(118, 0)
    s.arrow(*(end - 150 * wind), *(end - 8 * wind), colour=PINK)
    s.text(*(end - 158 * wind + np.array([6, 4])), "v\u2081", PINK, "start")
    s.arrow(590, 160, 470, 160)
    s.text(530, 178, "v\u2082")
    s.arrow(640, 102, 640, 138)
    s.text(640, 172, "v_c + v_i")
    s.text(520, 133, "\u03c6", size=12)
    quarter = chord(58, 4)
    lift = np.array([-np.sin(f), -np.cos(f)])
    s.arrow(*quarter, *(quarter + 92 * lift), colour=ORANGE)
    s.arrow(*quarter, *(quarter + 46 * wind), colour=ORANGE)
    s.text(*(quarter + 98 * lift + np.array([0, -4])), "dL", ORANGE, slanted=True)
    s.text(*(quarter + 60 * wind + np.array([0, 6])), "dD", ORANGE, slanted=True)
    s.text(90, 130, "plane of the disc", anchor="start", size=12)
    s.text(110, 40, "\u03b1 = \u03b8 \u2212 \u03c6", slanted=True)
    return s


SKETCHES = {
    "negative-damping": negative_damping,
    "cs1": cs1,
    "spectrum": spectrum,
    "compensation": compensation,
    "lag-damper": lag_damper,
    "rths-benchmark": rths,
    "impacts": impacts,
    "docking": docking,
    "ropes": ropes,
    "refuelling": refuelling,
    "shipboard": shipboard,
    "sea": sea,
    "rotor": rotor,
}


def main(folder: Path = FOLDER) -> None:
    """Draw all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in SKETCHES.items():
        (folder / f"{name}.html").write_text(draw().svg(), "utf-8")


if __name__ == "__main__":
    main()
